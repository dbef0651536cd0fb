//! The CommonMark structure of a note: sections, text blocks, Markdown links, tasks, and the spans
//! that are opaque to Obsidian's additional syntax.

use pulldown_cmark::{Event, LinkType, OffsetIter, Options, Parser, Tag, TagEnd};

use super::destination::{self, MarkdownLink};
use super::limits::{Excess, PARTS_LIMIT};
use super::link::LinkKind;
use super::masks::Masked;
use super::sections;
use super::{BlockKind, Heading, ListItem, TaskItem};
use toolwrit_frontmatter::Span;

const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES).union(Options::ENABLE_MATH);

/// What the Markdown parser found, in the order of the text.
pub(super) struct Structure<'a> {
    pub(super) headings: Vec<Heading<'a>>,
    pub(super) items: Vec<ListItem>,
    /// Blocks that contain text; they do not nest.
    pub(super) leaves: Vec<Leaf>,
    /// Code, HTML and math inside leaves, and comment blocks anywhere; may nest.
    pub(super) opaque: Vec<Span>,
    pub(super) links: Vec<MarkdownLink<'a>>,
}

/// A block that contains text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    /// Its text, without the mark of a list item and the checkbox of a task.
    pub(super) span: Span,
    pub(super) kind: BlockKind,
    /// The block that an id in this one names.
    pub(super) before: Option<(Span, BlockKind)>,
}

impl<'a> Structure<'a> {
    /// # Errors
    /// [`Excess`] if the text has too much structure.
    pub(super) fn parse(text: &'a str, body: Span) -> Result<Self, Excess> {
        let masked = Masked::new(body.slice(text));
        let at = |range: std::ops::Range<usize>| {
            Span::new(range.start + body.start, range.end + body.start)
        };
        let parser = Parser::new_ext(&masked.body, OPTIONS);
        let definitions = parser.reference_definitions().iter();
        let definitions: Vec<_> = definitions
            .filter_map(|(_, found)| {
                destination::parse_definition(text, at(found.span.clone()), &found.dest)
            })
            .collect();
        let mut builder = StructureBuilder::new(text, body.start);
        builder.walk(parser.into_offset_iter())?;
        let mut found = builder.found;
        sections::close_sections(&mut found.headings, text.len());
        found.opaque.extend(masked.spans.iter().map(|&span| at(span.into())));
        found.opaque.sort_unstable();
        found.links.extend(definitions);
        found.links.sort_by_key(|link| link.tail);
        Ok(found)
    }
}

struct StructureBuilder<'a> {
    text: &'a str,
    /// The offset of the parsed text in the note.
    offset: usize,
    /// The blocks around the current event.
    open: Vec<OpenBlock>,
    links: Vec<OpenLink>,
    /// The start of the current table row.
    row: usize,
    found: Structure<'a>,
}

/// A block whose end has not been reached.
struct OpenBlock {
    kind: BlockKind,
    start: usize,
    /// The last completed block inside.
    last: Option<(Span, BlockKind)>,
    /// Text directly inside, as in tight list items.
    run: Option<Span>,
    /// Its position in the found items, if it is one.
    item: Option<usize>,
}

/// A link whose text is being read.
struct OpenLink {
    kind: LinkKind,
    span: Span,
    /// As decoded by the parser; `None` if it is defined elsewhere.
    destination: Option<String>,
    /// The end of its text so far.
    text_end: usize,
}

impl<'a> StructureBuilder<'a> {
    fn new(text: &'a str, offset: usize) -> Self {
        let found = Structure {
            headings: Vec::new(),
            items: Vec::new(),
            leaves: Vec::new(),
            opaque: Vec::new(),
            links: Vec::new(),
        };
        let kind = BlockKind::Other;
        let note = OpenBlock { kind, start: offset, last: None, run: None, item: None };
        Self { text, offset, open: vec![note], links: Vec::new(), row: offset, found }
    }

