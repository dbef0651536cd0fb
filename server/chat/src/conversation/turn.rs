//! A turn: from what the note asks to the answer of the model.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};

use serde_json::{Value, json};
use tokio::time::Instant;
use toolwrit_words::Code;

use super::history::{History, Memory};
use super::limits::{Limit, Limits};
use super::{ChatError, Conversation, Ended, Progress, TurnOptions};
use crate::format::splice::{self, InsertionPoint};
use crate::format::{
    Block, BlockId, Document, Header, Kind, NoteSettings, Part, State, Status, write,
};
use crate::ledger::{Entry, Known, Ledger, digest};
use crate::tools::{Effect, Tool};

/// Why a turn ends before its natural end.
pub(super) enum Halt {
    Ended(Ended),
    Failed(ChatError),
}

impl<E: Into<ChatError>> From<E> for Halt {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// A turn that is going on.
pub(super) struct Turn<'a> {
    pub(super) chat: &'a Conversation,
    pub(super) options: TurnOptions,
    pub(super) limits: Limits,
    pub(super) recall: Recall,
    pub(super) deadline: Instant,
    /// The block after which the next one goes; `None` is the end of the note.
    pub(super) anchor: Option<BlockId>,
    /// The blocks of calls that have not ended, in order.
    pub(super) pending: Vec<BlockId>,
    pub(super) id: BlockId,
    pub(super) used: Used,
    /// Whether the user has written the calls, so that nothing that a model has read decides about them.
    pub(super) by_user: bool,
}

/// What a turn has used of its limits.
#[derive(Default)]
pub(super) struct Used {
    pub(super) rounds: u32,
    pub(super) calls: u32,
    pub(super) bytes: AtomicUsize,
    /// How often each tool was called with the same arguments.
    pub(super) same: HashMap<(String, String), u32>,
    /// Where in the ledger the last write of this turn is.
    pub(super) last_write: Option<usize>,
    /// Calls that are not in the ledger yet.
    pub(super) unrecorded: usize,
}

/// What requests need beyond the note.
pub(super) struct Recall {
    pub(super) tools: Arc<[Tool]>,
    pub(super) kept: HashMap<BlockId, Value>,
}

impl Memory for Recall {
    fn wire_name(&self, tool: &str) -> String {
        self.tools
            .iter()
            .find(|known| known.id == tool)
            .map_or_else(|| Tool::new(tool, "", Value::Null).name, |known| known.name.clone())
    }

    fn kept_value(&self, response: BlockId) -> Option<Value> {
        self.kept.get(&response).cloned()
    }
}

impl Conversation {
    /// The tools that the note leaves, and what the provider of this model wants back.
    pub(super) fn recall(&self, note: &NoteSettings) -> Recall {
        let selected = note.tools.as_ref().map(|selectors| {
            let selected = selectors.iter().filter_map(|one| self.tools.select(one).ok());
            selected.flatten().collect::<HashSet<String>>()
        });
        let offered = |tool: &Tool| {
            let selected = selected.as_ref().is_none_or(|selected| selected.contains(&tool.id));
            selected && !(note.read_only && tool.effect != Effect::Read)
        };
        let model = self.model.name();
        let kept = |known: &Known| {
            known
                .kept
                .as_ref()
                .filter(|kept| kept["model"] == model)
                .map(|kept| kept["value"].clone())
        };
        Recall {
            tools: self.tools.tools().into_iter().filter(offered).collect(),
            kept: self.ledger().iter().filter_map(|(id, known)| Some((id, kept(known)?))).collect(),
        }
    }

    pub(super) fn ledger(&self) -> std::sync::MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn find_known(&self, id: BlockId) -> Option<Known> {
        self.ledger().get(id).cloned()
    }

    pub(super) async fn record(&self, entries: Vec<(BlockId, Entry)>) -> std::io::Result<()> {
        self.write_ledger(move |ledger| ledger.record(entries)).await
    }

    /// Forgets what the note does not need any more.
    pub(super) async fn forget(&self, document: &Document<'_>) -> std::io::Result<()> {
        let in_note = document.blocks().map(|block| block.header.id).collect();
        self.write_ledger(move |ledger| ledger.forget(&in_note)).await
    }

