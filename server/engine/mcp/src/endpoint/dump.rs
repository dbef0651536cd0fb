//! What an agent without MCP needs to use a server: who it is, what the caller may do, and how to call it.

use std::fmt;

use serde_json::Value;

use super::Endpoint;
use crate::discovery::line;
use toolwrit_core::json::size::size;

/// Bytes of the operations' lines. Further operations are only counted.
const MOST_BYTES: usize = 64 * 1024;

/// The operations of a server as lines of text, with what is around them.
pub struct Dump<'a> {
    endpoint: &'a Endpoint,
    /// The lines of each category.
    categories: Vec<(&'a str, &'a str, Vec<String>)>,
    left_out: usize,
}

impl Endpoint {
    /// Returns a description of everything that the caller may use, for agents without MCP.
    pub fn dump(&self) -> Dump<'_> {
        let (mut bytes, mut left_out) = (0, 0);
        let categories = self.visible_categories().into_iter().map(|(index, category)| {
            let operations =
                self.policy.visible().filter(|(_, o)| usize::from(o.category) == index);
            let lines = operations.map(|(_, operation)| line(operation, &[])).filter(|line| {
                bytes += line.len();
                left_out += usize::from(bytes > MOST_BYTES);
                bytes <= MOST_BYTES
            });
            (category.name.as_str(), category.summary.as_str(), lines.collect())
        });
        let categories = categories.collect();
        Dump { endpoint: self, categories, left_out }
    }
}

impl Dump<'_> {
    /// Builds the JSON answer. `bytes` is the size of the rest of it.
    pub fn to_json(&self) -> Value {
        let tables = self.endpoint.tables();
        let mut answer = self.endpoint.server_summary();
        let lines = self.categories.iter().flat_map(|(.., lines)| lines);
        let lines: Vec<&str> = lines.map(String::as_str).collect();
        let mut add = |key: &str, value: Value| answer.insert(key.to_owned(), value);
        if let Some(instructions) = tables.server.instructions.as_deref() {
            add("instructions", instructions.into());
        }
        if let Some(persona) = self.endpoint.policy.persona() {
            add("persona", persona.into());
        }
        add("originalCount", (lines.len() + self.left_out).into());
        add("returnedCount", lines.len().into());
        add("tools", lines.into());
        if let Some(rest) = self.describe_left_out() {
            add("truncated", true.into());
            add("hint", rest.into());
        }
        if let Some(call) = self.how_to_call() {
            add("call", call.into());
        }
        let mut answer = Value::Object(answer);
        answer["bytes"] = size(&answer).into();
        answer
    }

    fn describe_left_out(&self) -> Option<String> {
        let prefix = &self.endpoint.tables().server.prefix;
        (self.left_out > 0).then(|| {
            let search = match self.endpoint.surface.command() {
                Some(program) => format!("`{program} search WORDS`"),
                None => format!("{prefix}search_tools"),
            };
            format!("{} more operations are left out; find them with {search}.", self.left_out)
        })
    }

    /// How to call an operation on the command line, with a valid call. `None` without a command line.
    fn how_to_call(&self) -> Option<String> {
        let program = self.endpoint.surface.command()?;
        let mut visible = self.endpoint.policy.visible();
        let (id, example) = visible
            .find_map(|(_, operation)| Some((&operation.id, operation.example.as_ref()?)))?;
        let example = example.replace('\'', r"'\''");
        Some(format!(
            "Run `{program} call {id} --args '{example}' --json`, with the flags of the server that choose its \
             data. The result is on standard output. Exit code 1 means that the operation failed. Add --yes \
             for an operation that destroys. `{program} call {id} --help` explains the parameters."
        ))
    }
}

impl fmt::Display for Dump<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (server, policy) = (&self.endpoint.tables().server, &self.endpoint.policy);
        writeln!(
            f,
            "{} ({} {})",
            server.title.as_ref().unwrap_or(&server.name),
            server.name,
            server.version
        )?;
        let writes = if policy.writes() { "writes allowed" } else { "read-only" };
        writeln!(f, "Focus mode {}, role {}, {writes}.", policy.focus(), policy.role())?;
        for text in server.instructions.as_deref().into_iter().chain(policy.persona()) {
            writeln!(f, "\n{text}")?;
        }
        for (name, summary, lines) in &self.categories {
            writeln!(f, "\n{name}: {summary}")?;
            lines.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        for text in self.describe_left_out().into_iter().chain(self.how_to_call()) {
            writeln!(f, "\n{text}")?;
        }
        Ok(())
    }
}
