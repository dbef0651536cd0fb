//! `--manifest FILE`: the authoring commands on an authority that the program was not built from.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolwrit_tests::program::workspace;

use crate::cli::program::{Run, lab, toolwrit};

fn of_lab() -> PathBuf {
    workspace().join("tests/lab/authority.yaml")
}

/// Runs the shipped program with a manifest.
fn with_manifest(manifest: &Path, arguments: &[&str]) -> Run {
    let manifest = manifest.to_str().expect("a plain path");
    toolwrit(Path::new("/nowhere"), &[arguments, &["--manifest", manifest]].concat())
}

#[test]
fn tokens_of_a_manifest_equal_those_of_its_program() {
    for arguments in [&["tokens", "--json"][..], &["tokens", "--json", "--read-only"]] {
        assert_eq!(with_manifest(&of_lab(), arguments).json(), lab(arguments).json());
    }
    let own = workspace().join("manifest/authority.yaml");
    let built = toolwrit(Path::new("/nowhere"), &["tokens", "--json"]).json();
    assert_eq!(with_manifest(&own, &["tokens", "--json"]).json(), built);
}

#[test]
fn budgets_of_a_manifest_are_checked() {
    let (file, built) = (with_manifest(&of_lab(), &["check", "--json"]), lab(&["check", "--json"]));
    assert_eq!((file.code, built.code), (Some(3), Some(3)));
    let (file, built) = (file.json(), built.json());
    assert_eq!(file["budgets"], built["budgets"]);
    assert_eq!(file["budgets"][1]["surface"], "meta");
}

#[test]
fn schema_and_scaffold_use_the_given_manifest() {
    let operation = lab(&["list", "--json"]).json()["operations"][0]["id"].take();
    let operation = operation.as_str().expect("an id");
    let schema = with_manifest(&of_lab(), &["schema", operation]).json();
    assert_eq!(schema, lab(&["schema", operation]).json());
    let stub = with_manifest(&of_lab(), &["scaffold", operation]).ok();
    assert_eq!(stub, lab(&["scaffold", operation]).ok());
}

#[test]
fn docs_build_uses_the_given_manifest() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("site");
    let out = out.to_str().expect("a plain path");
    let run = with_manifest(&of_lab(), &["docs", "build", "--out", out]);
    assert!(run.ok().contains(" pages, from "));
    let pages = std::fs::read_dir(out).expect("a site").count();
    assert!(pages > 1, "{pages}");
}

#[test]
fn an_invalid_manifest_is_reported_before_anything_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("authority.yaml");
    std::fs::write(&file, "toolwrit: 1\nserver: { nam: x }\n").expect("a file");
    for arguments in [&["tokens"][..], &["docs", "build"], &["schema", "a.b"], &["check"]] {
        let run = with_manifest(&file, arguments);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stderr.contains("unknown key `nam`"), "{run:?}");
    }
    let verdict = with_manifest(&file, &["check", "--json"]).json();
    assert_eq!((&verdict["valid"], &verdict["budgets"]), (&Value::Bool(false), &json!([])));
}
