//! Texts of tools that give orders to models instead of describing the tool.

use serde_json::Value;
use toolwrit_upstreams::Tool;
use toolwrit_upstreams::visible::{escaped, shortened};

/// Phrases that belong to orders. A description that has one is worth a look; it need not be hostile.
const PHRASES: [&str; 18] = [
    "<important>",
    "<system>",
    "before calling any",
    "before using any",
    "before using this tool, read",
    "do not mention",
    "do not tell",
    "don't tell",
    "disregard",
    "ignore all",
    "ignore previous",
    "ignore the",
    "instead of the tool",
    "instead of using",
    "never tell",
    "system prompt",
    "the user must not",
    "without telling",
];
/// Characters that are shown around a phrase.
const AROUND: usize = 60;

/// Returns why the texts of a tool are worth a look, as sentences.
pub fn suspicions(tool: &Tool) -> Vec<String> {
    let mut texts = Vec::new();
    for field in ["title", "description", "inputSchema", "annotations"] {
        if let Some(value) = tool.json().get(field) {
            collect(value, &mut texts);
        }
    }
    let mut found = Vec::new();
    for text in texts {
        if escaped(text.to_owned()) != text {
            found.push(format!("It has hidden characters: {}", shortened(text, AROUND)));
        }
        let lower = text.to_lowercase();
        found.extend(PHRASES.iter().filter_map(|phrase| {
            let at = lower.find(phrase)?;
            let shown = &lower[lower.floor_char_boundary(at.saturating_sub(10))..];
            Some(format!("It may give orders to models: {}", shortened(shown, AROUND)))
        }));
    }
    found
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
