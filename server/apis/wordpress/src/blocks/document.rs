use std::ops::Range;

use serde_json::{Map, Value};

use super::delimiter::{Delimiter, Delimiters, Kind, is_space};
use super::error::BlockError;
use super::{BlockPath, excerpt};

/// What text without delimiters is called.
const FREEFORM: &str = "core/freeform";

/// A text of block markup. Every text is one: what is not in blocks is a block of text without delimiters.
#[derive(Debug, Clone)]
pub struct Document {
    pub(super) text: String,
    /// All blocks, in the order of their beginnings. An array rather than a tree, so that no depth is too deep.
    pub(super) nodes: Vec<Node>,
    pub(super) roots: Vec<usize>,
    problem: Option<BlockError>,
}

/// A block of a document.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    /// Between its delimiters. Empty for a block without content.
    pub(super) content: Range<usize>,
    /// The delimiter that begins it; `None` for text without delimiters.
    pub(super) opener: Option<Delimiter>,
    pub(super) children: Vec<usize>,
}

/// A part of the content of a block.
#[derive(Debug, Clone, Copy)]
pub enum Piece<'d> {
    /// Text.
    Html(&'d str),
    /// An inner block.
    Block(Block<'d>),
}

impl Document {
    /// Parses a text.
    pub fn parse(text: impl Into<String>) -> Self {
        let mut document =
            Self { text: text.into(), nodes: Vec::new(), roots: Vec::new(), problem: None };
        document.parse_blocks();
        document
    }

    fn parse_blocks(&mut self) {
        let text = std::mem::take(&mut self.text);
        let mut open: Vec<usize> = Vec::new();
        let mut read = 0;
        for delimiter in Delimiters::new(&text) {
            if open.is_empty() {
                if delimiter.kind == Kind::Closer {
                    self.problem = Some(BlockError::Unopened {
                        line: line_number(&text, delimiter.span.start),
                    });
                    break;
                }
                self.add_freeform(&text, read..delimiter.span.start);
            }
            let end = delimiter.span.end;
            match delimiter.kind {
                Kind::Void => {
                    self.add(open.last().copied(), delimiter);
                }
                Kind::Opener => open.push(self.add(open.last().copied(), delimiter)),
                Kind::Closer => {
                    if let Some(node) = open.pop().and_then(|at| self.nodes.get_mut(at)) {
                        node.content.end = delimiter.span.start;
                        node.span.end = end;
                    }
                }
            }
            if open.is_empty() {
                read = end;
            }
        }
        match open.first() {
            Some(_) => self.end_open_blocks(&text, &open),
            None => self.add_freeform(&text, read..text.len()),
        }
        self.text = text;
    }

    /// Lets blocks without an end go to the end of the text.
    fn end_open_blocks(&mut self, text: &str, open: &[usize]) {
        for &at in open {
            let node = &mut self.nodes[at];
            node.content.end = text.len();
            node.span.end = text.len();
        }
        self.problem = open.last().and_then(|&at| {
            let opener = self.nodes[at].opener.as_ref()?;
            let line = line_number(text, opener.span.start);
            Some(BlockError::Unclosed { name: opener.name.clone(), line })
        });
    }

    fn add(&mut self, parent: Option<usize>, opener: Delimiter) -> usize {
        let (at, end) = (self.nodes.len(), opener.span.end);
        let node = Node {
            span: opener.span.clone(),
            content: end..end,
            opener: Some(opener),
            children: Vec::new(),
        };
        self.nodes.push(node);
        match parent {
            Some(parent) => self.nodes[parent].children.push(at),
            None => self.roots.push(at),
        }
        at
    }

    /// Adds text between blocks, unless it is only space.
    fn add_freeform(&mut self, text: &str, span: Range<usize>) {
        let part = &text[span.clone()];
        let start = span.end - part.trim_start_matches(is_space).len();
        let end = span.start + part.trim_end_matches(is_space).len();
        if start < end {
            self.roots.push(self.nodes.len());
            self.nodes.push(Node {
                span: start..end,
                content: start..end,
                opener: None,
                children: Vec::new(),
            });
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Why the blocks of this text cannot be edited: they do not begin and end in pairs.
    pub fn problem(&self) -> Option<&BlockError> {
        self.problem.as_ref()
    }

    /// The blocks that are not inner blocks of others.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        self.roots.iter().map(|&node| Block { document: self, node })
    }

    /// All blocks with their paths, each before its inner blocks.
    pub fn walk(&self) -> impl Iterator<Item = (BlockPath, Block<'_>)> {
        // The positions and the rest of the siblings, for each level above the next block.
        let mut levels: Vec<(usize, &[usize])> = vec![(0, &self.roots)];
        std::iter::from_fn(move || {
            loop {
                let (position, siblings) = levels.last_mut()?;
                let Some((&node, rest)) = siblings.split_first() else {
                    levels.pop();
                    continue;
                };
                *siblings = rest;
                *position += 1;
                let positions: Vec<usize> = levels.iter().map(|(after, _)| after - 1).collect();
                levels.push((0, &self.nodes[node].children));
                return Some((BlockPath::new(&positions)?, Block { document: self, node }));
            }
        })
    }

    /// Returns the block at a path.
    ///
    /// # Errors
    /// [`BlockError::NoBlock`].
    pub fn block(&self, path: &BlockPath) -> Result<Block<'_>, BlockError> {
        let siblings = self.siblings_at(path)?;
        let missing = || BlockError::NoBlock { path: path.clone(), blocks: siblings.len() };
        let &node = siblings.get(path.last()).ok_or_else(missing)?;
        Ok(Block { document: self, node })
    }

    /// Returns the block whose inner blocks a path counts; `None` if that is the document.
    pub(super) fn find_parent(&self, path: &BlockPath) -> Result<Option<usize>, BlockError> {
        let mut parent = None;
        let mut siblings = &self.roots;
        for &position in path.parents() {
            let missing = || BlockError::NoBlock { path: path.clone(), blocks: siblings.len() };
            let &node = siblings.get(position).ok_or_else(missing)?;
            parent = Some(node);
            siblings = &self.nodes[node].children;
        }
        Ok(parent)
    }

    /// Returns the blocks at the level of a path.
    pub(super) fn siblings_at(&self, path: &BlockPath) -> Result<&[usize], BlockError> {
        Ok(match self.find_parent(path)? {
            Some(parent) => &self.nodes[parent].children,
            None => &self.roots,
        })
    }
}

/// The line of a position, from 1.
fn line_number(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// A block of a [`Document`].
#[derive(Debug, Clone, Copy)]
pub struct Block<'d> {
    document: &'d Document,
    node: usize,
}

impl<'d> Block<'d> {
    fn node(self) -> &'d Node {
        &self.document.nodes[self.node]
    }

    /// Its name with the namespace, such as `core/paragraph`.
    pub fn name(self) -> &'d str {
        self.node().opener.as_ref().map_or(FREEFORM, |opener| &opener.name)
    }

    /// Whether it is text without delimiters.
    pub fn is_freeform(self) -> bool {
        self.node().opener.is_none()
    }

    /// Its attributes; `None` if they are not a JSON object.
    pub fn attributes(self) -> Option<Map<String, Value>> {
        match self.attributes_text() {
            "" => Some(Map::new()),
            json => serde_json::from_str(json).ok().filter(|_| !self.has_odd_space()),
        }
    }

    /// Whether spaces follow the attributes that JSON does not have: WordPress reads them as a part of it.
    fn has_odd_space(self) -> bool {
        let opener = self.node().opener.as_ref();
        let after = opener.map_or("", |opener| &self.document.text[opener.attributes.end..]);
        after.chars().take_while(|&c| is_space(c)).any(|c| matches!(c, '\u{b}' | '\u{c}'))
    }

    pub(super) fn attributes_text(self) -> &'d str {
        let opener = self.node().opener.as_ref();
        opener.map_or("", |opener| &self.document.text[opener.attributes.clone()])
    }

    /// Its inner blocks.
    pub fn children(self) -> impl ExactSizeIterator<Item = Block<'d>> {
        self.node().children.iter().map(move |&node| Block { node, ..self })
    }

    /// The text that it is, with its delimiters.
    pub fn markup(self) -> &'d str {
        &self.document.text[self.node().span.clone()]
    }

    /// Where it is in the text, in bytes.
    pub fn span(self) -> Range<usize> {
        self.node().span.clone()
    }

    /// Its content: text, and inner blocks.
    pub fn pieces(self) -> Vec<Piece<'d>> {
        let content = &self.node().content;
        let mut pieces = Vec::new();
        let mut at = content.start;
        let push_html = |pieces: &mut Vec<Piece<'d>>, range: Range<usize>| {
            if !range.is_empty() {
                pieces.push(Piece::Html(&self.document.text[range]));
            }
        };
        for child in self.children() {
            let span = child.span();
            push_html(&mut pieces, at..span.start);
            pieces.push(Piece::Block(child));
            at = span.end;
        }
        push_html(&mut pieces, at..content.end);
        pieces
    }

    /// The beginning of its own text, without tags; at most so many characters.
    pub fn excerpt(self, most: usize) -> String {
        let pieces = self.pieces();
        let html = pieces.iter().filter_map(|piece| match piece {
            Piece::Html(html) => Some(*html),
            Piece::Block(_) => None,
        });
        excerpt::take_text(html, most)
    }
}
