//! The calls that a model wants, as blocks and records, before any of them is made.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use super::Progress;
use super::faults::{self, Fault};
use super::limits::Limit;
use super::turn::Turn;
use crate::format::{BlockId, Document, Header, Kind, Payload, State, Status, canonical, write};
use crate::ledger::{Entry, Known, Recorded};
use crate::provider::WantedCall;
use crate::tools::{Effect, Tool};

/// A call with its block.
pub(super) struct Prepared {
    pub(super) id: BlockId,
    pub(super) block: String,
    pub(super) next: Intent,
}

/// What happens to a call.
pub(super) enum Intent {
    /// It is made, once the ledger has it.
    Make(Recorded),
    /// The result of an earlier call answers it.
    Repeat,
    /// It is not made.
    Refuse { tool: String, arguments: Value, state: State },
}

impl Prepared {
    /// What the ledger gets before the call is made; `None` if it is not made.
    pub(super) fn to_entry(&self) -> Option<(BlockId, Entry)> {
        match &self.next {
            Intent::Make(recorded) => Some((self.id, Entry::Call(recorded.clone()))),
            Intent::Repeat | Intent::Refuse { .. } => None,
        }
    }
}

impl Turn<'_> {
    pub(super) fn prepare(
        &mut self,
        wanted: Vec<WantedCall>,
        document: &Document<'_>,
        calls_of_note: usize,
    ) -> Vec<Prepared> {
        let mut total = u32::try_from(calls_of_note).unwrap_or(u32::MAX);
        let mut prepared = Vec::with_capacity(wanted.len());
        for call in wanted {
            let before = self.used.calls;
            prepared.push(self.prepare_one(call, document, total));
            total = total.saturating_add((self.used.calls - before).max(1));
        }
        prepared
    }

    fn prepare_one(
        &mut self,
        wanted: WantedCall,
        document: &Document<'_>,
        calls_of_note: u32,
    ) -> Prepared {
        let tool = self.recall.tools.iter().find(|tool| tool.name == wanted.name).cloned();
        let Some(tool) = tool else {
            let fault = self.explain_missing_tool(&wanted.name);
            return self.prepare_refusal(&wanted.name, &wanted.arguments, fault);
        };
        let arguments = match wanted.arguments {
            Value::Object(arguments) => arguments,
            Value::Null => Map::new(),
            other => return self.prepare_refusal(&tool.id, &other, faults::not_an_object(&other)),
        };
        if let Some(fault) = self.check_limits(&tool, &arguments, calls_of_note) {
            return self.prepare_refusal(&tool.id, &Value::Object(arguments), fault);
        }
        if let Some(earlier) = self.find_reusable(&tool, &arguments, document) {
            let id = (self.chat.settings.new_id)();
            let header = Header::new(Kind::Tool, id, &tool.id, State::new(Status::As(earlier), ""));
            return Prepared {
                id,
                block: write::write_call(&header, &Value::Object(arguments), None),
                next: Intent::Repeat,
            };
        }
        self.prepare_call(&tool, arguments)
    }

    /// A call that is to be made.
    pub(super) fn prepare_call(&mut self, tool: &Tool, arguments: Map<String, Value>) -> Prepared {
        let id = (self.chat.settings.new_id)();
        let header = Header::new(Kind::Tool, id, &tool.id, State::new(Status::Unfinished, ""));
        let block = write::write_call(&header, &Value::Object(arguments.clone()), None);
        if tool.effect != Effect::Read {
            self.used.last_write = Some(self.chat.ledger().len() + self.used.unrecorded);
        }
        self.used.unrecorded += 1;
        let recorded = Recorded {
            tool: tool.id.clone(),
            arguments,
            effect: tool.effect,
            identity: self.chat.tools.identity(),
            turn: self.id,
            by_user: self.by_user,
        };
        Prepared { id, block, next: Intent::Make(recorded) }
    }

    /// Why a tool cannot be called.
    pub(super) fn explain_missing_tool(&self, name: &str) -> Fault {
        let refusal = self.chat.tools.refusal(name);
        refusal.unwrap_or_else(|| {
            let tools = self.recall.tools.iter();
            if self.by_user {
                let hint = "The command `list` shows the operations.";
                faults::tool_not_found(name, tools.map(|tool| tool.id.clone()), hint)
            } else {
                let hint = "Call one of the tools of this request.";
                faults::tool_not_found(name, tools.map(|tool| tool.name.clone()), hint)
            }
        })
    }

    fn prepare_refusal(&self, tool: &str, arguments: &Value, (code, error): Fault) -> Prepared {
        let id = (self.chat.settings.new_id)();
        let name = if tool.trim().is_empty() { "?" } else { tool };
        let state = State::new(Status::Failed(code), "");
        let header = Header::new(Kind::Tool, id, name, state.clone());
        let block = write::write_call(&header, arguments, Some(&Payload::Json(error)));
        let (tool, arguments) = (name.to_owned(), arguments.clone());
        Prepared { id, block, next: Intent::Refuse { tool, arguments, state } }
    }

    /// Tells of the calls that are not made.
    pub(super) async fn report_refused_calls(&self, calls: &[Prepared]) {
        for Prepared { id, next, .. } in calls {
            let Intent::Refuse { tool, arguments, state } = next else { continue };
            self.report(Progress::Calling { id: *id, tool: tool.clone() });
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            self.chat.tools.record_refused_call(tool, arguments).await;
            self.report(Progress::Called { id: *id, state: state.to_string() });
        }
    }

    fn check_limits(
        &mut self,
        tool: &Tool,
        arguments: &Map<String, Value>,
        calls_of_note: u32,
    ) -> Option<Fault> {
        let made = self.calls_made_by(&tool.id, arguments);
        let more = u32::try_from(made.len()).unwrap_or(u32::MAX);
        let is_over = |used: u32, most: u32| used.saturating_add(more) > most;
        let over = if is_over(self.used.calls, self.limits.calls) {
            Some(Limit::Calls)
        } else {
            let of_note = self.limits.calls_per_note;
            of_note.filter(|most| is_over(calls_of_note, *most)).map(|_| Limit::CallsPerNote)
        };
        match over {
            Some(over) if more > 1 => {
                return Some(faults::too_many_carried(over, &self.limits, more));
            }
            Some(over) => return Some(faults::limit_exceeded(over, &self.limits)),
            None => {}
        }
        // A call that is refused as a whole counts nothing.
        let mut counts = self.used.same.clone();
        for call in made {
            let identical = (call.tool, canonical(&Value::Object(call.arguments)));
            let same = counts.entry(identical).or_default();
            if *same >= self.limits.identical {
                return Some(faults::too_many_identical(self.limits.identical));
            }
            *same += 1;
        }
        self.used.same = counts;
        self.used.calls += more;
        None
    }

    /// The block of an earlier call whose result is still true: a read of the same tool with the same arguments under the same
    /// authority, unedited in the note, in this turn with no write since, or as long as the tool says.
    fn find_reusable(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
        document: &Document<'_>,
    ) -> Option<BlockId> {
        if tool.effect != Effect::Read || !self.only_reads_the_vault(&tool.id, arguments) {
            return None;
        }
        let wanted = canonical(&Value::Object(arguments.clone()));
        let identity = self.chat.tools.identity();
        let ledger = self.chat.ledger();
        let fresh = |known: &Known, at: u64| {
            let age = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .ok()
                .and_then(|now| now.as_secs().checked_sub(at));
            let same_turn = known.call.as_ref().is_some_and(|call| call.turn == self.id)
                && self.used.last_write.is_none_or(|write| write < known.position);
            same_turn || tool.cache.zip(age).is_some_and(|(cache, age)| age < cache.as_secs())
        };
        ledger
            .iter()
            .filter(|(id, known)| {
                let (Some(call), Some(finished)) = (&known.call, &known.finished) else {
                    return false;
                };
                let shown = || document.block(*id).and_then(crate::format::Block::result);
                call.tool == tool.id
                    && call.identity == identity
                    && finished.state.starts_with("ok")
                    && fresh(known, finished.at)
                    && call.canonical_arguments() == wanted
                    && shown() == finished.result
            })
            .max_by_key(|(_, known)| known.position)
            .map(|(id, _)| id)
    }
}
