//! A response in the note, while it grows.

use crate::format::{Block, BlockId, Document, Header, Inert, Kind, State, Status, splice, write};
use crate::ledger::digest;
use crate::notebook::NotebookError;

use super::page::Page;

/// A response and its block.
pub(super) struct GrowingAnswer {
    pub(super) id: BlockId,
    model: String,
    /// Everything that the model has said.
    said: String,
    /// Where in it the text of this block begins.
    begins: usize,
    /// How much of it is in the note.
    shown: usize,
    /// The block as it was last written.
    written: String,
    /// Whether somebody has edited the block, and it stayed so.
    edited: bool,
}

/// What a change of the note did.
struct Shown {
    id: BlockId,
    begins: usize,
    written: String,
    edited: bool,
}

/// Whether the block is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    There,
    Gone,
}

impl GrowingAnswer {
    /// A response without words, and its block.
    pub(super) fn new(id: BlockId, model: &str) -> (Self, String) {
        let header = Header::new(Kind::Assistant, id, model, State::new(Status::Unfinished, ""));
        let block = write::write_words(&header, "");
        let answer = Self {
            id,
            model: model.to_owned(),
            said: String::new(),
            begins: 0,
            shown: 0,
            written: block.clone(),
            edited: false,
        };
        (answer, block)
    }

    pub(super) fn push(&mut self, words: &str) {
        self.said.push_str(words);
    }

    pub(super) fn is_shown(&self) -> bool {
        self.shown == self.said.len()
    }

    /// Whether the model has said nothing that can be seen.
    pub(super) fn is_blank(&self) -> bool {
        self.said.trim().is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.said.len()
    }

    /// The digest of the words as they stand in the block; `None` if they are not the model's alone.
    pub(super) fn digest(&self) -> Option<String> {
        let document = Document::parse(&self.written);
        let words = document.blocks().next().map(Block::words).unwrap_or_default();
        (!self.edited).then(|| digest(words))
    }

    /// Writes the words so far with a state, and blocks that follow.
    pub(super) async fn show(
        &mut self,
        page: &Page,
        inert: &Inert,
        state: &State,
        following: &[String],
        new_id: impl Fn() -> BlockId,
    ) -> Result<Presence, NotebookError> {
        let shown =
            page.change(|text| self.plan_change(text, inert, state, following, &new_id)).await?;
        let Some(shown) = shown else { return Ok(Presence::Gone) };
        self.shown = self.said.len();
        self.id = shown.id;
        self.begins = shown.begins;
        self.written = shown.written;
        self.edited = shown.edited;
        Ok(Presence::There)
    }

    /// A block that somebody has edited stays as it is, and what the model says from then on goes into a block after it.
    fn plan_change(
        &self,
        text: &str,
        inert: &Inert,
        state: &State,
        following: &[String],
        new_id: &impl Fn() -> BlockId,
    ) -> Option<(String, Shown)> {
        let range = splice::find(text, self.id)?;
        let current = text[range.clone()].replace("\r\n", "\n");
        let header =
            |id, state: &State| Header::new(Kind::Assistant, id, &self.model, state.clone());
        let rest = &self.said[self.shown..];
        let edited = current != self.written;
        let (before, shown) = if !edited {
            let written = write::write_words(
                &header(self.id, state),
                &inert.words(&self.said[self.begins..]),
            );
            (String::new(), Shown { id: self.id, begins: self.begins, written, edited })
        } else if rest.trim().is_empty() {
            let written = write::write_finished(&current, &header(self.id, state), None);
            (String::new(), Shown { id: self.id, begins: self.begins, written, edited })
        } else {
            let closed = write::write_finished(
                &current,
                &header(self.id, &State::new(Status::Said, "edited")),
                None,
            );
            let id = new_id();
            let written = write::write_words(&header(id, state), &inert.words(rest));
            (format!("{closed}\n\n"), Shown { id, begins: self.shown, written, edited: false })
        };
        let mut block = format!("{before}{}", shown.written);
        for following in following {
            block.push_str("\n\n");
            block.push_str(following);
        }
        Some((splice::replace(text, &range, &block), shown))
    }
}
