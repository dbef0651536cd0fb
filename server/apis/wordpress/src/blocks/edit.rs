//! Edits. Each returns the edited document, parsed, and changes no other block than the ones it names.

use std::ops::Range;

use serde_json::{Map, Value};

use super::delimiter::is_space;
use super::{BlockError, BlockPath, Document, attributes};

/// What WordPress writes between blocks.
const SEPARATOR: &str = "\n\n";

impl Document {
    /// Inserts blocks so that the first of them is at a path. Blocks from there on move back.
    ///
    /// # Errors
    /// If there is no such place, or `markup` is not blocks.
    pub fn insert(&self, path: &BlockPath, markup: &str) -> Result<Self, BlockError> {
        self.check_problem()?;
        let new = parse_new_blocks(markup)?;
        let parent = self.find_parent(path)?;
        let siblings = self.siblings_at(path)?;
        let (at, position) =
            (path.last(), |sibling: usize| self.nodes[siblings[sibling]].span.clone());
        if at > siblings.len() {
            return Err(BlockError::NoPosition { path: path.clone(), blocks: siblings.len() });
        }
        let markup = new.as_str().trim_matches(is_space);
        let edited = if siblings.is_empty() {
            let place = match parent {
                Some(parent) => self.find_inner_position(parent, path)?,
                None => self.text.len(),
            };
            self.splice(place..place, markup)
        } else {
            let separator = self.separator(siblings, at);
            if at < siblings.len() {
                let start = position(at).start;
                self.splice(start..start, &format!("{markup}{separator}"))
            } else {
                let end = position(at - 1).end;
                self.splice(end..end, &format!("{separator}{markup}"))
            }
        };
        edited.verify(path, &new, siblings.len() + new.roots.len())
    }

    /// Puts blocks in the place of a block.
    ///
    /// # Errors
    /// If there is no such block, or `markup` is not blocks.
    pub fn replace(&self, path: &BlockPath, markup: &str) -> Result<Self, BlockError> {
        self.check_problem()?;
        let new = parse_new_blocks(markup)?;
        let span = self.block(path)?.span();
        let edited = self.splice(span, new.as_str().trim_matches(is_space));
        edited.verify(path, &new, self.siblings_at(path)?.len() - 1 + new.roots.len())
    }

    /// Removes a block, and the space between it and the next one.
    ///
    /// # Errors
    /// If there is no such block.
    pub fn remove(&self, path: &BlockPath) -> Result<Self, BlockError> {
        self.check_problem()?;
        let block = self.block(path)?;
        let siblings = self.siblings_at(path)?;
        let (span, at) = (block.span(), path.last());
        let gap_after = (at + 1 < siblings.len()).then(|| self.space_after(siblings, at)).flatten();
        let gap_before = at.checked_sub(1).and_then(|before| self.space_after(siblings, before));
        let removed = match (gap_after, gap_before) {
            (Some(gap), _) => span.start..gap.end,
            (None, Some(gap)) => gap.start..span.end,
            (None, None) => span,
        };
        let edited = self.splice(removed, "");
        edited.verify(path, &Self::parse(""), siblings.len() - 1)
    }

