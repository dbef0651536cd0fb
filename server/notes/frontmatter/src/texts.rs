//! The positions of texts in the properties.

use crate::block::FrontmatterBlock;
use crate::node::{Node, NodeValue, ScalarStyle, StructureStyle};
use crate::span::Span;

/// A value, or a part of one, that may contain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PropertyText {
    /// Its place in the note, including its quotes.
    pub span: Span,
    /// How it is quoted.
    pub quoting: Quoting,
}

/// How a text is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    /// Written without quotes, or as a block scalar.
    None,
    /// Written in single quotes.
    Single,
    /// Written in double quotes.
    Double,
}

/// Returns the texts of the properties, in the order of the note; empty if the block is not valid YAML.
///
/// Unquoted, `[[Note]]` is YAML for a list in a list, but the author means a link. So a flow list that
/// contains only a list of one plain scalar counts as one text.
pub fn texts(text: &str, block: FrontmatterBlock) -> Vec<PropertyText> {
    let mut texts = Vec::new();
    if let Ok(Some(node)) = Node::parse(block.yaml.slice(text)) {
        collect_texts(block.yaml.start, &node, &mut texts);
    }
    texts
}

fn collect_texts(offset: usize, node: &Node, texts: &mut Vec<PropertyText>) {
    let span = Span::new(node.span.start + offset, node.span.end + offset);
    match &node.shape {
        NodeValue::Scalar { style, .. } => {
            let quoting = match style {
                ScalarStyle::SingleQuoted => Quoting::Single,
                ScalarStyle::DoubleQuoted => Quoting::Double,
                _ => Quoting::None,
            };
            texts.push(PropertyText { span, quoting });
        }
        NodeValue::Sequence { items, style: StructureStyle::Flow } if is_unquoted_link(items) => {
            texts.push(PropertyText { span, quoting: Quoting::None });
        }
        NodeValue::Sequence { items, .. } => {
            for item in items {
                collect_texts(offset, item, texts);
            }
        }
        NodeValue::Mapping { entries, .. } => {
            for entry in entries {
                collect_texts(offset, &entry.value, texts);
            }
        }
    }
}

/// Whether a flow list contains only a list of one plain scalar.
fn is_unquoted_link(items: &[Node]) -> bool {
    let [Node { shape: NodeValue::Sequence { items, style: StructureStyle::Flow }, .. }] = items
    else {
        return false;
    };
    matches!(items[..], [Node { shape: NodeValue::Scalar { style: ScalarStyle::Plain, .. }, .. }])
}
