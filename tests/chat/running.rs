//! `run`: blocks that call operations.

use serde_json::json;

use crate::chat::desk::{AUDIT, Desk, stable};

const READ: &str = "Text.\n\n```toolwrit\ntool: vault.read\npath: Audit.md\n```\n\nMore.\n";

#[test]
fn a_block_is_run_and_run_again() {
    let desk = Desk::new([]);
    desk.write("Board.md", READ);
    let done = desk.run(&["run", "Board"]);
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    assert!(done.out.starts_with("Board:3: vault.read ok"), "{}", done.out);
    let shown = stable(&desk.text("Board.md"));
    let shown: Vec<&str> = shown.lines().filter(|line| !line.contains("etag")).collect();
    insta::assert_snapshot!(shown.join("\n"));
    desk.write("Audit.md", "Another text.\n");
    assert_eq!(desk.run(&["run", "Board"]).code, Some(0));
    let text = desk.text("Board.md");
    assert!(text.contains("Another text.") && !text.contains("due in May"), "{text}");
    assert_eq!(text.matches("> [!tool|").count(), 1, "{text}");
}

#[test]
fn edited_results_stay_unless_they_are_asked_for_again() {
    let desk = Desk::new([]);
    desk.write("Board.md", READ);
    desk.run(&["run", "Board"]);
    let edited = desk.text("Board.md").replace("in May", "in June, I think");
    desk.write("Board.md", &edited);
    let done = desk.run(&["run", "Board"]);
    assert!(done.out.contains("edited"), "{}", done.out);
    assert_eq!(desk.text("Board.md"), edited);
    assert_eq!(desk.run(&["run", "Board", "--again"]).code, Some(0));
    assert!(!desk.text("Board.md").contains("June"));
}

#[test]
fn results_are_checked_without_a_change() {
    let desk = Desk::new([]);
    desk.write("Board.md", READ);
    assert_eq!(desk.run(&["run", "Board", "--check"]).code, Some(1), "there is no result");
    desk.run(&["run", "Board"]);
    let text = desk.text("Board.md");
    assert_eq!(desk.run(&["run", "Board", "--check"]).code, Some(0));
    desk.write("Audit.md", "Another text.\n");
    let done = desk.run(&["run", "Board", "--check", "--json"]);
    assert_eq!((done.code, &done.json()["outcome"]), (Some(1), &json!("different")));
    assert_eq!(desk.text("Board.md"), text);
}

#[test]
fn writes_need_a_focus_mode_and_consent() {
    let desk = Desk::new([]);
    let block = "```toolwrit\ntool: vault.append\npath: Audit.md\ncontent: More.\n```\n";
    desk.write("Board.md", block);
    let done = desk.run(&["run", "Board"]);
    assert_eq!(done.code, Some(1));
    assert!(done.out.contains("WRITES_DISABLED") && done.out.contains("--focus"), "{}", done.out);
    assert_eq!(desk.run(&["run", "Board", "--focus", "full"]).code, Some(1));
    assert_eq!(desk.text("Audit.md"), AUDIT);
    let waiting = desk.run(&["run", "Board", "--focus", "full", "--json"]).json();
    let id = waiting["id"].as_str().unwrap();
    let done = desk.run(&["run", "Board", "--focus", "full", "--approve", id]);
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    assert_eq!(desk.text("Audit.md").matches("More.").count(), 1);
    let done = desk.run(&["run", "Board", "--focus", "full", "--allow", "vault.append"]);
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    assert_eq!(desk.text("Audit.md").matches("More.").count(), 2, "a person runs it again");
}

#[test]
fn single_blocks_of_a_category_are_previewed_and_run() {
    let desk = Desk::new([]);
    desk.write(
        "Board.md",
        &format!("{READ}\n```vault\ntool: tags\n```\n\n```vault\nother code\n```\n"),
    );
    let done = desk.run(&["run", "Board", "--dry-run", "--json"]);
    assert_eq!(done.out.lines().count(), 2, "{}", done.out);
    assert_eq!(desk.run(&["run", "Board", "--block", "2"]).code, Some(0));
    let text = desk.text("Board.md");
    assert!(text.contains("`vault.tags`") && !text.contains("`vault.read`"), "{text}");
    let done = desk.run(&["run", "Board", "--block", "3"]);
    assert!(done.err.contains("there is no block 3"), "{}", done.err);
}

#[test]
fn a_short_name_in_a_block_of_a_category_is_refused_for_its_true_reason() {
    let desk = Desk::new([]);
    desk.write("Board.md", "```vault\ntool: append\npath: Audit.md\ncontent: More.\n```\n");
    let done = desk.run(&["run", "Board"]);
    assert_eq!(done.code, Some(1));
    assert!(done.out.contains("WRITES_DISABLED") && done.out.contains("--focus"), "{}", done.out);
    let allowed = ["run", "Board", "--focus", "full", "--allow", "vault.append"];
    assert_eq!(desk.run(&allowed).code, Some(0));
    assert!(desk.text("Audit.md").contains("More."));
    desk.write("Board.md", "```vault\ntool: appendd\n```\n");
    let done = desk.run(&["run", "Board"]);
    assert!(done.out.contains("TOOL_NOT_FOUND"), "{}", done.out);
    assert!(!done.out.contains("this request"), "{}", done.out);
}

#[test]
fn mistakes_in_blocks_have_their_line() {
    let desk = Desk::new([]);
    desk.write("Board.md", "```toolwrit\npath: Audit.md\n```\n");
    let done = desk.run(&["run", "Board"]);
    assert_eq!(done.code, Some(3));
    assert!(done.err.contains("Board.md:1: the block names no tool"), "{}", done.err);
    desk.write("Board.md", "```toolwrit\ntool: vault.raed\npath: Audit.md\n```\n");
    let done = desk.run(&["run", "Board"]);
    assert_eq!(done.code, Some(1));
    assert!(done.out.contains("TOOL_NOT_FOUND"), "{}", done.out);
    assert!(done.out.contains("Did you mean vault.read"), "{}", done.out);
}

#[test]
fn a_block_that_is_still_written_keeps_no_other_from_running() {
    let desk = Desk::new([]);
    desk.write("Board.md", &format!("```toolwrit\ntool:\n```\n\n{READ}"));
    let done = desk.run(&["run", "Board", "--block", "2"]);
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    assert!(desk.text("Board.md").contains("`vault.read` · ok"));
    for arguments in [&["run", "Board"][..], &["run", "Board", "--block", "1"]] {
        let done = desk.run(arguments);
        assert_eq!(done.code, Some(3), "{}", done.out);
        assert!(done.err.contains("Board.md:2: "), "{}", done.err);
    }
}
