//! `call`: flags from the manifest, results, failures, confirmation.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::json;
use toolwrit_tests::vaults;

use crate::cli::program::{Run, command, lab, toolwrit, toolwrit_answered};

#[test]
fn every_kind_of_parameter_has_a_flag() {
    let told = lab(&[
        "call",
        "lab.shapes",
        "--text",
        "abc",
        "--whole",
        "-3",
        "--real=-1.5",
        "--flag",
        "--day",
        "2026-05-01",
        "--moment",
        "2026-05-01T09:30:00Z",
        "--colour",
        "blue",
        "--choice",
        "left",
        "--list",
        "1",
        "--list",
        "2",
        "--grid",
        r#"["a"]"#,
        "--map",
        r#"{"k": 2.5}"#,
        "--point",
        r#"{"x": 1, "y": 2}"#,
        "--points",
        r#"{"x": 3, "y": 4}"#,
        "--anything",
        "[null]",
    ])
    .ok();
    for part in [
        r#"text: "abc""#,
        "whole: -3",
        "real: Some(-1.5)",
        "flag: true",
        "day: Some(2026-05-01)",
        "moment: Some(2026-05-01T09:30:00Z)",
        "colour: Blue",
        "choice: Some(Left)",
        "list: Some([1, 2])",
        r#"grid: Some([["a"]])"#,
        r#"map: Some({"k": 2.5})"#,
        "point: Some(Point { x: 1, y: 2, label: None })",
        "points: Some([Point { x: 3, y: 4, label: None }])",
        "anything: Some(Array [Null])",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
}

#[test]
fn text_that_is_not_json_is_text() {
    for (given, meant) in
        [("done", r#"String("done")"#), ("5", "Number(5)"), ("- {", r#"String("- {")"#)]
    {
        let told =
            lab(&["call", "lab.shapes", "--text", "abc", "--whole", "1", "--anything", given]);
        assert!(told.ok().contains(&format!("anything: Some({meant})")), "{given}");
    }
    let help = lab(&["call", "lab.shapes", "--help"]).ok();
    assert!(help.contains("--anything <VALUE>") && help.contains("[JSON, or else text]"), "{help}");
}

#[test]
fn a_boolean_may_follow_its_flag() {
    let shapes = ["call", "lab.shapes", "--text", "abc", "--whole", "1"];
    for (flag, meant) in
        [(&["--flag"][..], true), (&["--flag", "false"], false), (&["--flag=false"], false)]
    {
        let told = lab(&[&shapes, flag].concat()).ok();
        assert!(told.contains(&format!("flag: {meant}")), "{flag:?}: {told}");
    }
}

#[test]
fn invalid_flags_are_a_usage_error() {
    let fit = ["call", "lab.shapes", "--args", "{}"];
    for (wrong, said) in [
        (&["--whole", "x"][..], "`whole` must be an integer from -3 to 12"),
        (&["--text", "ABC"], "`text` must be"),
        (&["--colour", "gren"], "possible values: red, green, blue"),
        (&["--flag=maybe"], "--flag"),
        (&["--point", "{"], "not JSON"),
        (&["--colur", "red"], "--colour"),
        (&["stray"], "stray"),
    ] {
        let run = lab(&[&fit, wrong].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(said), "{said} is not in {}", run.stderr);
        assert_eq!(run.stdout, "");
    }
    let run = lab(&["call", "lab.shapes"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("lab.shapes --text <TEXT> --whole <INTEGER> [OPTIONS]"), "{run:?}");
}

#[test]
fn a_value_that_does_not_match_an_expression_is_explained() {
    let vault = toolwrit_tests::vaults::empty();
    let read = ["call", "vault.read", "--path", "Inbox", "--lines", "x"];
    let run = crate::cli::program::toolwrit(vault.path(), &read);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("Only these lines: 3, 3-9 or 3-."), "{run:?}");
    let args = ["call", "vault.read", "--json", "--args", r#"{"path": "Inbox", "lines": "x"}"#];
    let run = crate::cli::program::toolwrit(vault.path(), &args);
    assert_eq!(run.failure(), "VALIDATION_ERROR");
    assert_eq!(run.json()["error"]["hint"], "Only these lines: 3, 3-9 or 3-.");
}

#[test]
fn args_are_json_and_flags_add_to_them() {
    let run = lab(&["call", "lab.echo", "--args", r#"{"text": "one"}"#, "--json"]);
    assert_eq!(run.ok(), "{\"text\":\"one\"}\n");
    let run = lab(&["call", "--json", "lab.echo", "--args", r#"{"text": "one"}"#, "--text", "two"]);
    assert_eq!(run.json(), json!({"text": "two"}));
    assert_eq!(lab(&["call", "lab.echo", "--args", "[]"]).code, Some(2));
    let run = lab(&["call", "lab.echo", "--args", r#"{"txt": "one"}"#, "--json"]);
    assert_eq!(run.failure(), "VALIDATION_ERROR");
    assert_eq!(run.json()["error"]["did_you_mean"], json!(["text"]));
}

#[test]
fn args_can_be_read_from_standard_input() {
    let mut child = command(Path::new(env!("CARGO_BIN_EXE_lab")))
        .args(["call", "lab.echo", "--args", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("a pipe").write_all(br#"{"text": "piped"}"#).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "text: piped\n");
}

#[test]
fn text_may_begin_with_a_hyphen() {
    assert_eq!(lab(&["call", "lab.echo", "--text", "- [ ] milk"]).ok(), "text: - [ ] milk\n");
}

#[test]
fn results_are_readable_text_unless_json_is_requested() {
    assert_eq!(lab(&["call", "lab.names"]).ok(), "one\ntwo\n");
    assert_eq!(lab(&["call", "lab.names", "--json"]).ok(), "[\"one\",\"two\"]\n");
    assert_eq!(lab(&["call", "lab.point", "--x", "1", "--fields", "y"]).ok(), "y: 2\n");
    assert_eq!(lab(&["call", "lab_text", "--bytes", "4", "--json"]).ok(), "\"éé\"\n");
}

#[test]
fn failures_are_readable_text_or_json() {
    let run = lab(&["call", "lab.defect", "--secret", "shadow"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("error[INTERNAL]: A defect in the server"), "{run:?}");
    assert!(run.stderr.contains("  hint: "), "{run:?}");
    let run = lab(&["call", "lab.defect", "--secret", "shadow", "--json"]);
    assert_eq!(run.failure(), "INTERNAL");
    assert!(!run.stdout.contains("shadow"));
    assert_eq!(lab(&["call", "lab.hasty", "--millis", "5000", "--json"]).failure(), "TIMEOUT");
}

#[test]
fn an_unknown_operation_has_a_suggestion() {
    let run = lab(&["call", "lab.ehco", "--text", "x", "--json"]);
    assert_eq!(run.failure(), "TOOL_NOT_FOUND");
    assert_eq!(run.json()["error"]["did_you_mean"], json!(["lab.echo"]));
    let run = lab(&["call", "lab.ehco"]);
    assert!(run.stderr.contains("did you mean: lab.echo"), "{run:?}");
}

#[test]
fn call_applies_the_policy() {
    let vault = vaults::empty();
    let call = |flags: &[&str]| {
        let write = ["call", "vault.write", "--path", "A.md", "--content", "x", "--json"];
        toolwrit(vault.path(), &[&write, flags].concat())
    };
    assert_eq!(call(&["--role", "reader"]).failure(), "TOOL_NOT_FOUND");
    assert_eq!(call(&["--read-only"]).failure(), "WRITES_DISABLED");
    assert_eq!(call(&["--focus", "read-only"]).failure(), "FOCUS_RESTRICTED");
    assert_eq!(call(&["--exclude", "vault.write"]).failure(), "TOOL_NOT_FOUND");
    let run = call(&["--role", "raeder"]);
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("did you mean `reader`?"), "{run:?}");
    assert!(!vault.path().join("A.md").exists());
}

#[test]
fn json_output_escapes_control_and_direction_characters() {
    let text = "a\u{202e}b\u{2066}c\u{200f}d\u{61c}e\u{85}f\u{9b}g\u{7f}h\u{2028}é日😀";
    let run = lab(&["call", "lab.echo", "--text", text, "--json"]);
    assert_eq!(run.json(), json!({ "text": text }), "the value is the same");
    for escape in ["\\u202e", "\\u2066", "\\u200f", "\\u061c", "\\u0085", "\\u009b"] {
        assert!(run.stdout.contains(escape), "{escape}: {run:?}");
    }
    assert!(run.stdout.contains("é日😀"), "{run:?}");
    let is_bare = |c: char| {
        c != '\n' && (c.is_control() || "\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}".contains(c))
    };
    assert!(!run.stdout.contains(is_bare), "{run:?}");
}

#[test]
fn destructive_operations_need_confirmation() {
    let vault = vaults::empty();
    let note = vault.path().join("Old.md");
    fs::write(&note, "old\n").expect("a note");
    let delete = |flags: &[&str]| -> Run {
        toolwrit(vault.path(), &[&["call", "vault.delete", "--path", "Old.md"], flags].concat())
    };
    let run = delete(&[]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("error[CONFIRMATION_REQUIRED]"), "{run:?}");
    assert_eq!(delete(&["--json"]).failure(), "CONFIRMATION_REQUIRED");
    // A call that the policy refuses does not ask.
    assert_eq!(delete(&["--json", "--role", "editor"]).failure(), "TOOL_NOT_FOUND");
    assert!(note.exists());
    let bulk = ["call", "vault.bulk_delete", "--match", "*.md", "--dry-run", "--json"];
    let run = toolwrit(vault.path(), &bulk);
    assert_eq!(run.json()["items"][0]["outcome"], "would_delete");
    assert!(note.exists());
    delete(&["--yes"]).ok();
    assert!(!note.exists());
}

#[test]
fn the_question_on_the_terminal_says_what_would_go() {
    let vault = vaults::empty();
    let folder = vault.path();
    fs::write(folder.join(".obsidian/app.json"), r#"{"trashOption": "none"}"#).expect("settings");
    let note = folder.join("Old.md");
    fs::write(&note, "old\n").expect("a note");
    let bulk = ["call", "vault.bulk_delete", "--match", "*.md"];
    let run = toolwrit_answered(folder, "n", &bulk);
    assert!(run.stderr.contains("error[CANCELLED]"), "{run:?}");
    for part in [r#"vault.bulk_delete {"match":"*.md""#, "Old.md", "permanently", "[y/N]"] {
        assert!(run.stderr.contains(part), "{part}: {run:?}");
    }
    assert!(note.exists());
    for number in 1..12 {
        fs::write(folder.join(format!("Old {number}.md")), "old\n").expect("a note");
    }
    let many = toolwrit_answered(folder, "n", &bulk);
    for line in
        ["items: 12", "  path: Old 1.md, outcome: would_delete", "  and 2 more", "total: 12"]
    {
        assert!(many.stderr.lines().any(|one| one.starts_with(line)), "{line}: {many:?}");
    }
    // What cannot be done is not asked about.
    let gone = toolwrit_answered(folder, "y", &["call", "vault.delete", "--path", "No.md"]);
    assert!(gone.stderr.contains("error[NOT_FOUND]") && !gone.stderr.contains("[y/N]"), "{gone:?}");
    toolwrit_answered(folder, "y", &bulk).ok();
    assert!(!note.exists());
}

#[test]
fn aliases_accept_older_and_current_parameters() {
    let vault = vaults::empty();
    fs::write(vault.path().join("A.md"), "one\ntwo\n").expect("a note");
    for flag in ["--filename", "--path"] {
        let run = toolwrit(vault.path(), &["call", "get_vault_file", flag, "A.md"]);
        assert!(run.stdout.starts_with("path: A.md\n"), "{run:?}");
        assert!(run.stdout.ends_with("\n\none\ntwo\n"), "{run:?}");
        assert!(run.stderr.contains("`get_vault_file` is now `vault.read`"), "{run:?}");
    }
}

#[test]
fn a_parameter_named_like_a_flag_gets_a_prefix() {
    let help = lab(&["call", "lab.clash", "--help"]).ok();
    assert!(help.contains("--param-json <TEXT>"), "{help}");
    assert!(
        help.contains("sets the parameter `json`; the shorter flag name is already used"),
        "{help}"
    );
    assert!(help.contains("lab call lab.clash --param-json \"it's\""), "{help}");
    let clash = ["call", "lab.clash", "--param-json", "x", "--param-args", "y", "--yes"];
    let told = lab(&clash).ok();
    assert!(told.contains(r#"json: "x", args: Some(["y"]), dry_run: false"#), "{told}");
    let told = lab(&["call", "lab_collide", "--text", "x", "--yes"]).ok();
    assert!(told.contains(r#"json: "x""#), "{told}");
}

#[test]
fn parameters_fixed_by_an_alias_have_no_flag() {
    let told = lab(&["call", "lab_rehearse", "--param-json", "x"]).ok();
    assert!(told.contains("dry_run: true"), "{told}");
    let run = lab(&["call", "lab_rehearse", "--param-json", "x", "--dry-run"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
fn help_after_an_operation_describes_it() {
    let help = lab(&["call", "lab.shapes", "--help"]).ok();
    for part in [
        "Take a value of every kind.",
        "--whole <INTEGER>",
        "[from -3 to 12]",
        "[possible values: red, green, blue]",
        "[default: green]",
        "[repeatable]",
        "--flag [<BOOLEAN>]",
        "Signature:\n  lab.shapes(",
    ] {
        assert!(help.contains(part), "{part} is not in {help}");
    }
    assert!(lab(&["call", "--help"]).ok().contains("Run one operation"));
    assert_eq!(lab(&["call"]).code, Some(2));
}
