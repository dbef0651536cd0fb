//! The calls that a call carries, such as the reads of a batch. Limits, consent, and what counts as text of the vault look at
//! each of them.

use std::iter::once;

use serde_json::{Map, Value};

use super::consent::{self, Asked};
use super::links::embeds_image;
use super::turn::{Halt, Turn};
use crate::format::{Block, BlockId, Document, Kind, Part, Payload, State, Status, escaped};
use crate::ledger::{Entry, Known, digest};
use crate::provider::Message;
use crate::tools::{Carried, Effect, Tool, World};

impl Turn<'_> {
    /// The calls that are made if this one is: those which it carries, or else itself.
    pub(super) fn calls_made_by(&self, tool: &str, arguments: &Map<String, Value>) -> Vec<Carried> {
        let carried = self.chat.tools.carried_calls(tool, arguments);
        if !carried.is_empty() {
            return carried;
        }
        vec![Carried { tool: tool.to_owned(), arguments: arguments.clone() }]
    }

    /// Which of the calls that are made if this one is need consent, and why. Calls of tools that are not offered need none,
    /// because whoever carries them refuses them.
    pub(super) fn calls_to_ask_about(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
    ) -> Vec<Asked> {
        let may_leak = !self.by_user && self.holds_vault_text();
        let outer = Carried { tool: tool.id.clone(), arguments: arguments.clone() };
        let carried = self.chat.tools.carried_calls(&tool.id, arguments);
        let asked = |call: Carried| {
            let tool = self.recall.tools.iter().find(|tool| tool.id == call.tool)?;
            let allowed = self.chat.settings.allowed_writes.contains(&tool.id);
            let reason = consent::find_reason(tool, allowed, may_leak)?;
            let arguments = escaped(&Value::Object(call.arguments));
            Some(Asked { tool: tool.clone(), arguments, reason })
        };
        // Results that are there already answer the call, and not those that it carries.
        if self.chat.tools.has_result(&tool.id, arguments) {
            return Vec::new();
        }
        once(outer).chain(carried).filter_map(asked).collect()
    }

    /// Whether all that is made by a call only reads, and none of it beyond the vault.
    pub(super) fn only_reads_the_vault(&self, tool: &str, arguments: &Map<String, Value>) -> bool {
        self.calls_made_by(tool, arguments).iter().all(|call| {
            let offered = self.recall.tools.iter().find(|tool| tool.id == call.tool);
            offered.is_none_or(|tool| tool.effect == Effect::Read && tool.world == World::Closed)
        })
    }

    /// The number of calls that the blocks of a note stand for.
    pub(super) fn count_calls(&self, document: &Document<'_>) -> usize {
        let calls = document.blocks().filter(|block| block.header.kind == Kind::Tool);
        calls
            .map(|block| self.calls_made_by(&block.header.name, &block_arguments(block)).len())
            .sum()
    }

    /// Whether the model may have seen text or an image of the vault: a request has shown it, or a tool that reads there has
    /// returned a result or an error. The note does not say so: somebody may have changed it since.
    fn holds_vault_text(&self) -> bool {
        // What nobody knows to reach out may have read the vault.
        let reaches_out = |tool: &str, arguments: &Map<String, Value>| {
            self.calls_made_by(tool, arguments).iter().all(|call| {
                self.recall
                    .tools
                    .iter()
                    .any(|tool| tool.id == call.tool && tool.world == World::Open)
            })
        };
        let has_read = |known: &Known| {
            let has_result = known.finished.as_ref().is_some_and(|ended| ended.result.is_some());
            let call = known.call.as_ref().filter(|_| has_result);
            call.is_some_and(|call| !reaches_out(&call.tool, &call.arguments))
        };
        let ledger = self.chat.ledger();
        ledger.has_shown() || ledger.iter().any(|(_, known)| has_read(known))
    }

    /// Records that a request shows the model text or an image of the vault: its answer may repeat that, whatever becomes of
    /// the note.
    pub(super) async fn record_shown(
        &self,
        answer: BlockId,
        document: &Document<'_>,
        messages: &[Message],
    ) -> Result<(), Halt> {
        let is_known = self.chat.ledger().has_shown();
        if !is_known && (self.holds_vault_text() || self.shows_vault(document, messages)) {
            self.chat.record(vec![(answer, Entry::Shown)]).await?;
        }
        Ok(())
    }

    /// Whether a request with this note shows the model an image, or text that is neither what the user has said through this
    /// program nor what the program has written.
    fn shows_vault(&self, document: &Document<'_>, messages: &[Message]) -> bool {
        let ledger = self.chat.ledger();
        let is_foreign = |part: &Part| match part {
            Part::Text(text) => {
                let text = text.visible(document);
                !text.trim().is_empty() && !ledger.has_said(&digest(&text))
            }
            Part::Block(block) => {
                let known = ledger.get(block.header.id);
                match block.header.kind {
                    // It is not sent.
                    Kind::Notice => false,
                    Kind::Assistant => {
                        let written = known.and_then(|known| known.answer.as_deref());
                        written != Some(&digest(block.words()))
                    }
                    Kind::Tool => !known.is_some_and(|known| is_as_recorded(block, known)),
                }
            }
            Part::Properties(_) | Part::NewChat(_) => false,
        };
        embeds_image(messages) || document.parts().iter().any(is_foreign)
    }
}

/// Whether all that a model reads of a block is what this program has written: its name, arguments, state and result.
fn is_as_recorded(block: &Block, known: &Known) -> bool {
    let Some(call) = &known.call else { return false };
    let status = &block.header.state.status;
    let (has_state, result) = match &known.finished {
        Some(ended) => (*status == State::parse(&ended.state).status, ended.result.as_ref()),
        None => (matches!(status, Status::Unfinished | Status::Asks), None),
    };
    has_state
        && block.header.name == call.tool
        && block_arguments(block) == call.arguments
        && block.result().is_none_or(|shown| Some(&shown) == result)
}

fn block_arguments(block: &Block) -> Map<String, Value> {
    match block.arguments() {
        Some(Payload::Json(Value::Object(arguments))) => arguments,
        _ => Map::new(),
    }
}
