//! Patches of notes agree with the library `markdown-patch`, which Obsidian's Local REST API uses, or
//! differ for a reason that is given here.
//!
//! `tests/markdown-patch/install` installs the library.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};
use toolwrit_vault::patch::{
    Action, IfPresent, IfTargetMissing, Patch, PatchContent, PatchScope, PatchTarget,
};
use toolwrit_vault::target::{BlockId, HeadingPath};
use toolwrit_vault::{Vault, VaultError, VaultPath};

const INSTALL: &str = "tests/markdown-patch/install";

const NOTE: &str = "---\na: x\nlist:\n  - b\nmap:\n  c: d\n---\n\n# One\n\nalpha\n\n## Two\n\nbeta\n\n# Three\n\ngamma ^id\n\n| h | i |\n| --- | --- |\n| 1 | 2 |\n\n^tab\n";

/// The result of a patch: the note, or `None` if it is refused.
type Outcome = Option<String>;

/// A note and an instruction in the library's format.
struct Case {
    note: &'static str,
    patch: Value,
}

fn case(note: &'static str, patch: Value) -> Case {
    Case { note, patch }
}

fn heading(operation: &str, target: &[&str], content: &str) -> Value {
    json!({"targetType": "heading", "target": target, "operation": operation, "content": content})
}

fn block(operation: &str, target: &str, content: &str) -> Value {
    json!({"targetType": "block", "target": target, "operation": operation, "content": content})
}

fn rows(operation: &str, target: &str, content: &Value) -> Value {
    let kind = "application/json";
    json!({"targetType": "block", "target": target, "operation": operation, "contentType": kind, "content": content})
}

fn property(operation: &str, target: &str, content: &Value) -> Value {
    let kind = "application/json";
    json!({"targetType": "frontmatter", "target": target, "operation": operation, "contentType": kind, "content": content})
}

fn creating(mut patch: Value) -> Value {
    patch["createTargetIfMissing"] = json!(true);
    patch
}

