//! What is worth a look in the texts of a tool of another server, for those who approve it.

use std::fmt;

use serde_json::{Map, Value};
use toolwrit_text::hidden::is_hidden;
use toolwrit_text::shorten::{line, visible_line};
use toolwrit_text::visible::escaped;

use crate::injection::orders;

/// The fields of a tool with texts for models.
const FIELDS: [&str; 5] = ["title", "description", "inputSchema", "outputSchema", "annotations"];
/// Characters of a text that are shown.
const SHOWN: usize = 60;

/// Why a text is worth a look. It need not be hostile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suspicion {
    /// It has characters that people cannot see: this text, in which they are escaped.
    Hidden(String),
    /// It says what a model must do, or must hide: this part.
    Orders(String),
}

impl fmt::Display for Suspicion {
    /// Writes it as the rest of a sentence, without a full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hidden(text) => write!(f, "it has hidden characters: {text}"),
            Self::Orders(text) => write!(f, "it may give orders to models: {text}"),
        }
    }
}

/// Returns what is worth a look in the texts of a tool, which is an entry of `tools/list`.
pub fn suspicions(tool: &Map<String, Value>) -> Vec<Suspicion> {
    let mut texts = Vec::new();
    for value in FIELDS.iter().filter_map(|field| tool.get(*field)) {
        collect(value, &mut texts);
    }
    let found = texts.iter().flat_map(|text| {
        // An upstream's texts have no hidden characters, also not those that ordinary text has: each is escaped.
        let has_hidden = text.contains(is_hidden);
        let hidden =
            has_hidden.then(|| Suspicion::Hidden(line(&escaped((*text).to_owned()), SHOWN)));
        let orders = orders::find(text).map(|text| Suspicion::Orders(visible_line(&text, SHOWN)));
        hidden.into_iter().chain(orders)
    });
    found.collect()
}

/// All texts of a value, with keys.
fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => {
            for (key, value) in fields {
                texts.push(key);
                collect(value, texts);
            }
        }
        _ => {}
    }
}
