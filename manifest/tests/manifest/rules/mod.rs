//! Every rule of the language: one fault in an otherwise valid manifest gives exactly one problem.

mod replacements;

use std::fmt::Write;

use toolwrit_manifest::{Problems, load_sources};

use crate::faults;
use replacements::FAULTS;

const GOOD: &str = include_str!("../fixtures/complete.yaml");

fn problems(yaml: &str) -> Problems {
    let read = |path: &str| match path {
        "authority.yaml" => Ok(yaml.to_owned()),
        _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
    };
    match load_sources("authority.yaml", read) {
        Err(problems) => problems,
        Ok(authority) => {
            let mut text = String::new();
            for warning in authority.warnings() {
                text.push_str(&warning.render(authority.sources()));
            }
            panic!("it loads, with the warnings: {text}")
        }
    }
}

#[test]
fn one_fault_gives_one_problem() {
    let shown = faults::show_problems(GOOD, FAULTS, |yaml| {
        load_sources("authority.yaml", |path| match path {
            "authority.yaml" => Ok(yaml.to_owned()),
            _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        })
    });
    insta::assert_snapshot!(shown);
}

#[test]
fn the_valid_manifest_has_no_problem() {
    let authority = load_sources("authority.yaml", |_| Ok(GOOD.to_owned()))
        .unwrap_or_else(|problems| panic!("{problems}"));
    assert!(authority.warnings().is_empty(), "{:?}", authority.warnings());
}

#[test]
fn leap_years_have_their_day() {
    for date in ["2024-02-29", "2000-02-29", "2026-12-31", "2026-11-30"] {
        let yaml = GOOD.replacen("since?: date = 2026-01-31", &format!("since?: date = {date}"), 1);
        load_sources("authority.yaml", |_| Ok(yaml.clone()))
            .unwrap_or_else(|problems| panic!("{problems}"));
    }
}

#[test]
fn all_faults_of_all_files_are_reported_together() {
    let root = "toolwrit: 1\nserver: { nam: x }\ninclude: [a.yaml, broken.yaml, b.yaml]\n\
                categories: { note: { summary: Notes. } }\nroles: { r: { extends: s } }\n";
    let a = "operations:\n  note.read:\n    summary: Read.\n    effect: raed\n    params: { p: strin }\n";
    let b = "roles: {}\noperations:\n  note.read: { summary: Again., effect: read }\n\
             \x20 note.wipe: { summary: Wipe., effect: destroy }\n  note.x: 5\n";
    let read = |path: &str| match path {
        "m/authority.yaml" => Ok(root.to_owned()),
        "m/a.yaml" => Ok(a.to_owned()),
        "m/broken.yaml" => Ok("operations: [\n".to_owned()),
        "m/b.yaml" => Ok(b.to_owned()),
        _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
    };
    let problems = load_sources("m/x/../authority.yaml", read).unwrap_err();
    insta::assert_snapshot!(problems.to_string());
    assert_eq!(problems.sources().iter().count(), 4);
    let salvage = problems.salvage().unwrap();
    let ids: Vec<&str> = salvage.operations.iter().map(|operation| operation.id.as_str()).collect();
    assert_eq!(ids, ["note.read", "note.wipe", "note.x"]);
}

#[test]
fn an_input_schema_that_clients_drop_is_refused() {
    let mut yaml = "toolwrit: 1\nserver: { name: x }\ncategories: { a: { summary: A. } }\n\
                    operations:\n  a.b:\n    summary: B.\n    effect: read\n    params:\n"
        .to_owned();
    for index in 0..20 {
        let text = "word ".repeat(200);
        writeln!(yaml, "      p{index}: {{ type: string, description: {text} }}").unwrap();
    }
    let problems = problems(&yaml);
    assert_eq!(problems.iter().count(), 1);
    assert!(problems.iter().next().unwrap().message().contains("input schema of `a.b`"));
}

#[test]
fn long_lines_tabs_and_wide_characters_keep_the_caret_in_place() {
    let long = format!("toolwrit: 1\nserver: {{ name: {}, nmae: x }}\n", "a".repeat(300));
    let wide = "toolwrit: 1\nserver: { title: 日本語のタイトル, name: x,\t\tnmae: x }\n";
    insta::assert_snapshot!(format!("{}\n\n{}", problems(&long), problems(wide)));
}