    /// Writes the ledger on a thread that may block.
    async fn write_ledger(
        &self,
        write: impl FnOnce(&mut Ledger) -> std::io::Result<()> + Send + 'static,
    ) -> std::io::Result<()> {
        let ledger = Arc::clone(&self.ledger);
        let write = move || write(&mut ledger.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::spawn_blocking(write)
            .await
            .unwrap_or_else(|error| Err(std::io::Error::other(error)))
    }
}

impl<'a> Turn<'a> {
    pub(super) async fn begin(
        chat: &'a Conversation,
        options: TurnOptions,
    ) -> Result<Ended, ChatError> {
        let text = chat.page.read_text().await?;
        let document = Document::parse(&text);
        let note = chat.check_note_and_model(&document)?;
        chat.check_calls(options.approve.iter().chain(&options.decline))?;
        let _held = chat.page.hold().await?;
        chat.forget(&document).await?;
        let pending = pending_calls(&document);
        let known = pending.first().and_then(|id| chat.find_known(*id)?.call).map(|call| call.turn);
        let mut turn = Self::new(chat, options, &note);
        if let Some(said) = &turn.options.said {
            chat.record(vec![(turn.id, Entry::Said(digest_as_read(said)))]).await?;
        }
        turn.id = known.unwrap_or(turn.id);
        turn.used.last_write = chat.ledger().last_write(turn.id);
        turn.anchor = last_block(&document);
        let abandoned = abandoned_calls(&document, &pending);
        turn.pending = pending;
        match turn.run(incomplete_answers(&document), abandoned).await {
            Ok(ended) | Err(Halt::Ended(ended)) => Ok(ended),
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    pub(super) fn new(chat: &'a Conversation, options: TurnOptions, note: &NoteSettings) -> Self {
        let limits = chat.settings.limits.narrow(note);
        Self {
            chat,
            options,
            deadline: Instant::now() + limits.turn,
            limits,
            recall: chat.recall(note),
            anchor: None,
            pending: Vec::new(),
            id: (chat.settings.new_id)(),
            used: Used::default(),
            by_user: false,
        }
    }

    async fn run(
        mut self,
        incomplete: Vec<BlockId>,
        abandoned: Vec<BlockId>,
    ) -> Result<Ended, Halt> {
        for id in incomplete {
            self.write_state(id, &State::new(Status::Cancelled, "interrupted"), None).await?;
        }
        self.cancel_abandoned_calls(abandoned).await?;
        if self.options.retry {
            self.retract_answer().await?;
        }
        let mut asked = false;
        loop {
            self.make_pending_calls().await?;
            let calls = {
                let text = self.chat.page.read_text().await?;
                let document = Document::parse(&text);
                if !self.awaits_answer(&document) {
                    return Ok(if asked { Ended::Answered } else { Ended::NothingToSay });
                }
                if !asked && self.read_links(&document).await? {
                    continue;
                }
                self.count_calls(&document)
            };
            let reached = self.find_reached_limit(calls);
            if let Some(limit) = reached {
                self.write_notice(
                    &Code::LimitExceeded,
                    &format!(
                        "{}. The model answers with what it has.",
                        limit.describe(&self.limits)
                    ),
                )
                .await?;
            }
            let more = self.request_answer(reached.is_none(), calls).await?;
            asked = true;
            self.used.rounds += 1;
            match (reached, more) {
                (Some(limit), _) => return Ok(Ended::Limited(limit)),
                (None, false) => return Ok(Ended::Answered),
                (None, true) => {}
            }
        }
    }

    /// Whether the model has to say something after the last block of this turn.
    fn awaits_answer(&self, document: &Document<'_>) -> bool {
        let Some(block) = self.anchor.and_then(|anchor| document.block(anchor)) else {
            return History::from_document(document, &self.chat.settings.older, &self.recall)
                .awaits;
        };
        let part = Document::parse(&document.text()[..block.range.end]);
        History::from_document(&part, &self.chat.settings.older, &self.recall).awaits
    }

    fn find_reached_limit(&self, calls_of_note: usize) -> Option<Limit> {
        let most = self.limits.calls_per_note.and_then(|most| usize::try_from(most).ok());
        [
            (self.used.rounds >= self.limits.rounds, Limit::Rounds),
            (self.used.calls >= self.limits.calls, Limit::Calls),
            (most.is_some_and(|most| calls_of_note >= most), Limit::CallsPerNote),
            (self.used.bytes.load(Ordering::Relaxed) >= self.limits.turn_bytes, Limit::Bytes),
        ]
        .into_iter()
        .find_map(|(reached, limit)| reached.then_some(limit))
    }

    /// Removes the answer at the end, so that the model answers again. Its calls stay.
    async fn retract_answer(&mut self) -> Result<(), Halt> {
        let planned = |text: &str| {
            let document = Document::parse(text);
            let last =
                document.blocks().last().filter(|block| block.header.kind == Kind::Assistant)?;
            let follows = &text[last.range.end..];
            follows.trim().is_empty().then(|| (text[..last.range.start].to_owned(), ()))
        };
        if self.chat.page.change(planned).await?.is_some() {
            let text = self.chat.page.read_text().await?;
            self.anchor = last_block(&Document::parse(&text));
        }
        Ok(())
    }

    /// Writes a message to the reader.
    pub(super) async fn write_notice(&mut self, code: &Code, words: &str) -> Result<(), Halt> {
        let id = (self.chat.settings.new_id)();
        let header = Header::new(
            Kind::Notice,
            id,
            "toolwrit",
            State::new(Status::Failed(code.to_string()), ""),
        );
        self.insert_blocks(&[write::write_words(&header, words)], id).await.map(drop)
    }

    /// Adds blocks after the last block of this turn. Returns the text before them.
    pub(super) async fn insert_blocks(
        &mut self,
        blocks: &[String],
        last: BlockId,
    ) -> Result<String, Halt> {
        let point = self.anchor.map_or(InsertionPoint::End, InsertionPoint::After);
        let planned = |text: &str| {
            let inserted = splice::insert(text, &point, blocks)?;
            let before = inserted.text[..inserted.at].to_owned();
            Some((inserted.text, before))
        };
        let before = self.chat.page.change(planned).await?.ok_or(Halt::Ended(Ended::Cancelled))?;
        self.anchor = Some(last);
        Ok(before)
    }

    pub(super) fn report(&self, progress: Progress) {
        if let Some(listener) = &self.options.progress {
            // Nobody has to listen.
            let _ = listener.send(progress);
        }
    }

    pub(super) fn kept_entry(&self, value: &Value) -> Entry {
        Entry::Kept(json!({ "model": self.chat.model.name(), "value": value }))
    }
}

/// The digest of a text as the model reads it, if it is alone.
fn digest_as_read(said: &str) -> String {
    // At the beginning of a note it could be properties.
    let alone = format!("\n{said}\n");
    let document = Document::parse(&alone);
    let text = document.parts().iter().map(|part| match part {
        Part::Text(text) => text.visible(&document),
        _ => String::new(),
    });
    digest(&text.collect::<String>())
}

/// The last block, if only blank text follows it.
pub(super) fn last_block(document: &Document<'_>) -> Option<BlockId> {
    trailing_blocks(document).next().map(|block| block.header.id)
}

fn is_open(block: &Block) -> bool {
    block.header.kind == Kind::Tool
        && matches!(block.header.state.status, Status::Unfinished | Status::Asks)
}

/// The answers that a process which ended has not completed.
fn incomplete_answers(document: &Document<'_>) -> Vec<BlockId> {
    let is_incomplete = |block: &&Block| {
        block.header.kind == Kind::Assistant && block.header.state.status == Status::Unfinished
    };
    document.blocks().filter(is_incomplete).map(|block| block.header.id).collect()
}

/// The calls that have not ended, and after which the user has written on.
fn abandoned_calls(document: &Document<'_>, pending: &[BlockId]) -> Vec<BlockId> {
    let open = document.blocks().filter(|block| is_open(block)).map(|block| block.header.id);
    open.filter(|id| !pending.contains(id)).collect()
}

/// The calls of the last turn that have not ended, in order.
fn pending_calls(document: &Document<'_>) -> Vec<BlockId> {
    let unfinished = trailing_blocks(document).filter(|block| is_open(block));
    let mut ids: Vec<_> = unfinished.map(|block| block.header.id).collect();
    ids.reverse();
    ids
}

/// The blocks at the end of the note, from the last one, up to text that the user has written.
fn trailing_blocks<'d>(document: &'d Document<'_>) -> impl Iterator<Item = &'d Block> {
    let visible =
        |part: &&Part| !matches!(part, Part::Text(text) if text.visible(document).is_empty());
    document
        .parts()
        .iter()
        .rev()
        .filter(visible)
        .map_while(|part| if let Part::Block(block) = part { Some(block) } else { None })
}
