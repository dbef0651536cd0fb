//! Runs the blocks of a note that call tools. A result stands below its block, like that of a call in a conversation.

use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::calls::Ready;
use super::turn::{Halt, Turn};
use super::{ChatError, Conversation, Ended, Progress, TurnOptions};
use crate::format::splice::{self, InsertionPoint};
use crate::format::{BlockId, Document, Mistake, Payload, RunBlock, State, Status, canonical};
use crate::ledger::Recorded;
use crate::tools::{Effect, Tool, find_tool};

/// What is asked of the blocks of a note.
#[derive(Debug, Default)]
pub struct RunOptions {
    /// The number of the only block that is run, from 1; `None` for all of them.
    pub block: Option<usize>,
    /// The names of fences that are such blocks, too: those of categories.
    pub categories: Vec<String>,
    /// Whether results that somebody has edited are replaced, too.
    pub again: bool,
    /// Whether results are compared with those in the note, and nothing is written.
    pub check: bool,
    /// Whether nothing is called and nothing is written.
    pub dry_run: bool,
    /// Blocks of results whose calls a person has approved.
    pub approve: Vec<BlockId>,
    /// Blocks of results whose calls a person has declined.
    pub decline: Vec<BlockId>,
    /// Cancels the calls.
    pub cancellation: CancellationToken,
    /// Where news go.
    pub progress: Option<UnboundedSender<Progress>>,
}

/// What became of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// The number of the block, from 1.
    pub block: usize,
    /// The line of the block, from 1.
    pub line: usize,
    /// The id of the operation, or the name that the block gives.
    pub tool: String,
    /// The block of the result, if there is one.
    pub id: Option<BlockId>,
    /// What became of it.
    pub outcome: RunOutcome,
}

/// What became of a block.
#[derive(Debug, Clone, PartialEq)]
pub enum RunOutcome {
    /// It was run. Its state as the note shows it, and its result.
    Ran(String, Option<Payload>),
    /// It was not run, because somebody has edited its result.
    Edited,
    /// A dry run: the block would be run.
    Would,
    /// The result is that of the note.
    Same,
    /// The result is not that of the note.
    Different(Option<Payload>),
    /// It changes something, so it was not run to compare its result.
    NotChecked,
}

impl RunOutcome {
    /// Whether this is how it should be.
    #[must_use]
    pub fn is_success(&self) -> bool {
        match self {
            Self::Ran(state, _) => State::parse(state).status == Status::Ok,
            Self::Different(_) => false,
            Self::Edited | Self::Would | Self::Same | Self::NotChecked => true,
        }
    }
}

impl Conversation {
    /// Runs the blocks of the note that call tools, one after another.
    ///
    /// # Errors
    /// Fails if the note or a block has mistakes, if there is no block of this number, or if the note or the state cannot be
    /// read or written.
    pub async fn run(&mut self, options: RunOptions) -> Result<Vec<Ran>, ChatError> {
        let text = self.page.read_text().await?;
        let document = Document::parse(&text);
        let note = self.check_note(&document)?;
        self.check_calls(options.approve.iter().chain(&options.decline))?;
        let blocks = find_run_blocks(&document, &options.categories);
        let numbers: Vec<usize> = match options.block {
            Some(number) if (1..=blocks.len()).contains(&number) => vec![number],
            Some(number) => return Err(ChatError::NoBlock { number, blocks: blocks.len() }),
            None => (1..=blocks.len()).collect(),
        };
        // A block that is not run may still be written.
        let mistakes: Vec<Mistake> = numbers
            .iter()
            .filter_map(|number| blocks[number - 1].as_ref().err().cloned())
            .collect();
        if !mistakes.is_empty() {
            return Err(ChatError::Mistakes(mistakes));
        }
        let only_looks = options.check || options.dry_run;
        let _held = if only_looks { Box::new(()) } else { self.page.hold().await? };
        if !only_looks {
            self.forget(&document).await?;
        }
        let mut ran = Vec::new();
        for number in numbers {
            if options.cancellation.is_cancelled() {
                break;
            }
            let turn_options = TurnOptions {
                approve: options.approve.clone(),
                decline: options.decline.clone(),
                cancellation: options.cancellation.clone(),
                progress: options.progress.clone(),
                ..TurnOptions::default()
            };
            let mut turn = Turn { by_user: true, ..Turn::new(self, turn_options, &note) };
            match turn.run_block(number, &options).await {
                Ok(done) => ran.extend(done),
                Err(Halt::Ended(_)) => {}
                Err(Halt::Failed(error)) => return Err(error),
            }
        }
        Ok(ran)
    }
}

/// The blocks that call tools, in order.
fn find_run_blocks(
    document: &Document<'_>,
    categories: &[String],
) -> Vec<Result<RunBlock, Mistake>> {
    let names: Vec<&str> = categories.iter().map(String::as_str).collect();
    document.run_blocks(&names)
}

