//! Notes and sections that a conversation embeds are read as Obsidian finds them.

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
