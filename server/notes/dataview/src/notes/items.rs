//! The list items of a note, with tasks.

use std::sync::{Arc, LazyLock};

use indexmap::IndexSet;
use jiff::Zoned;
use regex::Regex;
use toolwrit_vault::document::{Block, BlockKind, Document, ListItem};

use super::gathered::{Gathered, gather_fields};
use super::inline;
use super::lines::{Lines, LinkInLine};
use crate::syntax::read_tag;
use crate::value::{Link, LinkTarget, Name};

/// A list item as it is written.
#[derive(Debug)]
pub(super) struct Item {
    /// `-`, `*`, `+`, `1.` or `1)`.
    pub(super) symbol: Name,
    /// Its text after the checkbox, without indentation.
    pub(super) text: Name,
    pub(super) tags: Vec<Name>,
    /// The first line of its own text, from 0, and how many lines that has.
    pub(super) line: usize,
    pub(super) line_count: usize,
    /// The first line of its list.
    pub(super) list: usize,
    /// Its start and end as lines and characters.
    pub(super) position: [(usize, usize); 2],
    /// The lines of the item around it and of those directly inside.
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// Positions in the links of the note.
    pub(super) links: Vec<usize>,
    pub(super) section: Arc<Link>,
    pub(super) block_id: Option<Name>,
    pub(super) fields: Gathered,
    pub(super) task: Option<Task>,
}

/// The state of a task.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    pub(super) status: char,
    /// Whether it and everything below it is completed.
    pub(super) is_fully_completed: bool,
}

impl Task {
    pub(super) fn is_completed(self) -> bool {
        matches!(self.status, 'x' | 'X')
    }
}

/// The first line of an item: its symbol, its checkbox and its text.
static FIRST_LINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[\s>]*([0-9]+\.|[0-9]+\)|\*|-|\+)\s*(?:\[.?\])?\s*(.*)$").ok());

