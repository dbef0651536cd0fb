//! A message selects the operations of its contexts, and no others, on every interface.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolwrit_client::{Client, ClientOptions};
use toolwrit_tests::drivers::http::Home;

use crate::program;
use crate::site::answering;

const MESSAGE: &str = "I need to check PROJ-123 ticket comments";
/// The categories of the contexts `jira` and `communication`.
const CATEGORIES: [&str; 5] = ["comments", "issues", "links", "projects", "watchers"];

fn names(contexts: &Value) -> Vec<&str> {
    contexts.as_array().unwrap().iter().map(|context| context["name"].as_str().unwrap()).collect()
}

fn categories<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let names: BTreeSet<&str> = ids.map(|id| id.split(['.', '_']).next().unwrap()).collect();
    names.into_iter().collect()
}

fn printed(home: &Home, message: &str) -> Value {
    let output = home.command(program(), &["context", message, "--json"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_command_line_selects_tickets_and_comments() {
    let found = printed(&Home::new(), MESSAGE);
    assert_eq!(names(&found["contexts"]), ["jira", "communication"]);
    let ids = found["operations"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap());
    assert_eq!(categories(ids), CATEGORIES);
}

#[test]
fn each_context_has_its_words() {
    let home = Home::new();
    for (message, expected) in [
        ("what is in the current sprint", "agile"),
        ("move the epic on the kanban board", "agile"),
        ("jot down a note about the meeting", "notes"),
        ("log work of two hours", "notes"),
        ("reply to the discussion", "communication"),
        ("run a JQL query", "search"),
        ("upload a screenshot", "documents"),
        ("who is the assignee", "users"),
        ("close OPS-7", "jira"),
        ("file a bug", "jira"),
    ] {
        let found = printed(&home, message);
        assert!(names(&found["contexts"]).contains(&expected), "{message}: {}", found["contexts"]);
    }
    assert_eq!(names(&printed(&home, "what a lovely sunset")["contexts"]), [""; 0]);
    // A ticket is no sprint.
    assert!(!names(&printed(&home, "close the ticket OPS-7")["contexts"]).contains(&"agile"));
}

#[test]
fn the_list_over_http_selects_tickets_and_comments() {
    let home = Home::new();
    let configured = answering();
    let server = home.serve(program(), &["--config", &configured.file()]);
    // A call waits until Jira has answered; a list does not.
    server.client("/flat").call("users_me", &json!({}));
    let listed = server.get(&format!("/tools?context={}", MESSAGE.replace(' ', "+")), &[]).json();
    assert_eq!(names(&listed["metadata"]["contexts"]), ["jira", "communication"]);
    let tools =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    assert_eq!(categories(tools), CATEGORIES);
}

#[tokio::test]
async fn the_client_fetches_the_tools_of_tickets_and_comments() {
    let home = Home::new();
    let configured = answering();
    let mut command =
        home.command(program(), &["serve", "--surface", "meta", "--config", &configured.file()]);
    command.stderr(std::process::Stdio::null());
    let client = Client::spawn(command, ClientOptions::default()).await.unwrap();
    // A call waits until Jira has answered; a list does not.
    let arguments = json!({ "tool": "users.me", "args": {} }).as_object().cloned().unwrap();
    client.call("execute_read", arguments).await.unwrap();
    let fetched = client.tools_for(MESSAGE, &toolwrit::Previous::default()).await.unwrap();
    let contexts: Vec<&str> =
        fetched.contexts.iter().map(|context| context.name.as_str()).collect();
    assert_eq!(contexts, ["jira", "communication"]);
    assert_eq!(categories(fetched.tools.iter().map(|tool| tool.name.as_str())), CATEGORIES);
    client.close().await;
}
