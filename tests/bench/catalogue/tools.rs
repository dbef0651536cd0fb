//! A result of `tools/list`, read from a file.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The members of a tool that are converted.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tool {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) title: Option<String>,
    pub(crate) input_schema: Map<String, Value>,
    #[serde(default)]
    pub(crate) annotations: Annotations,
    /// All other members.
    #[serde(flatten)]
    pub(crate) others: Map<String, Value>,
}

/// `ToolAnnotations` of MCP. Absent hints have the protocol's defaults.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Annotations {
    pub(crate) title: Option<String>,
    pub(crate) read_only_hint: bool,
    pub(crate) destructive_hint: Option<bool>,
    pub(crate) idempotent_hint: bool,
    pub(crate) open_world_hint: Option<bool>,
}

impl Tool {
    /// The title that clients show.
    pub(crate) fn title(&self) -> Option<&str> {
        self.title.as_deref().or(self.annotations.title.as_deref())
    }
}

/// The tools of `{"tools": [..]}`.
pub(crate) fn read(list: &Value) -> serde_json::Result<Vec<Tool>> {
    #[derive(Deserialize)]
    struct List {
        tools: Vec<Tool>,
    }
    List::deserialize(list).map(|list| list.tools)
}
