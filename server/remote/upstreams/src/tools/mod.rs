//! The tools that an upstream lists, within limits.

mod listing;

use std::collections::HashMap;

use serde_json::{Map, Value};

pub(crate) use listing::list;
use toolwrit_text::shorten::visible_line;
use toolwrit_words::Effect;

/// Length limit of a tool's name, in characters.
pub const MAX_NAME: usize = 128;

/// What an upstream says about itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerInfo {
    /// Its name. Empty if it does not say.
    pub name: String,
    pub version: String,
    /// The version of MCP that the connection uses.
    pub protocol: String,
    /// Its capabilities, as JSON of MCP.
    pub capabilities: Value,
    /// How it says that it is used, in one line of at most 512 characters. Empty if it does not say.
    pub instructions: String,
    /// The capabilities that we offer to it, as JSON of MCP. Its tools may depend on them.
    pub offered: Value,
}

/// A tool of an upstream. All its texts are data of the upstream.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    name: String,
    json: Map<String, Value>,
    effect: Option<Effect>,
}

impl Tool {
    /// Creates a tool from its entry in `tools/list`. Returns `None` if it has no name.
    pub fn new(json: Map<String, Value>) -> Option<Self> {
        let name = json.get("name")?.as_str()?.to_owned();
        Some(Self { name, json, effect: None })
    }

    /// The same tool, with what an approval says that it may do.
    pub(crate) fn with_effect(self, effect: Option<Effect>) -> Self {
        Self { effect, ..self }
    }

    /// What its approval says that it may do.
    pub fn effect(&self) -> Option<Effect> {
        self.effect
    }

    /// The name by which it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its whole entry in `tools/list`.
    pub fn json(&self) -> &Map<String, Value> {
        &self.json
    }

    pub fn description(&self) -> Option<&str> {
        self.json.get("description")?.as_str()
    }

    /// Whether it runs as a task only, as MCP 2025-11-25 has them.
    pub(crate) fn runs_as_task(&self) -> bool {
        let execution = self.json.get("execution");
        execution.and_then(|execution| execution.get("taskSupport")?.as_str()) == Some("required")
    }

    /// The JSON Schema of its arguments.
    pub fn input_schema(&self) -> Option<&Value> {
        self.json.get("inputSchema")
    }
}

/// A tool that is listed, and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedTool {
    /// Its name, shortened and visible.
    pub name: String,
    /// Why it cannot be used.
    pub reason: String,
}

/// The tools of an upstream, in its order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolList {
    tools: Vec<Tool>,
    refused: Vec<RefusedTool>,
    positions: HashMap<String, usize>,
}

impl ToolList {
    /// Creates a list. A name that is too long, hidden in part, or listed twice cannot be used: a caller could not
    /// know which tool it means.
    pub fn new(listed: impl IntoIterator<Item = Tool>) -> Self {
        let listed: Vec<Tool> = listed.into_iter().collect();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for tool in &listed {
            *counts.entry(tool.name.clone()).or_default() += 1;
        }
        let mut list = Self::default();
        for tool in listed {
            let count = counts.get(&tool.name).copied().unwrap_or_default();
            match refusal(&tool.name, count) {
                None => {
                    list.positions.insert(tool.name.clone(), list.tools.len());
                    list.tools.push(tool);
                }
                Some(reason) => {
                    let name = visible_line(&tool.name, MAX_NAME);
                    let refused = RefusedTool { name, reason };
                    if !list.refused.contains(&refused) {
                        list.refused.push(refused);
                    }
                }
            }
        }
        list
    }

    /// The tools that can be used.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tools that cannot be used.
    pub fn refused(&self) -> &[RefusedTool] {
        &self.refused
    }

    /// Finds a tool by name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.get(*self.positions.get(name)?)
    }
}

/// Why a name cannot be used.
fn refusal(name: &str, count: usize) -> Option<String> {
    if count > 1 {
        Some(format!("{count} tools have this name"))
    } else if name.is_empty() {
        Some("the name is empty".to_owned())
    } else if name.chars().count() > MAX_NAME {
        Some(format!("the name is longer than {MAX_NAME} characters"))
    } else if visible_line(name, MAX_NAME) != name {
        Some("the name has hidden characters".to_owned())
    } else {
        None
    }
}