    /// Moves a block. `to` is its path afterwards.
    ///
    /// # Errors
    /// If there is no such block or place.
    pub fn r#move(&self, from: &BlockPath, to: &BlockPath) -> Result<Self, BlockError> {
        let markup = self.block(from)?.markup();
        self.remove(from)?.insert(to, markup)
    }

    /// Changes some attributes of a block; null removes one. The content stays.
    ///
    /// # Errors
    /// If there is no such block, or it cannot have attributes.
    pub fn set_attributes(
        &self,
        path: &BlockPath,
        changes: &Map<String, Value>,
    ) -> Result<Self, BlockError> {
        self.check_problem()?;
        let block = self.block(path)?;
        let node = self.siblings_at(path)?[path.last()];
        let Some(opener) = &self.nodes[node].opener else {
            return Err(BlockError::Freeform(path.clone()));
        };
        let invalid = || BlockError::Attributes(path.clone());
        let new =
            attributes::change_attributes(block.attributes_text(), changes).ok_or_else(invalid)?;
        let mut place = opener.attributes.clone();
        let new = match (place.is_empty(), new.is_empty()) {
            (true, false) => format!("{new} "),
            (false, true) => {
                let rest = &self.text[place.end..];
                place.end += rest.len() - rest.trim_start_matches(is_space).len();
                new
            }
            _ => new,
        };
        let edited = self.splice(place, &new);
        // All that may differ is the delimiter.
        let same = edited.problem().is_none()
            && edited.nodes.len() == self.nodes.len()
            && edited.block(path).is_ok_and(|block| block.attributes_text() == new.trim_end());
        if same { Ok(edited) } else { Err(BlockError::Entangled(path.clone())) }
    }

    fn check_problem(&self) -> Result<(), BlockError> {
        self.problem().cloned().map_or(Ok(()), Err)
    }

    fn splice(&self, place: Range<usize>, new: &str) -> Self {
        let (before, after) = (&self.text[..place.start], &self.text[place.end..]);
        Self::parse(format!("{before}{new}{after}"))
    }

    /// Checks that an edited document has the new blocks at a path, and so many blocks at that level. Text around a
    /// block may be an unfinished delimiter, which the new markup would finish.
    fn verify(self, path: &BlockPath, new: &Self, siblings: usize) -> Result<Self, BlockError> {
        let is_there = new.blocks().enumerate().all(|(position, block)| {
            self.block(&path.shift(position)).is_ok_and(|there| there.markup() == block.markup())
        });
        let is_same = self.problem().is_none()
            && is_there
            && self.siblings_at(path).is_ok_and(|level| level.len() == siblings);
        if is_same { Ok(self) } else { Err(BlockError::Entangled(path.clone())) }
    }

    /// The space between a block and the next one; `None` if there is text.
    fn space_after(&self, siblings: &[usize], at: usize) -> Option<Range<usize>> {
        let (this, next) = (siblings.get(at)?, siblings.get(at + 1)?);
        let gap = self.nodes[*this].span.end..self.nodes[*next].span.start;
        self.text[gap.clone()].chars().all(is_space).then_some(gap)
    }

    /// What separates a new block from its neighbour: the same as between its neighbours.
    fn separator(&self, siblings: &[usize], at: usize) -> &str {
        let gap = at.checked_sub(1).and_then(|before| {
            self.space_after(siblings, before)
                .or_else(|| self.space_after(siblings, before.checked_sub(1)?))
        });
        let gap = gap.or_else(|| self.space_after(siblings, at)).filter(|gap| !gap.is_empty());
        gap.map_or(SEPARATOR, |gap| &self.text[gap])
    }

    /// Where the first inner block of a block is put: in the innermost of the elements that end its content.
    fn find_inner_position(&self, parent: usize, path: &BlockPath) -> Result<usize, BlockError> {
        let node = &self.nodes[parent];
        let content = &self.text[node.content.clone()];
        let elements = find_closing_tags(content);
        let is_void = node.opener.as_ref().is_none_or(|opener| opener.span == node.span);
        if is_void || !is_open(&content[..elements]) {
            let path = BlockPath::new(path.parents()).unwrap_or_else(|| path.clone());
            let name = self.block(&path)?.name().to_owned();
            return Err(BlockError::NotContainer { path, name });
        }
        Ok(node.content.start + elements)
    }
}

/// Parses what should be inserted.
fn parse_new_blocks(markup: &str) -> Result<Document, BlockError> {
    let new = Document::parse(markup);
    new.check_problem()?;
    let is_blocks = !new.roots.is_empty() && new.blocks().all(|block| !block.is_freeform());
    if is_blocks { Ok(new) } else { Err(BlockError::NotBlocks) }
}

/// Returns the position before the closing tags at the end of HTML.
fn find_closing_tags(html: &str) -> usize {
    let mut rest = html.trim_end_matches(is_space);
    while let Some(start) = rest.ends_with('>').then(|| rest.rfind('<')).flatten() {
        if !rest[start..].starts_with("</") {
            break;
        }
        rest = rest[..start].trim_end_matches(is_space);
    }
    rest.len()
}

/// Whether HTML ends where an element begins, or is empty.
fn is_open(html: &str) -> bool {
    let html = html.trim_matches(is_space);
    let Some(start) = html.rfind('<') else { return html.is_empty() };
    let tag = &html[start..];
    let name = tag[1..].split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let is_void = ["br", "hr", "img", "input", "source"].contains(&name);
    tag.ends_with('>') && !tag.ends_with("/>") && !name.is_empty() && !is_void
}
