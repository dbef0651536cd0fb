//! The syntax that Obsidian and Dataview add to the text of blocks: wikilinks, tags, block ids,
//! fields.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::destination::MarkdownLink;
use super::link::{Link, LinkKind, Notation};
use super::structure::Leaf;
use super::{Block, BlockKind, InlineField, Tag, fields, tag, wikilink};
use toolwrit_frontmatter::Span;

/// The elements in the text of the blocks, in their order.
#[derive(Default)]
pub(super) struct InlineParts<'a> {
    /// Wikilinks, embeds, and the Markdown links that do not overlap a wikilink.
    pub(super) links: Vec<Link<'a>>,
    pub(super) tags: Vec<Tag<'a>>,
    pub(super) blocks: Vec<Block<'a>>,
    pub(super) fields: Vec<InlineField<'a>>,
}

/// Scans every block of text.
pub(super) fn scan<'a>(
    text: &'a str,
    leaves: &[Leaf],
    opaque: &[Span],
    links: Vec<MarkdownLink<'a>>,
) -> InlineParts<'a> {
    let mut scanner = InlineScanner {
        text,
        at: 0,
        line: 0,
        line_end: 0,
        escaped: 0,
        unclosed: 0,
        field_end: 0,
        opaque,
        markdown: links.into_iter().peekable(),
        wikilinks_end: 0,
        embed: Span::new(0, 0),
        has_fields: text.contains("::"),
        found: InlineParts::default(),
    };
    for leaf in leaves {
        scanner.scan_leaf(leaf);
    }
    scanner.at = text.len();
    scanner.pass_markdown_links();
    let mut found = scanner.found;
    found.links.sort_by_key(|link| link.span);
    found
}

struct InlineScanner<'s, 'a> {
    text: &'a str,
    at: usize,
    /// The start of the current line's text.
    line: usize,
    /// The end of that line, or of the block if it comes first.
    line_end: usize,
    /// The end of the last escaped character.
    escaped: usize,
    /// The remaining opaque spans, sorted.
    opaque: &'s [Span],
    /// The remaining Markdown links, by the end of their text.
    markdown: Peekable<IntoIter<MarkdownLink<'a>>>,
    /// The end of the last wikilink.
    wikilinks_end: usize,
    /// The last embed.
    embed: Span,
    /// No `]]` comes before this offset.
    unclosed: usize,
    /// Whether the text can contain fields.
    has_fields: bool,
    /// The end of the last field in brackets. Fields do not nest.
    field_end: usize,
    found: InlineParts<'a>,
}

/// Characters that may start an element or escape one.
const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let bytes = b"\\\n[(#";
    let mut index = 0;
    while index < bytes.len() {
        special[bytes[index] as usize] = true;
        index += 1;
    }
    special
};

