//! Wikilinks in the values of the frontmatter.
//!
//! They may be anywhere in a text. Unquoted, `[[Note]]` is YAML for a list in a list, but the
//! author means a link, so it counts as one.

use super::link::{Link, LinkKind, Notation};
use super::wikilink;
use crate::frontmatter::{FrontmatterBlock, Node, ScalarStyle, Shape, StructureStyle};
use crate::span::Span;

/// The links of a frontmatter block; empty if it is not valid YAML.
pub(super) fn links(text: &str, block: FrontmatterBlock) -> Vec<Link<'_>> {
    let yaml = block.yaml.of(text);
    let mut links = Vec::new();
    if yaml.contains("[[")
        && let Ok(Some(node)) = Node::parse(yaml)
    {
        collect(text, block.yaml.start, &node, &mut links);
    }
    links.sort_by_key(|link| link.span);
    links.dedup_by_key(|link| link.span);
    links
}

fn collect<'a>(text: &'a str, offset: usize, node: &Node, links: &mut Vec<Link<'a>>) {
    let span = Span::new(node.span.start + offset, node.span.end + offset);
    match &node.shape {
        Shape::Scalar { style, .. } => {
            let notation = match style {
                ScalarStyle::SingleQuoted => Notation::SingleQuoted,
                ScalarStyle::DoubleQuoted => Notation::DoubleQuoted,
                _ => Notation::Plain,
            };
            scalar(text, span, notation, links);
        }
        Shape::Sequence { items, style: StructureStyle::Flow } if is_unquoted_link(items) => {
            scalar(text, span, Notation::Plain, links);
        }
        Shape::Sequence { items, .. } => {
            for item in items {
                collect(text, offset, item, links);
            }
        }
        Shape::Mapping { entries, .. } => {
            for entry in entries {
                collect(text, offset, &entry.value, links);
            }
        }
    }
}

/// Whether a flow list contains only a list of one plain scalar.
fn is_unquoted_link(items: &[Node]) -> bool {
    let [Node { shape: Shape::Sequence { items, style: StructureStyle::Flow }, .. }] = items else {
        return false;
    };
    matches!(items[..], [Node { shape: Shape::Scalar { style: ScalarStyle::Plain, .. }, .. }])
}

fn scalar<'a>(text: &'a str, span: Span, notation: Notation, links: &mut Vec<Link<'a>>) {
    let mut at = span.start;
    while let Some(open) = Span::new(at, span.end).of(text).find("[[") {
        let start = at + open + 2;
        let Some(length) = Span::new(start, span.end).of(text).find("]]") else { return };
        let inside = Span::new(start, start + length);
        let inner = inside.of(text).rfind("[[").map_or(0, |again| again + 2);
        let inside = Span::new(start + inner, inside.end);
        let on_one_line = !inside.of(text).contains('\n');
        let link = wikilink::parse(text, inside, LinkKind::Property, notation);
        links.extend(link.filter(|_| on_one_line));
        at = inside.end + 2;
    }
}
