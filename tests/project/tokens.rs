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

#[test]
fn the_list_of_the_twelve_tools_is_small() {
    let mut project = Session::with(&[], &["--tools", "project"]);
    let tools = project.client.tools();
    assert_eq!(tools.len(), 12);
    // What clients hand to their models.
    let handed = |tool: &serde_json::Value| {
        let tool = json!({
            "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"],
        });
        tiktoken_rs::o200k_base_singleton().encode_ordinary(&tool.to_string()).len()
    };
    let tokens: usize = tools.iter().map(handed).sum();
    assert!(tokens <= 4_300, "the tools cost {tokens}");
}

#[test]
fn a_large_project_is_shown_in_few_tokens() {
    let mut files = Vec::new();
    for number in 1..=2_000 {
        let (kind, prefix) = [("story", "S"), ("task", "T")][number % 2];
        let status = ["todo", "in_progress", "blocked", "completed", "odd"][number / 2 % 5];
        let before = if number > 10 {
            format!("depends_on: [T-{:04}]\n", number - 9 - number % 2)
        } else {
            String::new()
        };
        let text = format!(
            "---\nid: {prefix}-{number:04}\ntype: {kind}\ntitle: Confirm the address of accounts, part {number}\n\
             status: {status}\nworkstream: stream {}\n{before}---\n",
            number % 8
        );
        files.push((format!("Projects/{prefix}-{number:04}.md"), text));
    }
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut project = Session::with(&files, &[]);
    for (tool, call) in [
        ("get_project_overview", json!({})),
        ("get_project_overview", json!({"workstream": "stream 3"})),
        ("analyze_project_state", json!({})),
    ] {
        let answer = project.call(tool, call);
        assert!(!answer.is_error(), "{}", answer.text());
        let tokens = tiktoken_rs::o200k_base_singleton().encode_ordinary(answer.text()).len();
        assert!(tokens <= 2_000, "{tool} costs {tokens}");
    }
    // The pages have every open entity once.
    let (mut seen, mut cursor) = (Vec::new(), json!(null));
    loop {
        let mut call = json!({"limit": 500, "fields": ["id"]});
        if cursor.is_string() {
            call["cursor"] = cursor;
        }
        let page = project.call("get_project_overview", call).ok();
        for workstream in page["workstreams"].as_array().unwrap() {
            let lists = ["milestones", "stories", "tasks"].map(|list| workstream[list].clone());
            let all = lists.iter().flat_map(|list| list.as_array().unwrap());
            seen.extend(all.map(|entity| entity["id"].to_string()));
        }
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let listed = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!((listed, seen.len()), (1_600, 1_600));
}
