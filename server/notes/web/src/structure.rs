//! Parsing HTML from strangers: with limits on the nodes, their depth, their attributes and the time.
//!
//! The HTML parser itself takes any input. Elements that are not closed make each later element cost more, attributes each
//! later attribute of their tag, and trees that are too deep overflow the stack of code that walks them. So the text is given
//! to the parser in pieces, and the limits are checked after each.

use std::cell::Cell;

use dom_query::{Document, NodeId, NodeRef};
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeBuilderOpts, TreeSink as _};

use crate::error::WebError;

/// Limit of the nodes of a page.
const MAX_NODES: usize = 100_000;
/// Limit of the elements around an element.
const MAX_DEPTH: usize = 256;
/// Limit of the characters in one tag that may end an attribute.
const MAX_SEPARATORS: usize = 50_000;
/// Limit of the characters `&` in the text of a page. Markdown costs more for each the more there are.
const MAX_AMPERSANDS: usize = 10_000;
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

/// The builder of the tree, and counts of what it was given.
struct Counted {
    builder: TreeBuilder<NodeId, Document>,
    tokens: Cell<usize>,
    ampersands: Cell<usize>,
    /// Whether the text is a script or a style, which are no part of the Markdown.
    is_code: Cell<bool>,
}

impl Counted {
    fn new(builder: TreeBuilder<NodeId, Document>) -> Self {
        let (tokens, ampersands, is_code) = Default::default();
        Self { builder, tokens, ampersands, is_code }
    }

    fn count(&self, token: &Token) {
        match token {
            // A tag may have an error for each attribute.
            Token::ParseError(_) => return,
            Token::TagToken(tag) => {
                let is_code = matches!(&*tag.name, "script" | "style");
                self.is_code.set(is_code && tag.kind == TagKind::StartTag);
            }
            Token::CharacterTokens(text) if !self.is_code.get() => {
                let more = text.bytes().filter(|byte| *byte == b'&').count();
                self.ampersands.set(self.ampersands.get() + more);
            }
            _ => {}
        }
        self.tokens.set(self.tokens.get() + 1);
    }
}

impl TokenSink for Counted {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        self.count(&token);
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// How many characters of a text may end an attribute.
fn count_separators(text: &str) -> usize {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'/');
    text.as_bytes().iter().filter(|byte| ends(byte)).count()
}

/// Parses a page. `is_over` tells whether the time is over.
///
/// # Errors
/// [`WebError::TooComplex`] if a limit is exceeded, the error of `is_over` if the time is over.
pub(crate) fn parse(
    html: &str,
    is_over: &dyn Fn() -> Result<(), WebError>,
) -> Result<Document, WebError> {
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let builder = TreeBuilder::new(Document::default(), options);
    let tokenizer = Tokenizer::new(Counted::new(builder), TokenizerOpts::default());
    let (input, mut within_token) = (BufferQueue::default(), 0);
    let mut rest = html;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE.min(rest.len())));
        rest = after;
        let Counted { builder, tokens, ampersands, .. } = &tokenizer.sink;
        let before = tokens.get();
        input.push_back(StrTendril::from_slice(piece));
        // No script is run, and the charset is known.
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        within_token =
            if tokens.get() == before { within_token } else { 0 } + count_separators(piece);
        let open = OpenElements::default();
        builder.trace_handles(&open);
        // The messages of the parser are not used.
        builder.sink.errors.borrow_mut().clear();
        if builder.sink.tree.len() > MAX_NODES
            || open.0.get() > 2 * MAX_DEPTH
            || within_token > MAX_SEPARATORS
            || ampersands.get() > MAX_AMPERSANDS
        {
            return Err(WebError::TooComplex);
        }
        is_over()?;
    }
    tokenizer.end();
    let document = tokenizer.sink.builder.sink.finish();
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
