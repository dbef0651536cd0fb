//! The files that a canvas shows: `nodes[].file` of JSON Canvas 1.0.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::document::Span;

/// A node that shows a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference<'a> {
    /// The JSON string, its quotes included.
    pub(crate) span: Span,
    /// What it says: a path from the vault's root.
    pub(crate) target: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Canvas<'a> {
    #[serde(borrow, default)]
    nodes: Vec<Node<'a>>,
}

#[derive(Deserialize)]
struct Node<'a> {
    #[serde(borrow)]
    file: Option<&'a RawValue>,
}

/// The references of a canvas; none if it is not one.
pub(crate) fn references(text: &str) -> Vec<Reference<'_>> {
    let Ok(canvas) = serde_json::from_str::<Canvas<'_>>(text) else { return Vec::new() };
    let files = canvas.nodes.into_iter().filter_map(|node| node.file);
    let reference = |file: &'_ RawValue| {
        let raw = file.get();
        // A borrowed value is a part of the text it was read from.
        let start = raw.as_ptr().addr() - text.as_ptr().addr();
        let target = serde_json::from_str::<String>(raw).ok()?;
        let span = Span::new(start, start + raw.len());
        Some(Reference { span, target: target.into() })
    };
    files.filter_map(reference).collect()
}

/// A path as a JSON string.
pub(crate) fn encode(target: &str) -> String {
    serde_json::Value::from(target).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_where_they_stand() {
        let text = r#"{"nodes":[ {"id":"1","type":"text","text":"a","file":null},
            {"id":"2", "type":"file", "file" : "x/\u00e9 \"a\".md", "subpath":"\#h"},
            {"type":"file","file":"b.png"},{"file":3}],"edges":[]}"#
            .replace(r"\#", "#");
        let found = references(&text);
        let shown: Vec<_> = found.iter().map(|file| (file.span.of(&text), &*file.target)).collect();
        assert_eq!(shown, [(r#""x/\u00e9 \"a\".md""#, "x/é \"a\".md"), (r#""b.png""#, "b.png")]);
        assert_eq!(encode(shown[0].1), r#""x/é \"a\".md""#);
    }

    #[test]
    fn what_is_no_canvas_shows_nothing() {
        for text in ["", "[]", "{", r#"{"nodes":{}}"#, r#"{"edges":[]}"#, "{}"] {
            assert_eq!(references(text), [], "{text}");
        }
    }
}
