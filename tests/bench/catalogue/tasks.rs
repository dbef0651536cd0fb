//! Tasks on the meta surface: a search, a description if the signature does not show how to call the tool,
//! and the call.

use serde::Deserialize;
use serde_json::{Value, json};
use toolwrit_manifest::{Effect, Operation};
use toolwrit_tests::drivers::client::Client;

use crate::server::Server;

/// A task as in the file.
#[derive(Deserialize)]
pub(crate) struct Task {
    /// What a model searches for, in users' words.
    pub(crate) query: String,
    /// The second search, if the first five results do not contain the tool.
    again: Option<String>,
    /// The flat name of the tool.
    pub(crate) tool: String,
    /// Its arguments.
    arguments: Value,
    /// Why the signature does not show how to call it.
    pub(crate) describe: Option<String>,
}

/// The tokens of a task that the model reads and writes.
pub(crate) struct Spent {
    pub(crate) task: Task,
    /// The tool's position among the results of the first search, from 1.
    pub(crate) rank: Option<usize>,
    /// The first search, and the second if there is one.
    pub(crate) search: usize,
    pub(crate) describe: usize,
    pub(crate) call: usize,
    /// The same call on the flat surface.
    pub(crate) flat: usize,
}

impl Spent {
    /// The total on the meta surface.
    pub(crate) fn meta(&self) -> usize {
        self.search + self.describe + self.call
    }
}

/// Runs the task on both surfaces. `None` if the list has no such tool.
pub(crate) fn run(
    task: Task,
    server: &Server,
    meta: &mut Client,
    flat: &mut Client,
) -> Option<Spent> {
    let operation = server.operation(&task.tool)?;
    let (mut search, hits) = self::search(&task.query, meta);
    let rank = rank(&hits, &operation.id);
    if let (None, Some(again)) = (rank, &task.again) {
        search += self::search(again, meta).0;
    }
    let describe = match &task.describe {
        Some(_) => call(meta, "describe_tools", &json!({ "tools": [operation.id] })).0,
        None => 0,
    };
    let arguments = json!({ "tool": operation.id, "args": task.arguments });
    let (called, _) = call(meta, tool_for(operation), &arguments);
    let (flat, _) = call(flat, &task.tool, &task.arguments);
    Some(Spent { task, rank, search, describe, call: called, flat })
}

fn search(query: &str, meta: &mut Client) -> (usize, Value) {
    call(meta, "search_tools", &json!({ "query": query, "limit": 5 }))
}

/// Calls a tool. Returns the tokens of the call and its answer, and the answer.
fn call(client: &mut Client, tool: &str, arguments: &Value) -> (usize, Value) {
    let result = client.call(tool, arguments);
    assert!(!result.is_error(), "{tool} {arguments}: {}", result.0);
    let call = json!({ "name": tool, "arguments": arguments });
    (tokens(&call) + tokens(&result.0), result.0)
}

/// Counts o200k tokens of compact JSON.
pub(crate) fn tokens(value: &Value) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(&value.to_string()).len()
}

fn tool_for(operation: &Operation) -> &'static str {
    match operation.effect {
        Effect::Read => "execute_read",
        Effect::Write => "execute_write",
        Effect::Destroy => "execute_delete",
    }
}

/// The position of an operation's signature in the answer of a search, from 1.
fn rank(answer: &Value, id: &str) -> Option<usize> {
    let text = answer["content"][0]["text"].as_str()?;
    let answer: Value = serde_json::from_str(text).ok()?;
    let mut lines = answer["results"].as_array()?.iter().filter_map(Value::as_str);
    lines.position(|line| line.split('(').next() == Some(id)).map(|at| at + 1)
}
