//! The page of the operations that providers add while a server runs.

use serde_json::Value;
use toolwrit_manifest::Effect;

use super::effect_badge;
use crate::markdown::{code_block, entry_heading, label, paragraphs, table, text};
use crate::page::Chapter;

/// The page's path in the book.
const PATH: &str = "reference/joined.md";

/// An operation that no manifest declares: a provider added it to a running server.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedOperation {
    /// Such as `plugin.templater.execute:meeting`.
    pub id: String,
    /// One sentence.
    pub summary: String,
    /// More about it.
    pub description: Option<String>,
    /// What it may do.
    pub effect: Effect,
    /// Its parameters on one line.
    pub signature: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// Arguments that show its use.
    pub examples: Vec<Value>,
    /// The name of the provider for people.
    pub provider: String,
}

/// The path of the page in a site. The entry of an operation there has the operation's id as its anchor.
pub fn joined_address() -> String {
    PATH.replace(".md", ".html")
}

/// The page; `None` without such operations.
pub(super) fn page(operations: &[JoinedOperation]) -> Option<Chapter> {
    if operations.is_empty() {
        return None;
    }
    let mut body = "# Added by providers\n\nThe manifest does not declare these operations. Providers add and \
        remove them while the server runs.\n\n"
        .to_owned();
    let overview = operations.iter().map(|own| {
        let link = format!("[{}](#{})", crate::markdown::code(&own.id), own.id);
        [link, effect_badge(own.effect), text(&own.provider), text(&own.summary)]
    });
    body.push_str(&table(&["Operation", "Effect", "Provider", "Summary"], overview));
    body.extend(operations.iter().map(entry));
    Some(Chapter::new(PATH, "Added by providers", body))
}

fn entry(own: &JoinedOperation) -> String {
    let mut entry = entry_heading(&own.id, &own.id);
    entry.push_str(&format!("{}\n\n{}\n\n", text(&own.summary), effect_badge(own.effect)));
    entry.extend(own.description.as_deref().map(paragraphs));
    entry.push_str(&code_block("text", &own.signature));
    entry.push_str(&label("Schema of the arguments"));
    entry.push_str(&code_block("json", &format!("{:#}", own.input_schema)));
    if !own.examples.is_empty() {
        entry.push_str(&label("Examples"));
        entry.extend(own.examples.iter().map(|args| code_block("json", &format!("{args:#}"))));
    }
    entry
}
