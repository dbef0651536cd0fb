//! The texts of a tool as those of an operation.

use serde_json::Value;
use toolwrit_text::shorten::{start, visible_line};
use toolwrit_text::visible::escaped;
use toolwrit_upstreams::Tool;

/// Characters of the longest summary.
const SUMMARY: usize = 160;
/// Characters of the longest description.
const DESCRIPTION: usize = 4000;

/// The texts of an operation.
pub(crate) struct Words {
    pub(crate) summary: String,
    pub(crate) description: Option<String>,
}

impl Words {
    pub(crate) fn from_tool(tool: &Tool, upstream: &str) -> Self {
        let description = tool.description().unwrap_or_default();
        Self::from_description(description, title(tool), tool.name(), upstream)
    }

    /// The texts for a description. `title` is used in place of an empty one.
    pub(crate) fn from_description(
        description: &str,
        title: Option<&str>,
        tool: &str,
        upstream: &str,
    ) -> Self {
        let description = description.trim();
        let summary = match sentences(description).next() {
            Some(first) => visible_line(first, SUMMARY),
            None => title.map_or_else(
                || format!("Call the tool {} of {upstream}.", visible_line(tool, SUMMARY)),
                |title| visible_line(title, SUMMARY),
            ),
        };
        // What the summary says is not said twice.
        let rest = match sentences(description).next() {
            Some(first) if visible_line(first, SUMMARY).len() == first.len() => {
                description.strip_prefix(first).unwrap_or(description).trim()
            }
            _ => description,
        };
        let more = (!rest.is_empty() && visible_line(rest, SUMMARY) != summary)
            .then(|| escaped(start(rest, DESCRIPTION)));
        Self { summary, description: more }
    }
}

pub(crate) fn title(tool: &Tool) -> Option<&str> {
    let json = tool.json();
    let annotated = || json.get("annotations")?.get("title")?.as_str();
    let title = json.get("title").and_then(Value::as_str).or_else(annotated)?.trim();
    (!title.is_empty()).then_some(title)
}

/// The sentences of a text, in order. A line break ends one, too.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .flat_map(|line| line.split_inclusive(". "))
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
}
