//! The loader neither panics nor hangs on any input, and refuses what is too large.

use std::fmt::Write as _;

use proptest::prelude::*;
use toolwrit_manifest::interface::{json_schema, signature};
use toolwrit_manifest::{Authority, Problems, Severity, emit, load_sources};

const GOOD: &str = include_str!("fixtures/complete.yaml");

fn load(yaml: &str) -> Result<Authority, Problems> {
    load_sources("authority.yaml", |_| Ok(yaml.to_owned()))
}

/// Shows and lowers the result of a load. A valid manifest must survive a round trip through YAML.
fn exercise(yaml: &str) {
    match load(yaml) {
        Ok(authority) => {
            let emitted = emit::to_yaml(&authority);
            let again = load(&emitted).unwrap_or_else(|problems| panic!("{problems}\n{emitted}"));
            assert_eq!(authority, again, "{emitted}");
        }
        Err(problems) => {
            assert!(problems.iter().next().is_some());
            assert!(problems.to_string().starts_with(['e', 'w']));
            if let Some(model) = problems.salvage() {
                for operation in &model.operations {
                    json_schema::input_schema(model, operation);
                    json_schema::output_schema(model, operation);
                    signature::signature(model, operation);
                }
            }
        }
    }
}

/// The valid manifest with a piece replaced.
fn mutated() -> impl Strategy<Value = String> {
    let characters: Vec<char> = GOOD.chars().collect();
    let words: Vec<String> = GOOD
        .split(|c: char| !(c.is_alphanumeric() || "_.-".contains(c)))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let piece = prop_oneof![
        proptest::sample::select(words),
        "[ \\n\\t:,{}\\[\\]|&*!?=<>'\"#-]{0,3}",
        any::<char>().prop_map(String::from),
        Just(String::new()),
    ];
    let edit = (0..characters.len(), 0..12_usize, piece);
    proptest::collection::vec(edit, 1..4).prop_map(move |edits| {
        let mut text = characters.clone();
        for (start, length, piece) in edits {
            let start = start.min(text.len());
            let end = (start + length).min(text.len());
            text.splice(start..end, piece.chars());
        }
        text.into_iter().collect()
    })
}

/// The valid manifest with one word replaced by another; most of these still load.
fn reworded() -> impl Strategy<Value = String> {
    let words =
        ["read", "write", "string", "integer", "NotePath", "true", "a", "vault.read", "5s", "9"];
    let at: Vec<(usize, usize)> = GOOD
        .char_indices()
        .filter(|(at, c)| {
            c.is_alphanumeric() && !GOOD[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
        })
        .map(|(at, _)| {
            let length = GOOD[at..].find(|c: char| !(c.is_alphanumeric() || c == '_'));
            (at, at + length.unwrap_or(GOOD.len() - at))
        })
        .collect();
    (proptest::sample::select(at), proptest::sample::select(words.to_vec()))
        .prop_map(|((start, end), word)| format!("{}{word}{}", &GOOD[..start], &GOOD[end..]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        exercise(&text);
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        exercise(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn yaml_like_text(text in "([a-z]{1,3}|[ \\n:,{}\\[\\]|&*!?=<>'\"#-]|toolwrit: 1\\n|  ){0,60}") {
        exercise(&format!("toolwrit: 1\nserver: {{ name: x }}\n{text}"));
    }

    #[test]
    fn mutations_of_a_good_manifest(text in mutated()) {
        exercise(&text);
    }

    #[test]
    fn words_of_a_good_manifest_exchanged(text in reworded()) {
        exercise(&text);
    }

    #[test]
    fn type_expressions(text in "[a-zA-Z<>\\[\\]|()= .]{0,40}") {
        let quoted = text.replace('\'', "''");
        exercise(&format!(
            "toolwrit: 1\nserver: {{ name: x }}\ncategories: {{ a: {{ summary: A. }} }}\n\
             operations: {{ a.b: {{ summary: B., effect: read, params: {{ p: '{quoted}' }} }} }}"
        ));
    }
}

/// Positions in the engine's tables have 16 bits.
#[test]
fn a_manifest_cannot_have_more_operations_than_the_engine_counts() {
    let operation = |at| format!("  a.o{at}: {{ summary: Do it., effect: read }}\n");
    let operations: String = (0..10_001).map(operation).collect();
    let yaml = format!(
        "toolwrit: 1\nserver: {{ name: a }}\ncategories: {{ a: {{ summary: A. }} }}\noperations:\n{operations}"
    );
    let problems = load(&yaml).unwrap_err().to_string();
    assert!(problems.contains("there are 10001 operations, resources and prompts"), "{problems}");
}

#[test]
fn large_and_deep_input_is_refused() {
    let large = " ".repeat(4 * 1024 * 1024 + 1);
    assert_eq!(load(&large).unwrap_err().iter().next().unwrap().message(), "the file is too large");
    let deep = format!("toolwrit: 1\nserver: {}", "{ a: ".repeat(100));
    let problems = load(&deep).unwrap_err();
    assert_eq!(problems.iter().next().unwrap().message(), "the YAML is nested too deeply");
}

#[test]
fn types_that_expand_too_far_are_refused_before_expansion() {
    let mut yaml = "toolwrit: 1\nserver: { name: x }\ntypes:\n  T0: string\n".to_owned();
    for level in 1..200 {
        writeln!(yaml, "  T{level}: {{ fields: {{ a: T{0}, b: T{0}, c: T{0} }} }}", level - 1)
            .unwrap();
    }
    let problems = load(&yaml).unwrap_err();
    assert!(problems.iter().all(|problem| problem.severity() == Severity::Error));
    assert!(
        problems
            .iter()
            .next()
            .unwrap()
            .message()
            .contains("bytes with all its references expanded")
    );
}
