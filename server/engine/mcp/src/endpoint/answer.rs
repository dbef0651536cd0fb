//! The answer to a tool call, independent of the protocol.

use serde_json::{Map, Value, json};

use toolwrit_core::authority::Returns;
use toolwrit_core::dialogue::Continuation;
use toolwrit_core::fault::{Code, Fault};
use toolwrit_core::result::outcome::Outcome;

/// The answer to a tool call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolAnswer {
    /// The result as text, or the failure as JSON.
    pub(crate) text: String,
    /// The same as a JSON value: for failures, for results of tools with an output schema, and what tools of other servers
    /// send beside their content.
    pub(crate) structured: Option<Value>,
    /// The code of the failure; `None` on success.
    pub(crate) code: Option<Code>,
    /// Content blocks, which replace the text.
    pub(crate) content: Option<Value>,
    /// `_meta` of the result of a tool of another server.
    pub(crate) meta: Option<Map<String, Value>>,
    /// How to replace the older name that the caller used.
    pub(crate) migration: Option<String>,
    /// How the call continues in another request. The other fields are for callers who cannot continue it.
    pub(crate) continuation: Option<Continuation>,
    /// The MCP capability that the client lacks.
    pub(crate) lacking: Option<&'static str>,
}

impl ToolAnswer {
    pub(crate) fn failure(fault: &Fault) -> Self {
        let value = fault.to_json();
        let blocks = || {
            let text = json!({ "type": "text", "text": value.to_string() });
            [text].into_iter().chain(fault.content().iter().cloned()).collect()
        };
        Self {
            code: Some(fault.code()),
            lacking: fault.lacked(),
            content: (!fault.content().is_empty()).then(blocks),
            ..Self { structured: Some(value.clone()), ..Self::text(value.to_string()) }
        }
    }

    fn text(text: String) -> Self {
        Self {
            text,
            structured: None,
            code: None,
            content: None,
            meta: None,
            migration: None,
            continuation: None,
            lacking: None,
        }
    }

    /// For tools without an output schema: a structured result is only what the content of another server does not say.
    pub(super) fn plain(mut outcome: Outcome) -> Self {
        let migration = outcome.migration();
        let is_content = outcome.operation.row().returns == Returns::Content;
        let (beside, meta) = (outcome.beside.take(), outcome.meta.take());
        let (text, value) = outcome.render();
        let (content, structured) = match beside {
            _ if is_content => (value, beside),
            Some(content) => (Some(content), value),
            None => (None, None),
        };
        let structured = structured.filter(|value| !is_text_of(content.as_ref(), value));
        Self { structured, content, meta, migration, ..Self::text(text) }
    }

    /// For tools with an output schema: the structured content is the value, and the text too unless there is content.
    pub(super) fn structured(mut outcome: Outcome) -> Self {
        if outcome.operation.row().returns == Returns::Content {
            return Self::plain(outcome);
        }
        let migration = outcome.migration();
        let (content, meta) = (outcome.beside.take(), outcome.meta.take());
        let operation = outcome.operation.clone();
        let operation = operation.row();
        let (text, value) = outcome.render();
        // Paging and truncation have already wrapped the value in an object.
        let wrapped = |value: &Value| operation.page.is_some() || value.get("truncated").is_some();
        let (text, structured) = match (&operation.returns, value) {
            (Returns::Wrapped(_), Some(value)) if !wrapped(&value) => {
                let value = json!({ "result": value });
                (value.to_string(), Some(value))
            }
            (_, value) => (text, value),
        };
        Self { structured, content, meta, migration, ..Self::text(text) }
    }

    pub(super) fn listing(value: &Value) -> Self {
        Self::text(value.to_string())
    }
}

/// Whether content is nothing but the text of this value.
fn is_text_of(content: Option<&Value>, value: &Value) -> bool {
    let Some([block]) = content.and_then(Value::as_array).map(Vec::as_slice) else { return false };
    let text = block.get("text").and_then(Value::as_str);
    // Any text may stand there.
    let said = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
    said.as_ref() == Some(value)
}
