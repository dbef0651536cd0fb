//! Parsing HTML from strangers: with limits on the nodes, their depth and the time.
//!
//! The HTML parser itself takes any input. Elements that are not closed make each later element cost more,
//! and trees that are too deep overflow the stack of code that walks them. So the text is given to the parser
//! in pieces, and the limits are checked after each.

use std::cell::Cell;

use dom_query::{Document, NodeId, NodeRef};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::{Tracer, TreeBuilderOpts};
use html5ever::{ParseOpts, parse_document};

use crate::error::WebError;

/// Limit of the nodes of a page.
const MAX_NODES: usize = 100_000;
/// Limit of the elements around an element.
const MAX_DEPTH: usize = 256;
/// Bytes that are parsed between two checks.
const PIECE: usize = 512;

/// Counts the elements that the parser has not closed.
#[derive(Default)]
struct OpenElements(Cell<usize>);

impl Tracer for OpenElements {
    type Handle = NodeId;

    fn trace_handle(&self, _node: &NodeId) {
        self.0.set(self.0.get() + 1);
    }
}

/// Parses a page. `is_over` tells whether the time is over.
///
/// # Errors
/// [`WebError::TooComplex`] if a limit is exceeded, the error of `is_over` if the time is over.
pub(crate) fn parse(
    html: &str,
    is_over: &dyn Fn() -> Result<(), WebError>,
) -> Result<Document, WebError> {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() },
        ..ParseOpts::default()
    };
    let mut parser = parse_document(Document::default(), options);
    let mut rest = html;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE.min(rest.len())));
        rest = after;
        parser.process(StrTendril::from_slice(piece));
        let builder = &parser.tokenizer.sink;
        let open = OpenElements::default();
        builder.trace_handles(&open);
        // The messages of the parser are not used.
        builder.sink.errors.borrow_mut().clear();
        if builder.sink.tree.len() > MAX_NODES || open.0.get() > 2 * MAX_DEPTH {
            return Err(WebError::TooComplex);
        }
        is_over()?;
    }
    let document = parser.finish();
    if is_deeper(document.root(), MAX_DEPTH) { Err(WebError::TooComplex) } else { Ok(document) }
}

/// Whether there is a node with more than `limit` nodes above it.
fn is_deeper(root: NodeRef<'_>, limit: usize) -> bool {
    let (mut node, mut depth) = (root, 0);
    loop {
        if let Some(child) = node.first_child() {
            (node, depth) = (child, depth + 1);
        } else {
            while node.next_sibling().is_none() && depth > 0 {
                let Some(parent) = node.parent() else { return false };
                (node, depth) = (parent, depth - 1);
            }
            match node.next_sibling() {
                Some(next) if depth > 0 => node = next,
                _ => return false,
            }
        }
        if depth > limit {
            return true;
        }
    }
}
