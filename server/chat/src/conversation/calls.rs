//! Makes the calls that are in the note and have not ended. A turn that goes on after a crash does the same as one that was
//! never interrupted.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::{StreamExt, stream};
use tokio::time::{Instant, sleep_until, timeout};

use super::consent::{Asked, Decision, Question};
use super::limits::Limit;
use super::turn::{Halt, Turn};
use super::{ChatError, Ended, Progress};
use crate::format::{Block, BlockId, Document, Payload, State, Status, canonical};
use crate::ledger::{Entry, Finished, Known, Recorded};
use crate::tools::{Call, Effect, Outcome, Tool};

/// What to do with a call.
enum Decided {
    /// The call has ended, or is not to be made.
    End(State, Option<Payload>),
    /// A person decides whether the call is made.
    Ask(Vec<Asked>, Box<Ready>),
    /// The call is made.
    Make(Box<Ready>),
    /// The call cannot be made by this turn, and is left for another one.
    Leave(ChatError),
}

/// A call that can be made.
pub(super) struct Ready {
    pub(super) id: BlockId,
    pub(super) tool: Tool,
    pub(super) call: Recorded,
    pub(super) again: bool,
    /// Whether a person has agreed, now or in advance.
    pub(super) agreed: bool,
}

impl Turn<'_> {
    /// Ends all calls that have not ended. Reads that follow each other run together; a write runs alone.
    pub(super) async fn make_pending_calls(&mut self) -> Result<(), Halt> {
        while !self.pending.is_empty() {
            if self.deadline <= Instant::now() {
                return self.cancel_pending_calls().await;
            }
            let text = self.chat.page.read_text().await?;
            let document = Document::parse(&text);
            let mut together = Vec::new();
            let mut other = None;
            for id in &self.pending {
                // A person who deletes a block wants no result.
                match document.block(*id).map(|block| self.decide(block)) {
                    Some(Decided::Make(ready)) if ready.tool.effect == Effect::Read => {
                        together.push(Some(*ready));
                    }
                    None if together.is_empty() => together.push(None),
                    next => {
                        other = next.filter(|_| together.is_empty()).map(|next| (*id, next));
                        break;
                    }
                }
            }
            self.pending.drain(..together.len().max(1));
            self.make_calls(together.into_iter().flatten().collect()).await?;
            match other {
                Some((id, Decided::End(state, result))) => {
                    self.finish_call(id, &state, result).await?;
                }
                Some((_, Decided::Ask(calls, ready))) => self.ask_person(calls, *ready).await?,
                Some((_, Decided::Make(ready))) => self.make_calls(vec![*ready]).await?,
                Some((_, Decided::Leave(error))) => return Err(Halt::Failed(error)),
                None => {}
            }
        }
        if self.options.cancellation.is_cancelled() {
            Err(Halt::Ended(Ended::Cancelled))
        } else {
            Ok(())
        }
    }

    /// Ends calls of a model after which the user has written on. They are not made any more.
    pub(super) async fn cancel_abandoned_calls(&self, calls: Vec<BlockId>) -> Result<(), Halt> {
        for id in calls {
            let known = self.chat.find_known(id).unwrap_or_default();
            if known.call.is_none_or(|call| call.by_user) {
                continue;
            }
            let (state, result) = match known.finished {
                Some(finished) => (State::parse(&finished.state), finished.result),
                None if known.started => (State::new(Status::Unknown, "interrupted"), None),
                None => (State::new(Status::Cancelled, "text came after it"), None),
            };
            self.finish_call(id, &state, result).await?;
        }
        Ok(())
    }

    fn decide(&self, block: &Block) -> Decided {
        let id = block.header.id;
        let cancelled = |remark: &str| Decided::End(State::new(Status::Cancelled, remark), None);
        let known = self.chat.find_known(id).unwrap_or_default();
        let Some(call) = known.call.clone() else {
            // Only calls that this program has recorded are made, whatever the note says.
            return Decided::End(
                State::new(Status::Unknown, "not a call of this conversation"),
                None,
            );
        };
        if let Some(finished) = known.finished {
            return Decided::End(State::parse(&finished.state), finished.result);
        }
        if self.options.cancellation.is_cancelled() {
            return cancelled("");
        }
        if self.options.decline.contains(&id) {
            return Decided::End(State::new(Status::Declined, ""), None);
        }
        let shown = block.arguments().map(|arguments| match arguments {
            Payload::Json(value) => canonical(&value),
            Payload::Text(text) => text,
        });
        if shown.as_deref() != Some(&call.canonical_arguments()) || block.header.name != call.tool {
            return cancelled("edited before it was made");
        }
        let Some(tool) = self.recall.tools.iter().find(|tool| tool.id == call.tool).cloned() else {
            let (_, fault) = self.explain_missing_tool(&call.tool);
            let part = |key: &str| fault["error"][key].as_str().unwrap_or_default();
            let reason = format!("{} {}", part("message"), part("hint")).trim_end().to_owned();
            return Decided::Leave(ChatError::NotOffered { id, tool: call.tool, reason });
        };
        self.decide_by_consent(tool, call, &known, id)
    }

    fn decide_by_consent(&self, tool: Tool, call: Recorded, known: &Known, id: BlockId) -> Decided {
        let asked = self.calls_to_ask_about(&tool, &call.arguments);
        // An approval is for what the tools were when a person was asked.
        let is_approved = known.approved && call.identity == self.chat.tools.identity();
        let ready = Box::new(Ready { id, tool, call, again: known.started, agreed: true });
        let is_agreed = is_approved || known.started || self.options.approve.contains(&id);
        if asked.is_empty() || is_agreed {
            Decided::Make(ready)
        } else {
            Decided::Ask(asked, ready)
        }
    }

    async fn ask_person(&mut self, calls: Vec<Asked>, ready: Ready) -> Result<(), Halt> {
        let question =
            Question { id: ready.id, tool: ready.tool.clone(), calls, by_user: self.by_user };
        let asked = Instant::now();
        let decision = tokio::select! {
            biased;
            () = self.options.cancellation.cancelled() => {
                return self.finish_call(ready.id, &State::new(Status::Cancelled, ""), None).await;
            }
            decision = self.chat.consent.ask(question) => decision,
        };
        // The time in which a person decides is not time of the turn.
        self.deadline += asked.elapsed();
        match decision {
            Decision::Approve => self.make_approved_call(ready.id).await,
            Decision::Decline => {
                self.finish_call(ready.id, &State::new(Status::Declined, ""), None).await
            }
            Decision::Later => {
                self.write_state(ready.id, &State::new(Status::Asks, ""), None).await?;
                Err(Halt::Ended(Ended::Asks(vec![ready.id])))
            }
        }
    }

    /// Makes a call that a person has approved, unless somebody has edited or deleted its block meanwhile.
    async fn make_approved_call(&self, id: BlockId) -> Result<(), Halt> {
        let text = self.chat.page.read_text().await?;
        let document = Document::parse(&text);
        let Some(block) = document.block(id) else { return Ok(()) };
        match self.decide(block) {
            Decided::Ask(_, ready) | Decided::Make(ready) => {
                self.chat.record(vec![(id, Entry::Approved)]).await?;
                self.make_calls(vec![*ready]).await
            }
            Decided::End(state, result) => self.finish_call(id, &state, result).await,
            Decided::Leave(error) => Err(Halt::Failed(error)),
        }
    }

    /// Makes calls together, and writes each result as it comes.
    async fn make_calls(&self, ready: Vec<Ready>) -> Result<(), Halt> {
        let writes = ready.iter().filter(|call| call.tool.effect != Effect::Read);
        // A write that was started and never ended may have happened, so its start is on disk before it begins.
        let started: Vec<_> = writes.map(|call| (call.id, Entry::Started)).collect();
        if !started.is_empty() {
            self.chat.record(started).await?;
        }
        let together = self.limits.parallel_reads.max(1);
        let mut running =
            stream::iter(ready).map(|call| self.carry_out(call)).buffer_unordered(together).boxed();
        while let Some((id, outcome, took)) = running.next().await {
            let (state, result) = self.record_outcome(id, outcome, took).await?;
            self.finish_call(id, &state, result).await?;
        }
        Ok(())
    }

    pub(super) async fn carry_out(&self, ready: Ready) -> (BlockId, Outcome, Duration) {
        let Ready { id, tool, call, again, agreed } = ready;
        self.report(Progress::Calling { id, tool: call.tool.clone() });
        let began = Instant::now();
        let cancellation = self.options.cancellation.child_token();
        let mut running = self.chat.tools.call(Call {
            tool: call.tool,
            arguments: call.arguments,
            offered: self.recall.tools.clone(),
            agreed,
            key: id,
            again,
            max_bytes: self.max_bytes(),
            cancellation: cancellation.clone(),
        });
        tokio::select! {
            biased;
            outcome = &mut running => return (id, outcome, began.elapsed()),
            () = cancellation.cancelled() => {}
            () = sleep_until(self.deadline) => cancellation.cancel(),
        }
        let abandoned =
            if tool.effect == Effect::Read { Outcome::Cancelled } else { Outcome::Lost };
        let outcome = timeout(self.limits.grace, running).await.unwrap_or(abandoned);
        (id, outcome, began.elapsed())
    }

    /// The calls that are left are not made.
    async fn cancel_pending_calls(&mut self) -> Result<(), Halt> {
        for id in std::mem::take(&mut self.pending) {
            self.finish_call(
                id,
                &State::new(Status::Cancelled, "the time of the turn is over"),
                None,
            )
            .await?;
        }
        Err(Halt::Ended(Ended::Limited(Limit::Time)))
    }

    /// Records how a call ended, and writes it into its block.
    async fn finish_call(
        &self,
        id: BlockId,
        state: &State,
        result: Option<Payload>,
    ) -> Result<(), Halt> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let finished = Finished { state: state.to_string(), result: result.clone(), at };
        self.chat.record(vec![(id, Entry::Finished(finished))]).await?;
        self.write_state(id, state, result.as_ref()).await?;
        self.report(Progress::Called { id, state: state.to_string() });
        Ok(())
    }
}
