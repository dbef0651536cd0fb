//! Addresses of user interfaces (MCP Apps, `ui://..`). Two upstreams may have the same one, so that clients see them with the
//! name of their upstream: `ui://clock/view` of `one` is `ui://one+clock/view`.

use std::borrow::Cow;

use serde_json::{Map, Value};
use toolwrit_upstreams::Answer;

/// How an address of a user interface begins.
const SCHEME: &str = "ui://";
/// The keys of `_meta` and of its `ui` that hold an address.
const KEYS: [&str; 2] = ["resourceUri", "ui/resourceUri"];

/// The user interfaces of an upstream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interfaces<'a> {
    upstream: &'a str,
}

impl<'a> Interfaces<'a> {
    pub(super) fn new(upstream: &'a str) -> Self {
        Self { upstream }
    }

    /// The address that clients see for one of the upstream. Addresses of other schemes stay.
    pub(super) fn shown(self, uri: &str) -> Cow<'_, str> {
        match uri.strip_prefix(SCHEME) {
            Some(rest) => Cow::Owned(format!("{SCHEME}{}+{rest}", self.upstream)),
            None => Cow::Borrowed(uri),
        }
    }

    /// The address of the upstream for one that clients see.
    pub(super) fn original(self, uri: &str) -> Cow<'_, str> {
        let rest = uri.strip_prefix(SCHEME).and_then(|rest| rest.strip_prefix(self.upstream));
        match rest.and_then(|rest| rest.strip_prefix('+')) {
            Some(rest) => Cow::Owned(format!("{SCHEME}{rest}")),
            None => Cow::Borrowed(uri),
        }
    }

    /// Shows the addresses in the answer of a tool.
    pub(super) fn show_in_answer(self, answer: &mut Answer) {
        for block in &mut answer.content {
            self.show_in_block(block);
        }
        if let Some(meta) = &mut answer.meta {
            self.show_in_meta(meta);
        }
    }

    /// Shows the addresses in `_meta` of a tool or of an answer.
    pub(super) fn show_in_meta(self, meta: &mut Map<String, Value>) {
        for key in KEYS {
            self.show_at(meta, key);
        }
        if let Some(Value::Object(ui)) = meta.get_mut("ui") {
            for key in KEYS {
                self.show_at(ui, key);
            }
        }
    }

    /// Shows the addresses in a content block: a link, or a resource within it.
    pub(super) fn show_in_block(self, block: &mut Value) {
        let Value::Object(block) = block else { return };
        match block.get_mut("resource") {
            Some(Value::Object(resource)) => self.show_at(resource, "uri"),
            _ => self.show_at(block, "uri"),
        }
    }

    fn show_at(self, object: &mut Map<String, Value>, key: &str) {
        if let Some(Value::String(uri)) = object.get_mut(key)
            && let Cow::Owned(shown) = self.shown(uri)
        {
            *uri = shown;
        }
    }
}
