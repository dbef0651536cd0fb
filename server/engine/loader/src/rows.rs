//! What the builders of all rows share: the model, and the memory of its rows.

use serde_json::Value;
use toolwrit_core::authority::Arena;
use toolwrit_manifest::Model;

/// Builds rows of a model in an arena.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'m, 'a> {
    pub(crate) model: &'m Model,
    pub(crate) arena: &'a Arena,
}

impl<'a> Rows<'_, 'a> {
    pub(crate) fn optional(&self, text: Option<&str>) -> Option<&'a str> {
        text.map(|text| self.arena.text(text))
    }

    pub(crate) fn texts<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) -> &'a [&'a str] {
        self.arena.list(texts.into_iter().map(|text| self.arena.text(text.as_ref())))
    }

    /// A value as JSON text.
    pub(crate) fn json(&self, value: &Value) -> &'a str {
        self.arena.text(&value.to_string())
    }
}

/// A position in one of the tables. The language allows far fewer than 65,536 entries.
pub(crate) fn position(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}