/// The library's result of each case.
fn theirs(cases: &[Case]) -> Option<Vec<Outcome>> {
    let folder = workspace().join("tests/markdown-patch");
    let node = Path::new("node");
    let package = folder.join("node_modules/markdown-patch");
    if !met(&[Need::Program(node, (22, 0)), Need::File(&package)], INSTALL) {
        return None;
    }
    let mut command = Command::new(node);
    command.arg(folder.join("apply.mjs")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let input: Value =
        cases.iter().map(|case| json!({"note": case.note, "patch": case.patch})).collect();
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let outcomes: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    Some(outcomes.iter().map(|outcome| outcome["note"].as_str().map(str::to_owned)).collect())
}

/// The vault's result of a case.
fn ours(case: &Case) -> Outcome {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("Note.md"), case.note).unwrap();
    let vault = Vault::open(folder.path()).unwrap();
    let note = VaultPath::parse("Note.md").unwrap();
    let patch = translated(&case.patch)?;
    match vault.patch(&note, &patch, None) {
        Ok(_) => Some(fs::read_to_string(folder.path().join("Note.md")).unwrap()),
        Err(VaultError::NotPatched { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// The same instruction in the vault's format; `None` if the vault has no such target.
fn translated(patch: &Value) -> Option<Patch> {
    let target = &patch["target"];
    let target = match patch["targetType"].as_str().unwrap() {
        "heading" => {
            let headings: Vec<&str> =
                target.as_array()?.iter().map(|h| h.as_str().unwrap()).collect();
            PatchTarget::Heading(HeadingPath::new(&headings).ok()?)
        }
        "block" => PatchTarget::Block(BlockId::parse(target.as_str().unwrap()).ok()?),
        _ => PatchTarget::Property(target.as_str().unwrap().to_owned()),
    };
    let content = match &patch["content"] {
        Value::String(text) => PatchContent::Text(text.clone()),
        value => PatchContent::Value(value.clone()),
    };
    let action = match patch["operation"].as_str().unwrap() {
        "append" => Action::Append(content),
        "prepend" => Action::Prepend(content),
        _ => Action::Replace(content),
    };
    let creates = patch["createTargetIfMissing"] == json!(true);
    // The library refuses text that already exists unless told otherwise, but never a value.
    let rejects = patch["applyIfContentPreexists"] != json!(true) && patch["contentType"].is_null();
    Some(Patch {
        target,
        action,
        scope: PatchScope::Content,
        if_missing: if creates { IfTargetMissing::Create } else { IfTargetMissing::Fail },
        if_present: if rejects { IfPresent::Reject } else { IfPresent::Apply },
    })
}

/// A note without what the engine controls: blank lines and line endings.
fn without_blank_lines(note: &str) -> Vec<&str> {
    note.lines().filter(|line| !line.trim().is_empty()).collect()
}

#[test]
fn common_patches_give_the_same_result() {
    let crlf: &'static str = NOTE.replace('\n', "\r\n").leak();
    let list = "- one ^i\n  - two ^j\n- three\n";
    let cases = [
        case(NOTE, heading("append", &["Three"], "\nmore\n")),
        case(NOTE, heading("append", &["One", "Two"], "more\n\n")),
        case(NOTE, heading("append", &["One"], "more\n\n")),
        case(crlf, heading("append", &["One", "Two"], "more\r\n\r\n")),
        case(NOTE, heading("prepend", &["One"], "\nnew\n")),
        case(NOTE, heading("replace", &["One", "Two"], "\nnew\n\n")),
        case(NOTE, heading("replace", &["One"], "\nnew\n\n")),
        case(NOTE, heading("append", &["Two"], "not there")),
        case(NOTE, heading("append", &["One"], "beta")),
        case("```\n# B\n```\n", heading("append", &["B"], "not a heading\n")),
        case("> # B\n", heading("append", &["B"], "not a heading\n")),
        case(NOTE, block("append", "id", "\nmore")),
        case(NOTE, block("append", "id", " more")),
        case(crlf, block("append", "id", " more")),
        case(NOTE, block("prepend", "id", "a ")),
        case(NOTE, block("prepend", "id", "a\n")),
        case(NOTE, block("replace", "id", "new")),
        case(NOTE, block("append", "no", "not there")),
        case(NOTE, block("append", "tab", "| 3 | 4 |\n")),
        case(list, block("append", "j", " x")),
        case("- a\n\n  b ^x\n", block("append", "x", " c")),
        case(NOTE, rows("append", "tab", &json!([["3", "4"]]))),
        case(NOTE, rows("append", "tab", &json!(["3", "4"]))),
        case(NOTE, rows("prepend", "tab", &json!([["3", "4"]]))),
        case(NOTE, rows("replace", "tab", &json!([["3", "4"], ["5", "6"]]))),
        case(NOTE, rows("append", "tab", &json!([["too few"]]))),
        case(NOTE, property("replace", "a", &json!("y"))),
        case(NOTE, property("replace", "a", &json!(["y"]))),
        case(NOTE, property("append", "a", &json!("y"))),
        case(NOTE, property("append", "list", &json!(["y"]))),
        case(crlf, property("append", "list", &json!(["y"]))),
        case(NOTE, property("prepend", "list", &json!(["y"]))),
        case(NOTE, property("append", "map", &json!({"y": 1, "c": 2}))),
        case(NOTE, property("append", "list", &json!("not a list"))),
        case(NOTE, property("append", "no", &json!(["not there"]))),
        case(NOTE, creating(property("append", "no", &json!(["y"])))),
        case("x\n", creating(property("replace", "no", &json!("y")))),
        case("---\na: [\n---\n", property("replace", "a", &json!("y"))),
    ];
    let Some(theirs) = theirs(&cases) else { return };
    for (case, theirs) in cases.iter().zip(theirs) {
        assert_eq!(ours(case), theirs, "{:?} {}", case.note, case.patch);
    }
}

/// Added text is separated by blank lines and gets the note's line endings, whatever its own ends are. The
/// library inserts the text unchanged.
#[test]
fn blank_lines_follow_the_engines_rules() {
    let crlf: &'static str = NOTE.replace('\n', "\r\n").leak();
    let cases = [
        case(NOTE, heading("append", &["One"], "more\n")),
        case(crlf, heading("append", &["One", "Two"], "more\n\n")),
        case("# A\n\na\n", heading("append", &["A"], "b\n")),
        case("# A\n\na", heading("append", &["A"], "\nb")),
        case("Under\n===\na\n", heading("append", &["Under"], "c\n")),
        case(NOTE, heading("prepend", &["One"], "new\n\n")),
        case(NOTE, creating(heading("append", &["One", "New"], "text\n"))),
        case(NOTE, creating(heading("append", &["One", "Two", "New"], "text\n"))),
        case(NOTE, creating(heading("append", &["New", "Newer"], "text\n"))),
        case(NOTE, block("append", "tab", "\n| 3 | 4 |")),
        case(NOTE, creating(block("append", "n", "new"))),
    ];
    let Some(theirs) = theirs(&cases) else { return };
    for (case, theirs) in cases.iter().zip(theirs) {
        let (ours, theirs) = (ours(case).unwrap(), theirs.unwrap());
        assert_ne!(ours, theirs, "{:?} {}", case.note, case.patch);
        let lines = (without_blank_lines(&ours), without_blank_lines(&theirs));
        assert_eq!(lines.0, lines.1, "{:?} {}", case.note, case.patch);
    }
}

/// The intended differences: the case, and our result.
fn differences() -> Vec<(Case, Option<&'static str>)> {
    let (list, quote) = ("- one ^i\n  - two ^j\n- three\n", "> q\n\n^q\n");
    let (fence, mark) = ("```\nx\n```\n\n^q\n", "\u{feff}---\na: x\n---\n");
    vec![
        // Text is on its own lines; the library joins it to the neighbouring text.
        (case("# A\na\n# B\n", heading("append", &["A"], "b")), Some("# A\na\n\nb\n# B\n")),
        (case("# A\na\n# B\n", heading("replace", &["A"], "b")), Some("# A\nb\n# B\n")),
        (case("# A\n\na", heading("append", &["A"], "b")), Some("# A\n\na\n\nb")),
        (case("a ^i\n", block("append", "i", "b")), Some("a\nb ^i\n")),
        // The block is an item's own text, without its mark and its nested items. The library finds no item
        // with nested ones, and replaces the mark of others.
        (case(list, block("append", "i", " x")), Some("- one x ^i\n  - two ^j\n- three\n")),
        (case(list, block("replace", "j", "x")), Some("- one ^i\n  - x ^j\n- three\n")),
        // An id below a block names all of it; the library omits the last character.
        (case(quote, block("append", "q", "\n> r")), Some("> q\n> r\n\n^q\n")),
        (case(quote, block("replace", "q", "> r")), Some("> r\n\n^q\n")),
        (case("- q\n\n^q\n", block("append", "q", "\n- r")), Some("- q\n- r\n\n^q\n")),
        (case("a\n\n^q\n", block("replace", "q", "b")), Some("b\n\n^q\n")),
        (case(fence, block("replace", "q", "~~~\n~~~")), Some("~~~\n~~~\n\n^q\n")),
        // After a patch, an id names the same block.
        (case(fence, block("append", "q", "\ny")), None),
        // An id that Obsidian does not read is not an id.
        (case("x ^a_b\n", block("replace", "a_b", "y")), None),
        // An ambiguous name is refused; the library takes the last match.
        (case("# A\na\n# A\nb\n", heading("append", &["A"], "c\n")), None),
        (case("x ^a\n\ny ^a\n", block("replace", "a", "z")), None),
        // A comment has no headings.
        (case("# A\n%%\n# B\n%%\n", heading("append", &["B"], "c\n")), None),
        // A created heading is one level below its parent; the library counts the path.
        (
            case("### A\n", creating(heading("append", &["A", "B"], "c\n"))),
            Some("### A\n#### B\nc\n"),
        ),
        // Cells are escaped, and tables with any line ending have rows.
        (
            case("| h |\n|---|\n| 1 |\n\n^t\n", rows("append", "t", &json!([["a|b"]]))),
            Some("| h |\n|---|\n| 1 |\n| a\\|b |\n\n^t\n"),
        ),
        (
            case("| h |\r\n|---|\r\n| 1 |\r\n\r\n^t\r\n", rows("append", "t", &json!([["2"]]))),
            Some("| h |\r\n|---|\r\n| 1 |\r\n| 2 |\r\n\r\n^t\r\n"),
        ),
        // Frontmatter is spliced; the library rewrites it.
        (
            case("---\na: 'x' # c\nb: 00123\n---\n", property("replace", "a", &json!("y"))),
            Some("---\na: 'y' # c\nb: 00123\n---\n"),
        ),
        // A byte order mark does not cause a second frontmatter.
        (case(mark, property("replace", "a", &json!("y"))), Some("\u{feff}---\na: y\n---\n")),
        (
            case(mark, creating(property("replace", "b", &json!("y")))),
            Some("\u{feff}---\na: x\nb: y\n---\n"),
        ),
        // Content can be added to a property without a value.
        (
            case("---\na:\n---\n", property("append", "a", &json!(["y"]))),
            Some("---\na:\n  - y\n---\n"),
        ),
        // The whole note is not a target: `vault.append` adds to its end.
        (
            case(
                NOTE,
                json!({"targetType": "heading", "target": null, "operation": "append", "content": "z\n"}),
            ),
            None,
        ),
    ]
}

#[test]
fn the_differences_are_the_intended_ones() {
    let (cases, expected): (Vec<_>, Vec<_>) = differences().into_iter().unzip();
    let Some(theirs) = theirs(&cases) else { return };
    for ((case, expected), theirs) in cases.iter().zip(expected).zip(theirs) {
        assert_eq!(ours(case).as_deref(), expected, "{:?} {}", case.note, case.patch);
        assert_ne!(theirs.as_deref(), expected, "{:?} {}", case.note, case.patch);
    }
}
