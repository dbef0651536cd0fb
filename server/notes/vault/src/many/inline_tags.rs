//! Tags in the text of a note.
//!
//! A renamed tag changes nothing but its name. Of a removed tag, the white space beside it goes, too:
//!
//! * that behind it; at the end of a line, or before punctuation, that before it;
//! * a comma that separated it from another tag;
//! * its line, if nothing is left there but quote marks, and one of two blank lines around it.
//!
//! The marker of a list item or heading stays. If another part of the note's structure would change, the note is left alone.

use super::fate::Fate;
use super::{Edited, SkipReason};
use crate::document::{Block, Document};

/// Changes the tags in a text.
pub(super) fn change(text: &str, fate: &dyn Fn(&str) -> Fate) -> Result<Edited, SkipReason> {
    let document = Document::parse(text)?;
    let mut rewriter = Rewriter {
        text,
        at: 0,
        body: document.body.start,
        new: String::with_capacity(text.len() + 64),
        line: 0,
        begins_block: false,
    };
    let (mut tags, mut changes) = (Vec::new(), 0);
    for tag in &document.tags {
        match fate(tag.name) {
            Fate::Kept => {
                tags.push(tag.name.to_owned());
                continue;
            }
            Fate::Renamed(name) => {
                rewriter.copy_to(tag.span.start + 1);
                rewriter.new.push_str(&name);
                rewriter.at = tag.span.end;
                tags.push(name);
            }
            Fate::Removed => {
                rewriter.copy_to(tag.span.start);
                rewriter.at = tag.span.end;
                rewriter.close_gap();
            }
        }
        changes += 1;
    }
    rewriter.copy_to(text.len());
    let (new, begins_block) = (rewriter.new, rewriter.begins_block);
    if begins_block {
        return Err(SkipReason::Structure);
    }
    if changes > 0 && !keeps_structure(&document, &Document::parse(&new)?, &tags) {
        return Err(SkipReason::Structure);
    }
    Ok(Edited { text: new, changes })
}

/// Whether a new text has these tags, and otherwise the structure of the old one.
fn keeps_structure(old: &Document<'_>, new: &Document<'_>, tags: &[String]) -> bool {
    new.tags.iter().map(|tag| tag.name).eq(tags.iter().map(String::as_str))
        && structure(old) == structure(new)
}

/// What must stay of a note: its headings, blocks with an id, list items and links, without their texts.
fn structure<'n>(note: &'n Document<'_>) -> impl PartialEq + use<'n> {
    let levels: Vec<_> = note.headings.iter().map(|heading| heading.level).collect();
    // An id on a line of its own names the block above.
    let is_apart = |block: &Block<'_>| {
        let between = note.text.get(block.content.end..block.marker.start);
        between.is_some_and(|between| between.contains('\n'))
    };
    let blocks = note.blocks.iter();
    let blocks: Vec<_> = blocks.map(|block| (block.id, block.kind, is_apart(block))).collect();
    let items = note.items.iter();
    let items: Vec<_> =
        items.map(|item| (item.parent, item.task.map(|task| task.status))).collect();
    let links = note.links.iter();
    let links: Vec<_> =
        links.map(|link| (link.kind, link.target.as_ref(), link.subpath.as_deref())).collect();
    (levels, blocks, items, links)
}

/// Writes a text anew, from its start to its end.
struct Rewriter<'a> {
    text: &'a str,
    /// How far the old text has been read.
    at: usize,
    /// Where the old text begins behind the frontmatter.
    body: usize,
    new: String,
    /// The start of the last line in `new`.
    line: usize,
    /// Whether what followed a removed tag now begins a quote, a rule, a fence or the like.
    begins_block: bool,
}

impl Rewriter<'_> {
    /// Copies the old text up to a place.
    fn copy_to(&mut self, end: usize) {
        let part = &self.text[self.at.min(end)..end];
        if let Some(newline) = part.rfind('\n') {
            self.line = self.new.len() + newline + 1;
        }
        self.new.push_str(part);
        self.at = end;
    }

    /// Whether the rest of the old text would begin a block at the start of a line or of a list item.
    fn is_at_block(&self) -> bool {
        if self.new[self.line..].contains(char::is_alphanumeric) {
            return false;
        }
        let rest = self.text[self.at..].lines().next().unwrap_or_default().trim();
        let is_rule = !rest.is_empty() && rest.chars().all(|c| " \t-*_=+".contains(c));
        is_rule || [">", "```", "~~~", "$$", "%%", "<"].iter().any(|start| rest.starts_with(start))
    }

    /// Skips and removes what a removed tag leaves superfluous.
    fn close_gap(&mut self) {
        let rest = &self.text[self.at..];
        let after = rest.trim_start_matches([' ', '\t']);
        let gap = rest.len() - after.len();
        let is_first = self.new[self.line..].trim_start_matches([' ', '\t', '>']).is_empty();
        let line_ending = match after.as_bytes() {
            [] => Some(0),
            [b'\n', ..] => Some(1),
            [b'\r', b'\n', ..] => Some(2),
            _ => None,
        };
        match line_ending {
            Some(length) if is_first => self.drop_line(self.at + gap + length),
            Some(_) => {
                self.trim_new();
                if self.new.ends_with(',') {
                    self.new.pop();
                    self.trim_new();
                }
            }
            None if after.starts_with(',')
                && (is_first || self.new.trim_end().ends_with([',', ':'])) =>
            {
                let rest = after[1..].trim_start_matches([' ', '\t']);
                self.at = self.text.len() - rest.len();
            }
            None if gap > 0 && (is_first || self.new.ends_with([' ', '\t'])) => self.at += gap,
            None if gap == 0 && !is_first && !after.starts_with(OPENING) => self.trim_new(),
            None => {}
        }
        if line_ending.is_none() {
            self.begins_block |= self.is_at_block();
        }
    }

    /// Removes the last line of `new`, and goes on at `next`, the start of the next one.
    fn drop_line(&mut self, next: usize) {
        self.new.truncate(self.line);
        self.at = next;
        let is_after_blank = self.line == self.body
            || ["\n\n", "\n\r\n"].iter().any(|blank| self.new.ends_with(blank));
        let rest = &self.text[next..];
        if is_after_blank
            && let Some(length) = ["\n", "\r\n"]
                .iter()
                .find_map(|blank| rest.starts_with(blank).then_some(blank.len()))
        {
            self.at += length;
        }
    }

    /// Removes white space at the end of the last line of `new`.
    fn trim_new(&mut self) {
        let end = self.new.trim_end_matches([' ', '\t']).len();
        self.new.truncate(end.max(self.line));
    }
}

/// Characters that begin what follows a tag, so that the space before the tag stays.
const OPENING: [char; 5] = ['(', '[', '{', '`', '$'];
