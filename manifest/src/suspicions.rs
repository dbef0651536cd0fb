//! What is worth a look in the texts of a tool of another server, for those who approve it.

use std::fmt;

use serde_json::{Map, Value};

use crate::{hidden, orders};

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
        let hidden = hidden::escaped(text).map(|text| Suspicion::Hidden(shortened(&text)));
        let visible = |text: String| hidden::escaped(&text).unwrap_or(text);
        let orders = orders::find(text).map(|text| Suspicion::Orders(shortened(&visible(text))));
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

/// The start of a text, on one line.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
