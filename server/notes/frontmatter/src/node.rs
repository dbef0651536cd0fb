//! YAML as a tree of nodes with their positions. This file and `depth` use the YAML crate.

use hashbrown::{HashMap, HashSet};

use granit_parser::{Event, Marker, Parser, ScanError};
pub(crate) use granit_parser::{ScalarStyle, StructureStyle};
use serde_json::{Map, Value};

use crate::scalar;
use crate::span::Span;

/// Maximum number of nodes of a value with its aliases expanded. A long repeated text counts as several.
const NODE_LIMIT: usize = 20_000;
/// Bytes of such a text that count as one node.
const NODE_BYTES: usize = 100;

/// A value and its position.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// From its first to its last character, without tag and anchor. For a block scalar, without
    /// its header and with its line ending. For an empty value, the empty place after its key or
    /// dash.
    pub(crate) span: Span,
    /// Whether it has a tag or an anchor, or is an alias.
    pub(crate) decorated: bool,
    pub(crate) shape: NodeValue,
}

/// The kind of a value, and its content.
#[derive(Debug, Clone)]
pub(crate) enum NodeValue {
    Scalar { value: Value, style: ScalarStyle },
    Sequence { items: Vec<Node>, style: StructureStyle },
    Mapping { entries: Vec<MapEntry>, style: StructureStyle },
}

/// A key and its value.
#[derive(Debug, Clone)]
pub(crate) struct MapEntry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) value: Node,
}

/// Why a text is not a value, and the byte offset of the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Invalid {
    pub(crate) offset: usize,
    pub(crate) reason: String,
}

impl Node {
    /// Parses one YAML document; `None` if it is empty.
    pub(crate) fn parse(yaml: &str) -> Result<Option<Self>, Invalid> {
        let mut tree =
            Tree { yaml, open: Vec::new(), anchors: HashMap::new(), root: None, nodes: 0 };
        for event in Parser::new_from_str(yaml) {
            let (event, span) = event.map_err(|error| Invalid::from(&error))?;
            let span = Span::new(byte(&span.start), byte(&span.end));
            tree.take(event, span)?;
        }
        Ok(tree.root)
    }