impl<'a> InlineScanner<'_, 'a> {
    fn scan_leaf(&mut self, leaf: &Leaf) {
        let end = leaf.span.end;
        // An opaque span may extend over several blocks.
        if self.at <= leaf.span.start {
            self.at = leaf.span.start;
            self.start_line(end);
        }
        while self.at < end {
            self.pass_markdown_links();
            self.pass_opaque();
            let limit = end.min(self.find_next_stop());
            let rest = self.text.as_bytes().get(self.at..limit).unwrap_or_default();
            match rest.iter().position(|&byte| SPECIAL[usize::from(byte)]) {
                Some(offset) => {
                    self.at += offset;
                    self.scan_special(end);
                }
                None => self.at = self.at.max(limit),
            }
        }
        self.scan_block_id(leaf);
    }

    /// Handles the current character, which may start an element.
    fn scan_special(&mut self, leaf_end: usize) {
        let at = self.at;
        let rest = &self.text[at..leaf_end];
        self.at += 1;
        match rest.as_bytes()[0] {
            b'\\' => {
                self.at += rest[1..].chars().next().map_or(0, char::len_utf8);
                self.escaped = self.at;
            }
            b'\n' => self.start_line(leaf_end),
            b'#' if self.is_word_start(at) => {
                if let Some(tag) = tag::parse(self.text, Span::new(at, leaf_end)) {
                    self.at = tag.span.end;
                    self.found.tags.push(tag);
                }
            }
            b'[' if rest.starts_with("[[") && at >= self.unclosed => {
                let line = self.rest_of_line(at, leaf_end);
                self.scan_wikilink(at, line);
            }
            b'[' | b'(' if self.has_fields && at >= self.field_end => {
                let line = self.rest_of_line(at, leaf_end);
                if let Some(field) = fields::parse_bracketed(line, at) {
                    self.field_end = field.span.end;
                    self.found.fields.push(field);
                }
            }
            _ => {}
        }
    }

    /// Whether the byte `at` starts a line, or follows white space or an escaped character.
    fn is_word_start(&self, at: usize) -> bool {
        at == self.line || at == self.escaped || self.text[..at].ends_with(char::is_whitespace)
    }

    /// The text from `at` to the end of its line or of the block.
    fn rest_of_line(&mut self, at: usize, leaf_end: usize) -> &'a str {
        if at >= self.line_end {
            let rest = &self.text[at..leaf_end];
            self.line_end = at + rest.find('\n').unwrap_or(rest.len());
        }
        &self.text[at..self.line_end]
    }

    /// Starts the text of a line, after its quote marks.
    fn start_line(&mut self, leaf_end: usize) {
        let rest = &self.text[self.at..leaf_end];
        let line = rest.trim_start_matches([' ', '\t', '>']);
        self.line = self.at + rest.len() - line.len();
        if self.has_fields {
            let line = self.rest_of_line(self.line, leaf_end);
            self.found.fields.extend(fields::parse_line(line, self.line));
        }
    }

    /// Reads the wikilink at `at`, within its line. If there are several `[[`, the last one before
    /// `]]` opens it.
    fn scan_wikilink(&mut self, at: usize, rest: &'a str) {
        let Some(close) = self.find_closing(at, rest) else {
            self.unclosed = at + rest.len();
            return;
        };
        let pairs = rest.as_bytes()[..close].windows(2);
        let open = pairs.rev().position(|pair| pair == b"[[").map_or(0, |back| close - 2 - back);
        let start = at + open;
        let embed = self.text[..start].ends_with('!') && self.escaped != start;
        let kind = if embed { LinkKind::Embed } else { LinkKind::Wikilink };
        let inside = Span::new(start + 2, at + close);
        self.at = inside.end + 2;
        let Some(link) = wikilink::parse(self.text, inside, kind, Notation::Plain) else { return };
        if embed {
            self.embed = link.span;
        } else {
            self.wikilinks_end = link.span.end;
        }
        self.found.links.push(link);
    }

    /// Takes the Markdown links whose text ends here or before. Links do not nest: a Markdown link
    /// that contains or is in a wikilink is text. It may contain an embed.
    fn pass_markdown_links(&mut self) {
        while let Some(markdown) = self.markdown.next_if(|next| next.tail.start <= self.at) {
            let start = markdown.link.span.start;
            if start >= self.wikilinks_end && !self.embed.contains(start) {
                self.at = self.at.max(markdown.tail.end);
                self.found.links.push(markdown.link);
            }
        }
    }

    /// Skips an opaque span.
    fn pass_opaque(&mut self) {
        while let Some(span) = self.opaque.first()
            && span.start <= self.at
        {
            self.at = self.at.max(span.end);
            self.opaque = &self.opaque[1..];
        }
    }

    /// The offset of the next character that is not plain text.
    fn find_next_stop(&mut self) -> usize {
        let opaque = self.opaque.first().map_or(usize::MAX, |span| span.start);
        opaque.min(self.markdown.peek().map_or(usize::MAX, |next| next.tail.start))
    }

    /// The offset of the first `]]` in `rest`, which starts at `at`, outside of opaque spans.
    fn find_closing(&self, at: usize, rest: &str) -> Option<usize> {
        let mut opaque = self.opaque.iter();
        let mut hidden = Span::new(0, 0);
        let mut from = 2;
        loop {
            let close = from + find_closing_brackets(rest.get(from..)?)?;
            while hidden.end <= at + close {
                match opaque.clone().next() {
                    Some(span) if span.start <= at + close => hidden = *span,
                    _ => return Some(close),
                }
                opaque.next();
            }
            from = hidden.end - at;
        }
    }

    /// The id at the end of a block.
    fn scan_block_id(&mut self, leaf: &Leaf) {
        let text = leaf.span.slice(self.text).trim_end();
        let word = text.rsplit(char::is_whitespace).next().unwrap_or(text);
        let Some(id) = word.strip_prefix('^') else { return };
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return;
        }
        let end = leaf.span.start + text.len();
        let marker = Span::new(end - word.len(), end);
        let content = Span::new(leaf.span.start, marker.start);
        let named = match (content.is_empty(), leaf.kind) {
            (true, _) => leaf.before,
            // The cells of a table are not blocks.
            (false, BlockKind::Table) => None,
            (false, kind) => Some((content, kind)),
        };
        if let Some((content, kind)) = named {
            let content = content.trim(self.text);
            self.found.blocks.push(Block { id, kind, content, marker });
        }
    }
}

/// The offset of the first `]]`. Most links are short, for which a general search is slower.
fn find_closing_brackets(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let bracket = from + text[from..].find(']')?;
        if text[bracket + 1..].starts_with(']') {
            return Some(bracket);
        }
        from = bracket + 1;
    }
}
