//! Notes and sections that a conversation embeds are read as Obsidian finds them.

use serde_json::Value;
use toolwrit_tests::servers::model::Response;

use crate::chat::desk::Desk;

#[test]
fn embeds_are_read_and_links_are_on_request() {
    let desk = Desk::new([Response::text("In May."), Response::text("Yes.")]);
    desk.write("Chat.md", "Sum up ![[Audit#Audit]], not [[Audit]].\n");
    assert_eq!(desk.chat(&[]).code, Some(0));
    assert!(desk.text("Chat.md").contains(r#"{"path":"Audit.md","heading":"Audit"}"#));
    desk.write("Other.md", "And [[Audit]]?\n");
    assert_eq!(desk.run(&["chat", "Other", "--links"]).code, Some(0));
    assert!(desk.text("Other.md").contains(r#"{"path":"Audit.md"}"#));
}

#[test]
fn sections_are_embedded_as_obsidian_finds_them() {
    let embeds = "![[Plan#week 1]] ![[Plan#Plan#Monday]] ![[Plan#Two Monday]] ![[Plan#a b]] ![[Plan#None]]\n";
    let plan = "# Plan\n## Week 1\n### Monday\n## Two: Monday\n## a::b\n";
    let desk = Desk::new([Response::text("Read.")]);
    desk.write("Plan.md", plan);
    desk.write("Chat.md", embeds);
    assert_eq!(desk.chat(&[]).code, Some(0));
    let text = desk.text("Chat.md");
    for heading in [
        "Plan::Week 1",
        "Plan::Week 1::Monday",
        "Plan::Two: Monday",
        r#"[\"Plan\",\"a::b\"]"#,
        "None",
    ] {
        let arguments = format!(r#"{{"path":"Plan.md","heading":"{heading}"}}"#);
        assert!(text.contains(&arguments), "{arguments} in {text}");
    }
    assert_eq!(text.matches("`vault.read` · ok").count(), 4, "{text}");
}

#[test]
fn a_section_without_a_path_of_its_own_is_embedded_by_its_lines() {
    let desk = Desk::new([Response::text("Read.")]);
    desk.write(
        "Days.md",
        "---\nkind: log\n---\n# Days\n## Log\nfirst\n\n## Log\nsecond\n# \n## Tasks\nthird",
    );
    desk.write("Chat.md", "![[Days#Log]] ![[Days#Tasks]]\n");
    assert_eq!(desk.chat(&[]).code, Some(0));
    let text = desk.text("Chat.md");
    for part in [r#""lines":"5-7""#, r#""heading":"::Tasks""#] {
        let arguments = format!(r#"{{"path":"Days.md",{part}}}"#);
        assert!(text.contains(&arguments), "{arguments} in {text}");
    }
    assert_eq!(text.matches("`vault.read` · ok").count(), 2, "{text}");
}

/// What is shown before a request is what the model then gets.
#[test]
fn the_request_that_is_shown_has_what_the_note_embeds() {
    let desk = Desk::new([Response::text("In May.")]);
    let note = "Sum up ![[Audit]] and ![[None]].\n";
    desk.write("Chat.md", note);
    let shown = desk.chat(&["--dry-run", "--tools", "vault.read"]).json();
    assert_eq!(desk.text("Chat.md"), note);
    assert!(desk.model.requests().is_empty());
    assert_eq!(desk.chat(&["--tools", "vault.read"]).code, Some(0));
    let sent = desk.model.requests()[0]["messages"].clone();
    let words = |list: &Value| -> Vec<String> {
        let read = list
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["role"].is_null() || one["role"] == "tool");
        read.map(|one| one["content"].as_str().unwrap().to_owned()).collect()
    };
    let results = words(&shown["messages"][2]["results"]);
    assert_eq!(results.len(), 2, "{shown}");
    assert!(results[0].contains("due in May") && results[1].contains("NOT_FOUND"), "{results:?}");
    assert_eq!(words(&sent), results);
}

/// A result that is too long for the note is a note of its own, which other programs find by the link.
#[test]
fn a_long_result_is_linked() {
    let desk = Desk::with("results = \"Results\"\nresult_bytes = 200", []);
    desk.write("Long.md", &"word ".repeat(200));
    desk.write("Board.md", "```toolwrit\ntool: vault.read\npath: Long.md\n```\n");
    assert_eq!(desk.run(&["run", "Board"]).code, Some(0));
    let results = std::fs::read_dir(desk.path("Results")).unwrap();
    let [result] = &results.map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>()[..] else {
        panic!("{}", desk.text("Board.md"))
    };
    let path = format!("Results/{}", result.to_str().unwrap());
    let found = desk.run(&["call", "vault.backlinks", "--path", &path, "--json"]);
    assert!(
        found.out.contains("Board.md"),
        "{}{}\n{}",
        found.out,
        found.err,
        desk.text("Board.md")
    );
}
