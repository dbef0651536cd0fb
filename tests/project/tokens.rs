//! What answers cost a model, in o200k tokens.

use serde_json::json;

use crate::project::Session;

const WORDS: [&str; 16] = [
    "visitor", "confirms", "address", "before", "account", "opens", "because", "mail", "without",
    "password", "expires", "after", "session", "shows", "reason", "again",
];

/// A text of so many words, in sentences and paragraphs.
fn text(words: usize) -> String {
    let mut text = String::from("## Why\n\n");
    for number in 0..words {
        text.push_str(WORDS[(number * 7 + number / 5) % WORDS.len()]);
        text.push_str(match number % 60 {
            59 => ".\n\n",
            14 | 29 | 44 => ". ",
            _ => " ",
        });
    }
    text
}

fn tokens(project: &mut Session, id: &str, fields: &[&str]) -> usize {
    let answer = project.call("get_entity", json!({"id": id, "fields": fields}));
    assert!(!answer.is_error(), "{}", answer.text());
    tiktoken_rs::o200k_base_singleton().encode_ordinary(answer.text()).len()
}

#[test]
fn selected_fields_cost_a_fraction_of_the_whole() {
    let mut project = Session::new();
    project.made("milestone", json!({"title": "Public beta in spring", "workstream": "accounts"}));
    let mut ids = vec!["M-001".to_owned()];
    for number in 0..12 {
        let kind = ["story", "task", "decision", "document"][number % 4];
        let parent = if kind == "task" { "S-001" } else { "M-001" };
        let data = json!({
            "title": format!("Confirm the address of new accounts, part {number}"),
            "workstream": "accounts", "priority": "high", "parent": parent,
            "tags": ["mail", "security"],
        });
        // Tickets are short, specifications long.
        let body = text(if kind == "document" { 1_500 } else { 400 });
        let call = json!({"type": kind, "data": data, "body": body});
        ids.push(project.call("create_entity", call).ok()["id"].as_str().unwrap().to_owned());
    }
    let some =
        ["id", "title", "status", "priority", "parent", "depends_on", "tags", "updated", "etag"];
    let (mut selected, mut whole, mut largest) = (0, 0, 0);
    for id in &ids {
        let default = tokens(&mut project, id, &[]);
        assert!(default < 60, "{id} costs {default}");
        let few = tokens(&mut project, id, &some);
        assert!((50..=200).contains(&few), "the fields of {id} cost {few}");
        let all = tokens(&mut project, id, &["*"]);
        (selected, whole, largest) = (selected + few, whole + all, largest.max(all));
    }
    assert!(largest >= 1_500, "the largest entity costs {largest}");
    assert!(selected * 10 <= whole * 4, "{selected} of {whole} tokens");
}
