//! Limits of calls: how an operator sets them, and the reports of mistakes.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli::program::{Run, command, run};

fn lab(arguments: &[&str]) -> Run {
    run(command(Path::new(env!("CARGO_BIN_EXE_lab"))).args(arguments))
}

/// With this configuration file.
fn configured(text: &str, arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("config.toml");
    std::fs::write(&file, text).expect("a file");
    let file = file.display().to_string();
    lab(&[arguments, &["--config", &file]].concat())
}

#[test]
fn invalid_limits_are_refused() {
    for (flag, value, expected) in [
        ("--session-calls", "0", "expected a whole number of at least 1, or -1 for no limit"),
        ("--session-calls", "-2", "expected a whole number of at least 1, or -1 for no limit"),
        ("--session-calls", "many", "expected a whole number of at least 1, or -1 for no limit"),
        ("--timeout", "30", "expected one such as 500ms, 30s, 2m or 1h"),
        ("--timeout", "0s", "expected one such as 500ms, 30s, 2m or 1h"),
        ("--timeout", "-5s", "expected one such as 500ms, 30s, 2m or 1h"),
    ] {
        let failed = lab(&["serve", &format!("{flag}={value}"), "--print-config"]);
        assert_eq!(failed.code, Some(2), "{flag} {value}: {}", failed.stderr);
        assert!(failed.stderr.contains(expected), "{flag} {value}: {}", failed.stderr);
    }
}

#[test]
fn mistakes_in_an_operations_table_are_reported_with_their_places() {
    let text = "[operations.\"lab.hasty\"]\ntimeout = \"soon\"\n[operations.\"lab.wait\"]\ntimout = \"1s\"\n\
                [operations.\"lab.hsty\"]\n[operations.lab.echo]\ntimeout = \"1s\"\n";
    let failed = configured(text, &["list"]);
    assert_eq!(failed.code, Some(3), "{}", failed.stderr);
    for expected in [
        "2:11: `soon` is not a positive duration; expected one such as 500ms, 30s, 2m or 1h",
        "4:1: unknown key `timout`; expected timeout",
        "5:13: unknown operation `lab.hsty`; did you mean `lab.hasty`?",
        "6:13: `lab` is a category; put the id in quotes: [operations.\"lab.name\"]",
    ] {
        assert!(failed.stderr.contains(expected), "{expected} in {}", failed.stderr);
    }
    for text in ["operations = 1\n", "[operations]\n\"lab.wait\" = \"1s\"\n"] {
        let failed = configured(text, &["list"]);
        assert_eq!(failed.code, Some(3), "{}", failed.stderr);
        assert!(failed.stderr.contains("expected a table"), "{}", failed.stderr);
    }
}

#[test]
fn print_config_prints_equivalent_limits() {
    let text =
        "timeout = \"2m\"\nsession_calls = -1\n\n[operations.\"lab.hasty\"]\ntimeout = \"500ms\"\n";
    let first = configured(text, &["serve", "--print-config"]).ok();
    for line in ["timeout = \"2m\"", "session_calls = \"-1\"", "[operations.\"lab.hasty\"]"] {
        assert!(first.contains(line), "{line} in {first}");
    }
    let second = configured(&first, &["serve", "--print-config"]).ok();
    let values = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split(" # ").next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(values(&first), values(&second));
    let schema: Value = lab(&["schema", "--configuration"]).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let timeout = |value: Value| json!({"operations": {"lab.hasty": {"timeout": value}}});
    assert!(validator.is_valid(&timeout("5s".into())));
    assert!(!validator.is_valid(&timeout(5.into())));
    assert!(!validator.is_valid(&json!({"operations": {"lab.hasty": {"concurrency": 5}}})));
}
