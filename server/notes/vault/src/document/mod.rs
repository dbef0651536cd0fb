//! The structure of a note, as byte offsets.
//!
//! [`Document::parse`] reads the structure of CommonMark with tables, footnotes and math, and
//! Obsidian's additions: wikilinks, embeds, tags, block ids, comments, frontmatter, and the inline
//! fields of Dataview. It finds nothing inside code, math, HTML, blocks of `%%comments%%` or a
//! link's destination. Links and tags in a comment within a line do count, as in Obsidian.
//!
//! Every [`Span`] counts bytes of the text as given, including line endings, so that an edit can be
//! spliced at exactly that place.

mod destination;
mod fields;
mod inline;
mod limits;
mod link;
mod masks;
mod properties;
mod sections;
mod structure;
mod tag;
mod wikilink;

pub use limits::{Excess, TEXT_LIMIT};
pub use link::{Link, LinkKind, Notation};
pub use tag::{InvalidTag, TagName};
pub use toolwrit_frontmatter::Span;

use limits::PARTS_LIMIT;
use structure::Structure;
pub(crate) use structure::parse_checkbox;

use crate::large;
use toolwrit_frontmatter::FrontmatterBlock;

/// A parsed note. Each list is in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document<'a> {
    /// The text that all spans refer to.
    pub text: &'a str,
    /// The YAML at the top, if there is any.
    pub frontmatter: Option<FrontmatterBlock>,
    /// Everything after the frontmatter.
    pub body: Span,
    /// Headings of the note itself. Headings inside quotes, callouts and lists start no section.
    pub headings: Vec<Heading<'a>>,
    /// Links and embeds, those of the frontmatter first. Includes links to destinations outside the
    /// vault; see [`Link::is_external`].
    pub links: Vec<Link<'a>>,
    /// Tags in the text. Tags in the frontmatter are values of its `tags` key.
    pub tags: Vec<Tag<'a>>,
    /// Blocks with an id.
    pub blocks: Vec<Block<'a>>,
    /// The items of all lists.
    pub items: Vec<ListItem>,
    /// Inline fields of Dataview.
    pub fields: Vec<InlineField<'a>>,
}

/// A heading and the section that it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading<'a> {
    /// 1 to 6.
    pub level: u8,
    /// Its text as written, without heading marks.
    pub text: &'a str,
    /// Where that text is.
    pub text_span: Span,
    /// Its line, or its lines if it is underlined, with the line ending.
    pub span: Span,
    /// The text after it, up to the next heading of the same or a higher level, or to the end of
    /// the note.
    pub content: Span,
}

/// A tag in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Without `#`; nested tags have `/` between their parts.
    pub name: &'a str,
    /// With `#`.
    pub span: Span,
}

/// A block with an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// Without `^`.
    pub id: &'a str,
    /// What kind of block it is.
    pub kind: BlockKind,
    /// The block without its id. For a list item it is the item's own text, without nested items
    /// and without the list marker. It does not end with a line ending.
    pub content: Span,
    /// `^id`.
    pub marker: Span,
}

/// What kind of block an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// A paragraph, including one in a footnote.
    Paragraph,
    Heading,
    /// The text of one list item.
    Item,
    /// A whole list.
    List,
    /// A quote or callout.
    Quote,
    Table,
    /// A code block.
    Code,
    /// Anything else: a rule, HTML.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListItem {
    /// From its marker (`-`, `1.`) to the end of its own content, before nested lists. It does not
    /// end with white space.
    pub span: Span,
    /// The start of the list that it is in. Nested lists count as part of the outermost one.
    pub list: usize,
    /// The item that the list with this one is nested in, as a position in [`Document::items`].
    pub parent: Option<usize>,
    /// Its checkbox, if it has one.
    pub task: Option<TaskItem>,
}

/// The checkbox of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskItem {
    /// The character in the box: a space while the task is open.
    pub status: char,
    /// The place of that character.
    pub status_span: Span,
    /// The text after the box, to the end of the item's own text.
    pub text: Span,
}

/// An inline field of Dataview: `key:: value` on a line of its own, `[key:: value]` or
/// `(key:: value)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InlineField<'a> {
    /// The key as written, without emphasis around it.
    pub key: &'a str,
    /// The value as written, trimmed.
    pub value: &'a str,
    /// The whole field, its brackets included.
    pub span: Span,
}

impl Heading<'_> {
    /// The whole section, with the heading.
    pub fn section(&self) -> Span {
        Span::new(self.span.start, self.content.end)
    }
}

impl<'a> Document<'a> {
    /// Parses a note. Any text is a note. Only one large text is parsed at a time.
    ///
    /// Expects decoded text with its own line endings. Time and memory are linear in its length.
    ///
    /// # Errors
    /// [`Excess`] if it is too long or has too much structure.
    pub fn parse(text: &'a str) -> Result<Self, Excess> {
        limits::check(text)?;
        large::run_alone(text.len() as u64, || Self::parse_alone(text))
    }

    fn parse_alone(text: &'a str) -> Result<Self, Excess> {
        let frontmatter = FrontmatterBlock::find(text);
        let body = Span::new(frontmatter.map_or(0, |block| block.span.end), text.len());
        let structure = Structure::parse(text, body)?;
        let found = inline::scan(text, &structure.leaves, &structure.opaque, structure.links);
        let mut links =
            frontmatter.map_or_else(Vec::new, |block| properties::find_links(text, block));
        links.extend(found.links);
        let document = Self {
            text,
            frontmatter,
            body,
            headings: structure.headings,
            links,
            tags: found.tags,
            blocks: found.blocks,
            items: structure.items,
            fields: found.fields,
        };
        if document.count_parts() > PARTS_LIMIT { Err(Excess::Parts) } else { Ok(document) }
    }

    /// Each heading, after the headings above it, the outermost first.
    pub fn heading_paths(&self) -> impl Iterator<Item = Vec<&Heading<'a>>> {
        let mut above: Vec<&Heading<'a>> = Vec::new();
        self.headings.iter().map(move |heading| {
            above.retain(|outer| outer.level < heading.level);
            above.push(heading);
            above.clone()
        })
    }

    /// The item whose own text a block is.
    pub(crate) fn item_of(&self, block: &Block<'_>) -> Option<&ListItem> {
        let before = self.items.partition_point(|item| item.span.start <= block.content.start);
        self.items[..before].last().filter(|_| block.kind == BlockKind::Item)
    }

    fn count_parts(&self) -> usize {
        let structure = self.headings.len() + self.blocks.len() + self.items.len();
        structure + self.links.len() + self.tags.len() + self.fields.len()
    }
}
