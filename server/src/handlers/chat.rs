//! `chat.*` and `note.run`: conversations in notes.

use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;
use toolwrit::chat::conversation::{Progress, Ran, RunOptions, RunOutcome, TurnOptions};
use toolwrit::chat::converse::settings::ChatTable;
use toolwrit::chat::converse::{
    Conversations, Elicited, NoteState, Opening, Problem, SentOutcome, WaitingCall,
};
use toolwrit::{Context, Result};

use super::sizes::to_integer;
use crate::app::Vaults;
use crate::operations::{chat, note, types};

impl chat::Handlers for Vaults {
    async fn send(&self, cx: &Context, p: chat::Send) -> Result<chat::SendResult> {
        let conversations = self.conversations()?;
        let (opening, consent) = new_opening(cx, &p.note, p.model)?;
        let (progress, news) = unbounded_channel();
        let cancellation = cancel_with(cx);
        let options = TurnOptions {
            cancellation: cancellation.token.clone(),
            progress: Some(progress),
            ..TurnOptions::default()
        };
        // A turn that is cancelled says so in the note, so it outlives its call.
        let turn =
            tokio::spawn(
                async move { conversations.send(opening, p.text.as_deref(), options).await },
            );
        let (sent, ()) = tokio::join!(turn, report_progress(cx, news));
        if let Some(round) = consent.take_ended() {
            return Err(round);
        }
        let sent = sent?.map_err(|problem| problem.to_fault())?;
        Ok(types::ChatAnswer {
            note: sent.note,
            outcome: match sent.outcome {
                SentOutcome::Answered => types::ChatAnswerOutcome::Answered,
                SentOutcome::NothingToSay => types::ChatAnswerOutcome::NothingToSay,
                SentOutcome::Asks => types::ChatAnswerOutcome::Asks,
                SentOutcome::Limited => types::ChatAnswerOutcome::Limited,
                SentOutcome::Cancelled => types::ChatAnswerOutcome::Cancelled,
                SentOutcome::Failed => types::ChatAnswerOutcome::Failed,
            },
            answer: sent.answer,
            asks: convert_calls(sent.asks),
            reason: sent.reason,
        })
    }

    async fn status(&self, _: &Context, p: chat::Status) -> Result<chat::StatusResult> {
        let status = self.conversations()?.status(&p.note).await;
        let status = status.map_err(|problem| problem.to_fault())?;
        Ok(types::ChatStatus {
            note: status.note,
            state: match status.state {
                NoteState::Running => types::ChatStatusState::Running,
                NoteState::Asks => types::ChatStatusState::Asks,
                NoteState::Interrupted => types::ChatStatusState::Interrupted,
                NoteState::Waits => types::ChatStatusState::Waits,
                NoteState::Answered => types::ChatStatusState::Answered,
                NoteState::Empty => types::ChatStatusState::Empty,
            },
            answers: to_integer(status.answers),
            calls: to_integer(status.calls),
            asks: convert_calls(status.asks),
        })
    }

    async fn cancel(&self, _: &Context, p: chat::Cancel) -> Result<chat::CancelResult> {
        let cancelled = self.conversations()?.cancel(&p.note).await;
        let cancelled = cancelled.map_err(|problem| problem.to_fault())?;
        Ok(types::ChatCancelled { cancelled })
    }
}

impl note::Handlers for Vaults {
    async fn run(&self, cx: &Context, p: note::Run) -> Result<note::RunResult> {
        let conversations = self.conversations()?;
        let (opening, consent) = new_opening(cx, &p.note, None)?;
        let cancellation = cancel_with(cx);
        let options = RunOptions {
            block: p.block.map(|block| usize::try_from(block).unwrap_or(usize::MAX)),
            again: p.again,
            check: p.check,
            dry_run: p.dry_run,
            cancellation: cancellation.token.clone(),
            ..RunOptions::default()
        };
        let ran = tokio::spawn(async move { conversations.run(opening, options).await }).await;
        if let Some(round) = consent.take_ended() {
            return Err(round);
        }
        let ran = ran?.map_err(|problem| problem.to_fault())?;
        Ok(types::BlocksRun { blocks: ran.into_iter().map(convert_block).collect() })
    }
}

impl Vaults {
    fn conversations(&self) -> Result<Arc<Conversations>> {
        self.first()?;
        self.conversations.get().cloned().ok_or_else(|| Problem::NoModel.to_fault())
    }
}

/// The conversation of a call: with what its caller may do, and with the consent of its user.
fn new_opening(
    cx: &Context,
    note: &str,
    model: Option<String>,
) -> Result<(Opening, Arc<Elicited>)> {
    let consent = Arc::new(Elicited::new(cx.clone()));
    let opening = Opening {
        note: note.to_owned(),
        model,
        calls: cx.calls()?,
        names_focus: false,
        flags: ChatTable::default(),
        consent: consent.clone(),
    };
    Ok((opening, consent))
}

/// Cancels a conversation when its call is cancelled.
struct Cancelling {
    token: CancellationToken,
    following: tokio::task::JoinHandle<()>,
}

impl Drop for Cancelling {
    fn drop(&mut self) {
        self.token.cancel();
        self.following.abort();
    }
}

fn cancel_with(cx: &Context) -> Cancelling {
    let token = CancellationToken::new();
    let (cx, cancelled) = (cx.clone(), token.clone());
    let following = tokio::spawn(async move {
        cx.cancelled().await;
        cancelled.cancel();
    });
    Cancelling { token, following }
}

/// Reports what the model says as progress.
async fn report_progress(cx: &Context, mut news: UnboundedReceiver<Progress>) {
    let mut count = 0.0;
    while let Some(progress) = news.recv().await {
        let message = match progress {
            Progress::Asking => continue,
            Progress::Words(words) | Progress::Retrying(words) => words,
            Progress::Calling { tool, .. } => format!("{tool} .."),
            Progress::Called { state, .. } => state,
        };
        count += 1.0;
        cx.progress(count, None, Some(&message));
    }
}

fn convert_calls(asked: Vec<WaitingCall>) -> Option<Vec<types::ChatAsked>> {
    let convert = |WaitingCall { id, tool, arguments }| types::ChatAsked { id, tool, arguments };
    (!asked.is_empty()).then(|| asked.into_iter().map(convert).collect())
}

fn convert_block(ran: Ran) -> types::BlockRun {
    let outcome = match ran.outcome {
        RunOutcome::Ran(state, _) => state.split([' ', ',']).next().unwrap_or_default().to_owned(),
        RunOutcome::Edited => "edited".to_owned(),
        RunOutcome::Would => "would_run".to_owned(),
        RunOutcome::Same => "same".to_owned(),
        RunOutcome::Different(_) => "different".to_owned(),
        RunOutcome::NotChecked => "not_checked".to_owned(),
    };
    let id = ran.id.map(|id| id.to_string());
    types::BlockRun { line: to_integer(ran.line), tool: ran.tool, outcome, id }
}