    /// The value as JSON.
    pub(crate) fn to_value(&self) -> Value {
        match &self.shape {
            NodeValue::Scalar { value, .. } => value.clone(),
            NodeValue::Sequence { items, .. } => items.iter().map(Self::to_value).collect(),
            NodeValue::Mapping { entries, .. } => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_value()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// Whether it is written in `[]` or `{}`.
    pub(crate) fn is_flow(&self) -> bool {
        match &self.shape {
            NodeValue::Scalar { .. } => false,
            NodeValue::Sequence { style, .. } | NodeValue::Mapping { style, .. } => {
                *style == StructureStyle::Flow
            }
        }
    }

    /// Whether it is a list or mapping in block style.
    pub(crate) fn is_block(&self) -> bool {
        !self.is_flow() && !matches!(self.shape, NodeValue::Scalar { .. })
    }

    /// The quoting style, if it is a scalar.
    pub(crate) fn scalar_style(&self) -> ScalarStyle {
        match &self.shape {
            NodeValue::Scalar { style, .. } => *style,
            _ => ScalarStyle::Plain,
        }
    }

    pub(crate) fn is_alias(&self, yaml: &str) -> bool {
        self.decorated && self.span.slice(yaml).starts_with('*')
    }

    /// The number of nodes it counts as when repeated.
    fn size(&self) -> usize {
        1 + match &self.shape {
            NodeValue::Scalar { value: Value::String(text), .. } => text.len() / NODE_BYTES,
            NodeValue::Scalar { .. } => 0,
            NodeValue::Sequence { items, .. } => items.iter().map(Self::size).sum(),
            NodeValue::Mapping { entries, .. } => {
                entries.iter().map(|entry| entry.key.len() / NODE_BYTES + entry.value.size()).sum()
            }
        }
    }
}

impl From<&ScanError> for Invalid {
    fn from(error: &ScanError) -> Self {
        Self { offset: byte(error.marker()), reason: error.info().clone() }
    }
}

/// When parsing from a string, every position has a byte offset.
fn byte(marker: &Marker) -> usize {
    marker.byte_offset().unwrap_or_default()
}

/// A collection whose end has not been reached.
struct OpenNode {
    start: usize,
    anchor: usize,
    decorated: bool,
    style: StructureStyle,
    filling: Filling,
}

enum Filling {
    Sequence(Vec<Node>),
    Mapping { entries: Vec<MapEntry>, keys: HashSet<String>, key: Option<(String, Span)> },
}

struct Tree<'y> {
    yaml: &'y str,
    open: Vec<OpenNode>,
    anchors: HashMap<usize, Node>,
    root: Option<Node>,
    nodes: usize,
}

impl Tree<'_> {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Invalid> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tagged = tag.is_some();
                let key = text.to_string();
                let is_text = style != ScalarStyle::Plain
                    || tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str"));
                let value =
                    if is_text { Value::String(text.into_owned()) } else { scalar::resolve(&text) };
                let decorated = tagged || anchor > 0;
                let node = Node { span, decorated, shape: NodeValue::Scalar { value, style } };
                self.put(node, anchor, key)
            }
            Event::Alias(anchor) => {
                let known = self.anchors.get(&anchor);
                let node = known
                    .ok_or_else(|| invalid(span, "the alias refers to a value that contains it"))?;
                let node = Node { span, decorated: true, ..node.clone() };
                self.put(node, 0, String::new())
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.start(span, anchor, tag.is_some(), style, Filling::Sequence(Vec::new()));
                Ok(())
            }
            Event::MappingStart(style, anchor, tag) => {
                let filling =
                    Filling::Mapping { entries: Vec::new(), keys: HashSet::new(), key: None };
                self.start(span, anchor, tag.is_some(), style, filling);
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            Event::DocumentStart(..) if self.root.is_some() => {
                Err(invalid(span, "a second YAML document starts here"))
            }
            _ => Ok(()),
        }
    }

    fn start(
        &mut self,
        span: Span,
        anchor: usize,
        tagged: bool,
        style: StructureStyle,
        filling: Filling,
    ) {
        let decorated = tagged || anchor > 0;
        self.open.push(OpenNode { start: span.start, anchor, decorated, style, filling });
    }

    fn end(&mut self, span: Span) -> Result<(), Invalid> {
        let Some(OpenNode { start, anchor, decorated, style, filling }) = self.open.pop() else {
            return Ok(());
        };
        let (last, shape) = match filling {
            Filling::Sequence(items) => {
                (items.last().map(|item| item.span.end), NodeValue::Sequence { items, style })
            }
            Filling::Mapping { entries, .. } => (
                entries.last().map(|entry| entry.value.span.end),
                NodeValue::Mapping { entries, style },
            ),
        };
        // The parser reports the end of a block collection only at the text after it.
        let end = match style {
            StructureStyle::Block => last.unwrap_or(start),
            StructureStyle::Flow => span.end,
        };
        self.put(Node { span: Span::new(start, end), decorated, shape }, anchor, String::new())
    }

    /// Adds a completed node to its parent; `written` is the text of a scalar.
    fn put(&mut self, node: Node, anchor: usize, written: String) -> Result<(), Invalid> {
        self.nodes += if node.decorated { node.size() } else { 1 };
        if self.nodes > NODE_LIMIT {
            return Err(invalid(node.span, &format!("more than {NODE_LIMIT} values")));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.filling) {
            None => self.root = Some(node),
            Some(Filling::Sequence(items)) => items.push(node),
            Some(Filling::Mapping { entries, keys, key }) => {
                if let Some((key, key_span)) = key.take() {
                    entries.push(MapEntry { key, key_span, value: node });
                    return Ok(());
                }
                let name = match node.shape {
                    NodeValue::Scalar { .. } => written,
                    // For example `{{date}}`, which many templates contain.
                    _ => node.span.slice(self.yaml).to_owned(),
                };
                if !keys.insert(name.clone()) {
                    let reason = format!("the key `{name}` occurs twice");
                    return Err(invalid(node.span, &reason));
                }
                *key = Some((name, node.span));
            }
        }
        Ok(())
    }
}

fn invalid(span: Span, reason: &str) -> Invalid {
    Invalid { offset: span.start, reason: reason.to_owned() }
}
