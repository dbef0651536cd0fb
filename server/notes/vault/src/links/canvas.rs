//! Where a canvas names files: `nodes[].file` of JSON Canvas 1.0, and the links in `nodes[].text`.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::document::{Document, Span, TEXT_LIMIT};

/// The files and links in a canvas. Malformed nodes are ignored.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Canvas {
    pub(crate) files: Vec<FileNode>,
    pub(crate) cards: Vec<Card>,
}

/// A node that shows a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileNode {
    /// The JSON string, including its quotes.
    pub(crate) span: Span,
    /// Its value: a path from the vault's root.
    pub(crate) target: String,
}

/// The Markdown of a text node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Card {
    pub(crate) text: String,
    /// Offsets in `text`, and the corresponding offsets in the canvas. The bytes up to the next
    /// entry are contiguous in both.
    places: Vec<(usize, usize)>,
}

#[derive(Deserialize)]
struct Nodes<'a> {
    #[serde(borrow, default)]
    nodes: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct CanvasNode<'a> {
    #[serde(borrow)]
    file: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

impl Canvas {
    /// Reads a canvas. The result is empty if it is malformed or larger than a note that is parsed.
    pub(crate) fn parse(text: &str) -> Self {
        let mut canvas = Self::default();
        if text.len() > TEXT_LIMIT {
            return canvas;
        }
        let Ok(Nodes { nodes }) = serde_json::from_str(text) else { return canvas };
        for node in nodes {
            let Ok(CanvasNode { file, text: card }) = serde_json::from_str(node.get()) else {
                continue;
            };
            canvas.files.extend(file.and_then(|file| FileNode::read(file, text)));
            canvas.cards.extend(card.and_then(|card| Card::read(card, text)));
        }
        canvas
    }

    /// The targets of all its files and links.
    pub(crate) fn targets(&self) -> Vec<String> {
        let shown = self.files.iter().map(|file| file.target.clone());
        shown.chain(self.cards.iter().flat_map(Card::targets)).collect()
    }
}

/// The span of a borrowed value, which is a part of the text that it was read from.
fn start_within(value: &RawValue, text: &str) -> usize {
    value.get().as_ptr().addr() - text.as_ptr().addr()
}

impl FileNode {
    fn read(value: &RawValue, text: &str) -> Option<Self> {
        let target = serde_json::from_str(value.get()).ok()?;
        let start = start_within(value, text);
        Some(Self { span: Span::new(start, start + value.get().len()), target })
    }
}

impl Card {
    fn read(value: &RawValue, text: &str) -> Option<Self> {
        let content: String = serde_json::from_str(value.get()).ok()?;
        let start = start_within(value, text) + 1;
        let raw = value.get();
        let raw = raw.get(1..raw.len() - 1)?;
        let mut places = vec![(0, start)];
        let (mut at, mut decoded) = (0, 0);
        while let Some(literal) = raw[at..].find('\\') {
            at += literal;
            decoded += literal;
            places.push((decoded, start + at));
            let character = content[decoded..].chars().next()?;
            let units = character.len_utf16();
            at += if raw[at..].starts_with("\\u") { units * "\\u0000".len() } else { "\\n".len() };
            decoded += character.len_utf8();
            places.push((decoded, start + at));
        }
        Some(Self { text: content, places })
    }

    fn targets(&self) -> Vec<String> {
        // As in such a note, a text with too much structure has no links.
        let Ok(Document { links, .. }) = Document::parse(&self.text) else { return Vec::new() };
        let internal = links.into_iter().filter(|link| !link.is_external());
        internal.map(|link| link.target.trim().to_owned()).collect()
    }

    /// The span in the canvas of a part of the text.
    pub(crate) fn span_in_canvas(&self, span: Span) -> Span {
        let place = |at: usize| {
            let next = self.places.partition_point(|(decoded, _)| *decoded <= at);
            let (decoded, raw) = self.places[next.saturating_sub(1)];
            raw + at - decoded
        };
        Span::new(place(span.start), place(span.end))
    }
}

pub(crate) fn encode_json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