/// Text that may be a tag.
static TAG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"#[^\s,;.:!?'"`()\[\]{}]+"#).ok());

/// Reads the items of a note, in the order of their lines.
pub(super) fn read(
    path: &str,
    document: &Document<'_>,
    text_lines: &Lines<'_>,
    links: &[LinkInLine],
    now: &Zoned,
) -> Vec<Item> {
    let with_lines = links.iter().enumerate().filter_map(|(at, (line, _))| Some(((*line)?, at)));
    let mut links: Vec<(usize, usize)> = with_lines.collect();
    links.sort_unstable();
    let mut reader = Reader { path, document, text_lines, links, now, section: None };
    let mut items: Vec<Item> = Vec::new();
    for written in &document.items {
        let Some(item) = reader.item(written) else { continue };
        // Several items may start in one line. The last one counts.
        match items.last_mut() {
            Some(last) if last.line == item.line => *last = item,
            _ => items.push(item),
        }
    }
    connect(&mut items);
    items
}

/// Enters the children of items, and whether everything below a task is completed.
fn connect(items: &mut [Item]) {
    let at = |items: &[Item], line: usize| items.binary_search_by_key(&line, |item| item.line).ok();
    for index in 0..items.len() {
        let line = items[index].line;
        if let Some(parent) = items[index].parent.and_then(|parent| at(items, parent)) {
            items[parent].children.push(line);
        }
    }
    // A parent comes before its children, so that one pass from the end is enough.
    let mut has_open: Vec<bool> =
        items.iter().map(|item| item.task.is_some_and(|task| !task.is_completed())).collect();
    for index in (0..items.len()).rev() {
        if !has_open[index] {
            continue;
        }
        if let Some(task) = &mut items[index].task {
            task.is_fully_completed = false;
        }
        if let Some(parent) = items[index].parent.and_then(|parent| at(items, parent)) {
            has_open[parent] = true;
        }
    }
}

struct Reader<'a> {
    path: &'a str,
    document: &'a Document<'a>,
    text_lines: &'a Lines<'a>,
    /// The line and the position of each link in the text, sorted.
    links: Vec<(usize, usize)>,
    now: &'a Zoned,
    /// The section of the last item, by how many headings come before it.
    section: Option<(usize, Arc<Link>)>,
}

impl Reader<'_> {
    fn item(&mut self, written: &ListItem) -> Option<Item> {
        let line = self.text_lines.number(written.span.start);
        let last = self.text_lines.number(written.span.end.max(written.span.start + 1) - 1);
        let found = FIRST_LINE.as_ref()?.captures(self.text_lines.get(line))?;
        let parts: Vec<&str> =
            std::iter::once(found.get(2).map_or("", |text| text.as_str()).trim())
                .chain((line + 1..=last).map(|number| self.text_lines.get(number).trim()))
                .collect();
        let in_one_line = parts.join(" ");
        let task = written.task.map(|task| {
            let is_fully_completed = matches!(task.status, 'x' | 'X');
            Task { status: task.status, is_fully_completed }
        });
        let mut fields = Gathered::new();
        gather_fields(
            &mut fields,
            inline::find_item_fields(&in_one_line, task.is_some()),
            self.now,
        );
        let parent = written.parent.map(|parent| self.document.items[parent].span.start);
        let parent =
            parent.map(|start| self.text_lines.number(start)).filter(|&parent| parent != line);
        let position = [written.span.start, written.span.end]
            .map(|offset| (self.text_lines.number(offset), self.text_lines.column(offset)));
        Some(Item {
            symbol: found.get(1)?.as_str().into(),
            text: parts.join("\n").into(),
            tags: tags(&in_one_line),
            line,
            line_count: last - line + 1,
            list: self.text_lines.number(written.list),
            position,
            parent,
            children: Vec::new(),
            links: self.links_between(line, last),
            section: self.section(written.span.start),
            block_id: self.block_id(written),
            fields,
            task,
        })
    }

    /// A link to the section that contains a byte.
    fn section(&mut self, offset: usize) -> Arc<Link> {
        let headings = &self.document.headings;
        let before = headings.partition_point(|heading| heading.span.start <= offset);
        if let Some((known, section)) = &self.section
            && *known == before
        {
            return Arc::clone(section);
        }
        let section = Arc::new(match before.checked_sub(1) {
            Some(last) => Link::header(self.path, headings[last].text),
            None => Link::file(self.path),
        });
        self.section = Some((before, Arc::clone(&section)));
        section
    }

    fn block_id(&self, written: &ListItem) -> Option<Name> {
        let blocks = &self.document.blocks;
        let is_before = |block: &Block<'_>| block.marker.start < written.span.start;
        let inside = blocks[blocks.partition_point(is_before)..]
            .iter()
            .take_while(|block| block.marker.end <= written.span.end);
        let of_item = inside.into_iter().find(|block| block.kind == BlockKind::Item);
        of_item.map(|block| block.id.into())
    }

    fn links_between(&self, first: usize, last: usize) -> Vec<usize> {
        let from = self.links.partition_point(|(line, _)| *line < first);
        let inside = self.links[from..].iter().take_while(|(line, _)| *line <= last);
        inside.map(|(_, at)| *at).collect()
    }
}

impl Item {
    /// A link to the item if it has an id, otherwise to its section.
    pub(super) fn link(&self) -> Arc<Link> {
        match &self.block_id {
            Some(id) => {
                let target = LinkTarget::Block(Arc::clone(id));
                Arc::new(Link { target, ..Link::clone(&self.section) })
            }
            None => Arc::clone(&self.section),
        }
    }
}

fn tags(text: &str) -> Vec<Name> {
    if !text.contains('#') {
        return Vec::new();
    }
    let found = TAG.iter().flat_map(|tag| tag.find_iter(text)).map(|found| found.as_str());
    let tags: IndexSet<Name> = found.filter(|tag| read_tag(tag)).map(Name::from).collect();
    tags.into_iter().collect()
}
