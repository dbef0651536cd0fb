//! What Obsidian and Dataview add to the text of blocks: wikilinks, tags, block ids, fields.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::link::{Link, LinkKind, Notation};
use super::span::Span;
use super::structure::{Leaf, MarkdownLink};
use super::{Block, BlockKind, Field, Tag, fields, tag, wikilink};

/// What stands in the text of the blocks, in its order.
#[derive(Default)]
pub(super) struct Found<'a> {
    /// Wikilinks, embeds, and the Markdown links that no wikilink overrides.
    pub(super) links: Vec<Link<'a>>,
    pub(super) tags: Vec<Tag<'a>>,
    pub(super) blocks: Vec<Block<'a>>,
    pub(super) fields: Vec<Field<'a>>,
}

/// Looks through every block of text.
pub(super) fn scan<'a>(
    text: &'a str,
    leaves: &[Leaf],
    opaque: &[Span],
    links: Vec<MarkdownLink<'a>>,
) -> Found<'a> {
    let mut scanner = Scanner {
        text,
        at: 0,
        line: 0,
        escaped: 0,
        opaque,
        markdown: links.into_iter().peekable(),
        wikilinks_end: 0,
        embed: Span::new(0, 0),
        has_fields: text.contains("::"),
        found: Found::default(),
    };
    for leaf in leaves {
        scanner.leaf(leaf);
    }
    scanner.at = text.len();
    scanner.pass_markdown_links();
    let mut found = scanner.found;
    found.links.sort_by_key(|link| link.span);
    found
}

struct Scanner<'s, 'a> {
    text: &'a str,
    at: usize,
    /// Where the text of the line at hand starts.
    line: usize,
    /// Where the last escaped character ends.
    escaped: usize,
    /// What is opaque from here on, sorted.
    opaque: &'s [Span],
    /// Markdown links from here on, by where their text ends.
    markdown: Peekable<IntoIter<MarkdownLink<'a>>>,
    /// Where the last wikilink ends.
    wikilinks_end: usize,
    /// The last embed.
    embed: Span,
    /// Whether it is worth to look for fields.
    has_fields: bool,
    found: Found<'a>,
}

/// What may start something inside a text, or escape it.
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

impl<'a> Scanner<'_, 'a> {
    fn leaf(&mut self, leaf: &Leaf) {
        let end = leaf.span.end;
        // What hides text may reach from one block into others.
        if self.at <= leaf.span.start {
            self.at = leaf.span.start;
            self.start_line(end);
        }
        while self.at < end {
            self.pass_markdown_links();
            self.pass_opaque();
            let limit = end.min(self.next_stop());
            let rest = self.text.as_bytes().get(self.at..limit).unwrap_or_default();
            match rest.iter().position(|&byte| SPECIAL[usize::from(byte)]) {
                Some(offset) => {
                    self.at += offset;
                    self.special(end);
                }
                None => self.at = self.at.max(limit),
            }
        }
        self.block_id(leaf);
    }

    /// Looks at the character at hand, which may start something.
    fn special(&mut self, leaf_end: usize) {
        let at = self.at;
        let rest = &self.text[at..leaf_end];
        self.at += 1;
        match rest.as_bytes()[0] {
            b'\\' => {
                self.at += rest[1..].chars().next().map_or(0, char::len_utf8);
                self.escaped = self.at;
            }
            b'\n' => self.start_line(leaf_end),
            b'#' if at == self.line || self.text[..at].ends_with(char::is_whitespace) => {
                if let Some(tag) = tag::parse(self.text, Span::new(at, leaf_end)) {
                    self.at = tag.span.end;
                    self.found.tags.push(tag);
                }
            }
            b'[' if rest.starts_with("[[") => self.wikilink(at, first_line(rest)),
            b'[' | b'(' if self.has_fields => {
                self.found.fields.extend(fields::bracketed(first_line(rest), at));
            }
            _ => {}
        }
    }

    /// The text of a line starts, after what marks it as quoted.
    fn start_line(&mut self, leaf_end: usize) {
        let rest = &self.text[self.at..leaf_end];
        let line = rest.trim_start_matches([' ', '\t', '>']);
        self.line = self.at + rest.len() - line.len();
        if self.has_fields {
            self.found.fields.extend(fields::line(first_line(line), self.line));
        }
    }

    /// Reads the wikilink that starts at `at`, in the rest of its line. Of several `[[`, the last
    /// before `]]` opens it.
    fn wikilink(&mut self, at: usize, rest: &'a str) {
        let mut close = 2;
        let close = loop {
            let Some(offset) = rest[close..].find("]]") else { return };
            match self.opaque_around(at + close + offset) {
                Some(span) if span.end < at + rest.len() => close = span.end - at,
                Some(_) => return,
                None => break close + offset,
            }
        };
        let open = rest[..close].rfind("[[").unwrap_or(0);
        let start = at + open;
        let embed = self.text[..start].ends_with('!') && self.escaped != start;
        let kind = if embed { LinkKind::Embed } else { LinkKind::Wikilink };
        let inside = Span::new(start + 2, at + close);
        let Some(link) = wikilink::parse(self.text, inside, kind, Notation::Plain) else { return };
        self.at = link.span.end;
        if embed {
            self.embed = link.span;
        } else {
            self.wikilinks_end = link.span.end;
        }
        self.found.links.push(link);
    }

    /// Takes the Markdown links whose text ends here or before. There are no links in links: one
    /// that holds a wikilink, or that stands in one, is text. It may hold an embed.
    fn pass_markdown_links(&mut self) {
        while let Some(markdown) = self.markdown.next_if(|next| next.tail.start <= self.at) {
            let start = markdown.link.span.start;
            if start >= self.wikilinks_end && !self.embed.contains(start) {
                self.at = self.at.max(markdown.tail.end);
                self.found.links.push(markdown.link);
            }
        }
    }

    /// Steps over what is opaque here.
    fn pass_opaque(&mut self) {
        while let Some(span) = self.opaque.first()
            && span.start <= self.at
        {
            self.at = self.at.max(span.end);
            self.opaque = &self.opaque[1..];
        }
    }

    /// Where the next thing starts that is not plain text.
    fn next_stop(&mut self) -> usize {
        let opaque = self.opaque.first().map_or(usize::MAX, |span| span.start);
        opaque.min(self.markdown.peek().map_or(usize::MAX, |next| next.tail.start))
    }

    /// What is opaque around a place that is not passed yet.
    fn opaque_around(&self, at: usize) -> Option<Span> {
        let started = self.opaque.iter().take_while(|span| span.start <= at);
        started.copied().find(|span| span.contains(at))
    }

    /// The id at the end of a block.
    fn block_id(&mut self, leaf: &Leaf) {
        let text = leaf.span.of(self.text).trim_end();
        let start = text.rfind(char::is_whitespace).map_or(0, |space| space + 1);
        let Some(id) = text[start..].strip_prefix('^') else { return };
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return;
        }
        let end = leaf.span.start + text.len();
        let marker = Span::new(leaf.span.start + start, end);
        let content = Span::new(leaf.span.start, marker.start);
        let named = match (content.is_empty(), leaf.kind) {
            (true, _) => leaf.before,
            // The cells of a table are no blocks.
            (false, BlockKind::Table) => None,
            (false, kind) => Some((content, kind)),
        };
        if let Some((content, kind)) = named {
            let content = content.trimmed(self.text);
            self.found.blocks.push(Block { id, kind, content, marker });
        }
    }
}

fn first_line(text: &str) -> &str {
    text.find('\n').map_or(text, |newline| &text[..newline])
}
