//! What an agent calls and reads, with its costs.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client};

/// What a task has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Calls of tools.
    pub(crate) calls: usize,
    /// Calls that were answered with an error.
    pub(crate) errors: usize,
    /// Tokens of calls and answers, or as the endpoint of the model has counted them.
    pub(crate) tokens: usize,
}

/// A client that counts.
pub(crate) struct Caller<'a> {
    pub(crate) client: &'a mut Client,
    pub(crate) cost: Cost,
}

impl Caller<'_> {
    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> CallResult {
        let result = self.client.call(tool, arguments);
        self.cost.calls += 1;
        self.cost.errors += usize::from(result.is_error());
        self.cost.tokens += tokens(&json!({ "name": tool, "arguments": arguments }));
        self.cost.tokens += tokens(&result.0["content"]);
        result
    }
}

/// The o200k tokens of compact JSON.
pub(crate) fn tokens(value: &Value) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(&value.to_string()).len()
}

/// The tokens of a list of tools, as a client hands it to its model.
pub(crate) fn tokens_of_list(tools: &[Value]) -> usize {
    let seen = tools.iter().map(|tool| {
        json!({
            "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"],
        })
    });
    tokens(&seen.collect())
}
