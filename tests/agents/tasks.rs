//! What agents are asked to do.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Where a task is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum World {
    /// The sample vault.
    Vault,
    /// The WordPress server, on a stand-in for a site.
    Site,
    /// Five servers behind one, which list what those of others list.
    Gateway,
}

/// A task.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    pub(crate) world: World,
    /// What the person says.
    pub(crate) ask: String,
    /// The words with which the scripted agent looks for a tool.
    pub(crate) words: String,
    /// The arguments that the scripted agent gives, by name.
    pub(crate) values: Map<String, Value>,
    pub(crate) done: Done,
}

/// What is so when a task is done.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Done {
    /// The answer has this text.
    Says { says: String },
    /// A note has this text, in any case.
    Note { note: String, has: String },
    /// A tool of an upstream was called with these arguments, and others perhaps.
    Called { called: String, with: Map<String, Value> },
    /// The site got this request with these fields, and others perhaps.
    Sent { sent: String, with: Map<String, Value> },
}

/// The tasks.
pub(crate) fn tasks() -> Vec<Task> {
    serde_yaml::from_str(include_str!("tasks.yaml")).unwrap()
}