impl Turn<'_> {
    /// Runs one block. `None` if it is gone.
    async fn run_block(
        &mut self,
        number: usize,
        options: &RunOptions,
    ) -> Result<Option<Ran>, Halt> {
        let text = self.chat.page.read_text().await?;
        let document = Document::parse(&text);
        let block =
            match find_run_blocks(&document, &options.categories).into_iter().nth(number - 1) {
                Some(Ok(block)) => block,
                Some(Err(mistake)) => return Err(ChatError::Mistakes(vec![mistake]).into()),
                None => return Ok(None),
            };
        let existing = document.find_result(&block);
        let id = existing.map(|existing| existing.header.id);
        let tool = find_tool(&self.recall.tools, &block).cloned();
        let name = tool.as_ref().map_or_else(|| block.tool.clone(), |tool| tool.id.clone());
        let done = |id, outcome| {
            Ok(Some(Ran { block: number, line: block.line, tool: name.clone(), id, outcome }))
        };
        let Some(tool) = tool else {
            let refusal = block.names().find_map(|name| self.chat.tools.refusal(&name));
            let (code, error) = refusal.unwrap_or_else(|| self.explain_missing_tool(&block.tool));
            return done(id, RunOutcome::Ran(code, Some(Payload::Json(error))));
        };
        if options.dry_run {
            return done(id, RunOutcome::Would);
        }
        if options.check {
            let outcome = self.compare_result(&tool, &block, existing).await?;
            return done(id, outcome);
        }
        let known = id.and_then(|id| self.chat.find_known(id));
        let goes_on =
            existing.is_some_and(|existing| {
                matches!(existing.header.state.status, Status::Unfinished | Status::Asks)
            }) && known.as_ref().and_then(|known| known.call.as_ref()).is_some_and(|call| {
                call.tool == tool.id
                    && call.canonical_arguments() == canonical_arguments_of_block(&block)
            });
        let written = known.and_then(|known| known.finished);
        let is_edited = existing.is_some_and(|existing| {
            !written.is_some_and(|written| written.result == existing.result())
        });
        if is_edited && !goes_on && !options.again {
            return done(id, RunOutcome::Edited);
        }
        let id = match id.filter(|_| goes_on) {
            Some(id) => id,
            None => match self.write_pending_block(&tool, number, &block, options).await? {
                Some(id) => id,
                None => return Ok(None),
            },
        };
        self.pending = vec![id];
        match self.make_pending_calls().await {
            Ok(()) | Err(Halt::Ended(Ended::Asks(_) | Ended::Cancelled | Ended::Limited(_))) => {}
            Err(halt) => return Err(halt),
        }
        let text = self.chat.page.read_text().await?;
        let document = Document::parse(&text);
        let Some(result) = document.block(id) else { return Ok(None) };
        done(Some(id), RunOutcome::Ran(result.header.state.to_string(), result.result()))
    }

    /// Writes the block of a result that does not exist yet, in the place of an earlier one. `None` if the block was changed
    /// meanwhile.
    async fn write_pending_block(
        &mut self,
        tool: &Tool,
        number: usize,
        block: &RunBlock,
        options: &RunOptions,
    ) -> Result<Option<BlockId>, Halt> {
        let prepared = self.prepare_call(tool, block.arguments.clone());
        self.chat.record(prepared.to_entry().into_iter().collect()).await?;
        self.used.unrecorded = 0;
        let planned = |text: &str| {
            let document = Document::parse(text);
            let blocks = find_run_blocks(&document, &options.categories);
            let now = blocks
                .get(number - 1)?
                .as_ref()
                .ok()
                .filter(|now| now.tool == block.tool && now.arguments == block.arguments)?;
            let text = if let Some(earlier) = document.find_result(now) {
                splice::replace(text, &earlier.range, &prepared.block)
            } else {
                let point = InsertionPoint::At(now.range.end);
                splice::insert(text, &point, std::slice::from_ref(&prepared.block))?.text
            };
            Some((text, ()))
        };
        Ok(self.chat.page.change(planned).await?.map(|()| prepared.id))
    }

    /// Calls a tool that reads, and compares its result with the one in the note.
    async fn compare_result(
        &self,
        tool: &Tool,
        block: &RunBlock,
        existing: Option<&crate::format::Block>,
    ) -> Result<RunOutcome, Halt> {
        if tool.effect != Effect::Read {
            return Ok(RunOutcome::NotChecked);
        }
        let id = (self.chat.settings.new_id)();
        let call = Recorded {
            tool: tool.id.clone(),
            arguments: block.arguments.clone(),
            effect: tool.effect,
            identity: String::new(),
            turn: self.id,
            by_user: true,
        };
        let ready = Ready { id, tool: tool.clone(), call, again: false, agreed: false };
        let (id, outcome, elapsed) = self.carry_out(ready).await;
        let (state, result) = self.record_outcome(id, outcome, elapsed).await?;
        let same = existing.is_some_and(|existing| {
            existing.header.state.status == state.status && existing.result() == result
        });
        Ok(if same { RunOutcome::Same } else { RunOutcome::Different(result) })
    }
}

fn canonical_arguments_of_block(block: &RunBlock) -> String {
    canonical(&Value::Object(block.arguments.clone()))
}