    fn walk(&mut self, events: OffsetIter<'_>) -> Result<(), Excess> {
        for (event, range) in events {
            let found = &self.found;
            if found.headings.len() + found.items.len() + found.links.len() > PARTS_LIMIT {
                return Err(Excess::Parts);
            }
            let span = Span::new(range.start + self.offset, range.end + self.offset);
            match event {
                Event::Start(tag) => self.start_tag(tag, span),
                Event::End(tag) => self.end_tag(tag, span),
                Event::Code(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::InlineHtml(_) => {
                    self.found.opaque.push(span);
                    self.extend_block(span);
                }
                Event::Rule => {
                    self.end_text();
                    self.finish_block(span, BlockKind::Other);
                }
                _ => self.extend_block(span),
            }
        }
        Ok(())
    }

    fn start_tag(&mut self, tag: Tag<'_>, span: Span) {
        match tag {
            Tag::Link { link_type, dest_url, .. } => {
                self.open_link(LinkKind::Markdown, link_type, span, &dest_url);
            }
            Tag::Image { link_type, dest_url, .. } => {
                self.open_link(LinkKind::Image, link_type, span, &dest_url);
            }
            Tag::TableHead | Tag::TableRow => self.row = span.start,
            _ => match block_kind(tag.to_end()) {
                Some(kind) => {
                    self.end_text();
                    let start =
                        if kind == BlockKind::Item { self.find_marker(span) } else { span.start };
                    let item = (kind == BlockKind::Item)
                        .then(|| self.start_item(Span::new(start, span.end)));
                    self.open.push(OpenBlock { kind, start, last: None, run: None, item });
                }
                None => self.extend_block(span),
            },
        }
    }

    /// The place of the marker of an item. The parser subtracts columns from bytes, so that its own start of an item behind a
    /// tab may be in the line before.
    fn find_marker(&self, span: Span) -> usize {
        let before = |c: char| c.is_whitespace() || c == '>';
        span.start + span.slice(self.text).find(|c| !before(c)).unwrap_or(0)
    }

    /// Enters an item, as yet without content.
    fn start_item(&mut self, span: Span) -> usize {
        if let Some(list) = self.open.last_mut().filter(|list| list.last.is_none()) {
            list.start = span.start;
        }
        let marker =
            span.slice(self.text).find(char::is_whitespace).unwrap_or(span.slice(self.text).len());
        let lists = self.open.iter().filter(|block| block.kind == BlockKind::List);
        self.found.items.push(ListItem {
            span: Span::new(span.start, span.start + marker),
            list: lists.map(|list| list.start).next().unwrap_or(span.start),
            parent: self.open.iter().rev().find_map(|block| block.item),
            task: None,
        });
        self.found.items.len() - 1
    }

    fn end_tag(&mut self, tag: TagEnd, span: Span) {
        if matches!(tag, TagEnd::Link | TagEnd::Image) {
            return self.close_link();
        }
        let Some(kind) = block_kind(tag) else { return };
        self.end_text();
        let start = self.open.pop().map_or(span.start, |open| open.start);
        let span = Span::new(start, span.end);
        match tag {
            TagEnd::Paragraph => self.push_leaf(span, kind),
            TagEnd::TableCell => return self.push_leaf(span, kind),
            TagEnd::Heading(level) => {
                if self.open.len() == 1 {
                    self.found.headings.push(sections::parse_heading(self.text, span, level as u8));
                }
                self.push_leaf(span, kind);
            }
            _ => {}
        }
        self.finish_block(span, kind);
    }

    /// Extends the open block by the text at `span`.
    fn extend_block(&mut self, span: Span) {
        if let Some(link) = self.links.last_mut() {
            link.text_end = link.text_end.max(span.end);
        }
        let Some(open) = self.open.last_mut() else { return };
        if open.kind == BlockKind::Item {
            // The backslash of an escaped character is in no event.
            let escaped = self.text[..span.start].ends_with('\\');
            let start = span.start - usize::from(escaped);
            let run = open.run.get_or_insert(Span::new(start, span.end));
            run.end = run.end.max(span.end);
        }
    }

    /// Ends the text directly inside the open block.
    fn end_text(&mut self) {
        if let Some(run) = self.open.last_mut().and_then(|open| open.run.take()) {
            self.push_leaf(run, BlockKind::Paragraph);
            self.finish_block(run, BlockKind::Paragraph);
        }
    }

    fn finish_block(&mut self, span: Span, kind: BlockKind) {
        let Some(open) = self.open.last_mut() else { return };
        let is_own = kind != BlockKind::List
            && open.last.is_none_or(|(_, before)| before != BlockKind::List);
        if let Some(item) = open.item.filter(|_| is_own) {
            self.found.items[item].span.end = span.trim(self.text).end;
        }
        open.last = Some((span, kind));
    }

    fn push_leaf(&mut self, mut span: Span, mut kind: BlockKind) {
        let Some(parent) = self.open.last() else { return };
        let mut before = parent.last;
        if kind == BlockKind::Table {
            // An id directly under a table, without a blank line, is parsed as its last row.
            let rows = Span::new(parent.start, self.row);
            before = (span.start == self.row).then_some((rows, BlockKind::Table));
        } else if parent.kind == BlockKind::Item && before.is_none() {
            kind = BlockKind::Item;
            if let Some(task) = parse_task(self.text, span) {
                span.start = task.text.start;
                if let Some(item) = parent.item {
                    self.found.items[item].task = Some(task);
                }
            }
        }
        self.found.leaves.push(Leaf { span, kind, before });
    }

    fn open_link(&mut self, kind: LinkKind, link_type: LinkType, span: Span, destination: &str) {
        self.extend_block(span);
        let destination = (link_type == LinkType::Inline).then(|| destination.to_owned());
        let text_end = span.start + if kind == LinkKind::Image { 2 } else { 1 };
        self.links.push(OpenLink { kind, span, destination, text_end });
    }

    fn close_link(&mut self) {
        let Some(OpenLink { kind, span, destination, text_end }) = self.links.pop() else { return };
        if let Some(around) = self.links.last_mut() {
            around.text_end = around.text_end.max(span.end);
        }
        if let Some(destination) = destination {
            let tail = Span::new(text_end, span.end);
            let link = destination::parse_inline(self.text, kind, span, tail, &destination);
            self.found.links.extend(link);
        }
    }
}

/// The kind of block that a tag ends; `None` if it is inline.
fn block_kind(tag: TagEnd) -> Option<BlockKind> {
    Some(match tag {
        TagEnd::Paragraph => BlockKind::Paragraph,
        TagEnd::Heading(_) => BlockKind::Heading,
        TagEnd::Item => BlockKind::Item,
        TagEnd::List(_) => BlockKind::List,
        TagEnd::BlockQuote(_) => BlockKind::Quote,
        TagEnd::Table | TagEnd::TableCell => BlockKind::Table,
        TagEnd::CodeBlock => BlockKind::Code,
        TagEnd::HtmlBlock | TagEnd::FootnoteDefinition => BlockKind::Other,
        _ => return None,
    })
}

/// The checkbox at the start of a list item's text: `[`, one character, `]`, white space.
fn parse_task(text: &str, item: Span) -> Option<TaskItem> {
    let status = parse_checkbox(item.slice(text))?;
    let status_span = Span::new(item.start + 1, item.start + 1 + status.len_utf8());
    let text = Span::new(status_span.end + 1, item.end).trim(text);
    Some(TaskItem { status, status_span, text })
}

/// The character in the checkbox with which a text begins: `[x] text`.
pub(crate) fn parse_checkbox(text: &str) -> Option<char> {
    let rest = text.strip_prefix('[')?;
    let status = rest.chars().next().filter(|&c| c != '\n' && c != '\r')?;
    let rest = rest[status.len_utf8()..].strip_prefix(']')?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(status)
}
