//! The environment variables of a server begin with its own name.

use std::path::Path;

use super::program::{Run, command, run};

#[test]
fn variables_of_another_server_do_not_count() {
    let own = ids(&lab(&[], &["list", "--json"]));
    let noted = lab(&[("TOOLWRIT_ROLE", "of-the-vault")], &["list", "--json"]);
    assert_eq!(noted.stderr.trim(), "note: TOOLWRIT_ROLE=of-the-vault is not for lab");
    assert_eq!(ids(&noted), own);
    for (variable, value) in [("TOOLWRIT_SURFACE", "nonsense"), ("TOOLWRIT_CONFIG", "/nowhere")] {
        let silent = lab(&[(variable, value)], &["list", "--json"]);
        assert_eq!(silent.stderr, "", "{variable}");
        assert_eq!(ids(&silent), own, "{variable}");
    }
}

#[test]
fn its_own_variables_set_its_flags() {
    let unknown = lab(&[("LAB_ROLE", "of-the-vault")], &["list"]);
    assert_eq!(unknown.code, Some(3), "{unknown:?}");
    let by_flag = ids(&lab(&[], &["list", "--json", "--role", "onlooker"]));
    assert_eq!(ids(&lab(&[("LAB_ROLE", "onlooker")], &["list", "--json"])), by_flag);
    let missing = lab(&[("LAB_CONFIG", "/nowhere")], &["list"]);
    assert_eq!(missing.code, Some(3), "{missing:?}");
    let help = lab(&[], &["serve", "--help"]).ok();
    assert!(help.contains("[env: LAB_ROLE]") && !help.contains("TOOLWRIT_ROLE"), "{help}");
}

#[test]
fn what_restricts_counts_for_every_server() {
    let reads = ids(&lab(&[], &["list", "--json", "--read-only"]));
    assert_eq!(ids(&lab(&[("TOOLWRIT_READ_ONLY", "true")], &["list", "--json"])), reads);
    // A name that the server has is meant for it, too.
    let visitor = ids(&lab(&[], &["list", "--json", "--role", "onlooker"]));
    assert_eq!(ids(&lab(&[("TOOLWRIT_ROLE", "onlooker")], &["list", "--json"])), visitor);
    let both = [("TOOLWRIT_ROLE", "of-the-vault"), ("LAB_ROLE", "onlooker")];
    let own = lab(&both, &["list", "--json"]);
    assert_eq!(own.stderr, "");
    assert_eq!(ids(&own), visitor);
}

fn lab(variables: &[(&str, &str)], arguments: &[&str]) -> Run {
    let mut command = command(Path::new(env!("CARGO_BIN_EXE_lab")));
    run(command.envs(variables.iter().copied()).args(arguments))
}

/// The operations that `list --json` printed.
fn ids(run: &Run) -> Vec<String> {
    assert_eq!(run.code, Some(0), "{run:?}");
    let listed = run.json();
    let operations = listed["operations"].as_array().expect("operations");
    operations.iter().map(|operation| operation["id"].as_str().expect("an id").to_owned()).collect()
}
