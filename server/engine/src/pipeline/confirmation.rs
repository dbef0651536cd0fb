//! Operations with `confirm` ask before they act: the person, where the client can ask one, else
//! whoever called. Those get a ticket with the refusal, and confirm with the same call and the ticket.
//!
//! Where the operation has a dry run, the question shows what it answers, and a yes is a yes to that.

use std::future::Future;

use futures::future::Either;
use serde_json::Value;

use super::Service;
use super::deadline::never_begun;
use crate::authority::Operation;
use crate::call::Bound;
use crate::confirmed::Confirmed;
use crate::dialogue::{Answered, Binding, Dialogue, Form, Question, Tickets};
use crate::fault::{Code, Fault, Result};
use crate::outcome::Outcome;
use crate::recorded_arguments::canonical;
use crate::slot::Slot;

/// The key of the question. No handler's key has a slash in it by accident.
const KEY: &str = "toolwrit/confirm";
/// Longest arguments, in bytes, that a refusal repeats with the ticket among them.
const LONGEST_EXAMPLE: usize = 2048;
/// Most bytes of a dry run's answer that a question shows.
const LONGEST_PREVIEW: usize = 1024;

pub(super) struct Confirmation<N> {
    tickets: Tickets,
    next: N,
}

impl<N> Confirmation<N> {
    pub(super) fn new(next: N) -> Self {
        Self { tickets: Tickets::new(), next }
    }
}

impl<N: Service<Bound>> Service<Bound> for Confirmation<N> {
    fn call(&self, call: Bound) -> impl Future<Output = Result<Outcome>> + Send {
        let operation = call.operation;
        if !operation.confirm || call.caller.dialogue.is_settled() || is_dry(operation, &call) {
            Either::Left(self.next.call(call))
        } else {
            Either::Right(Box::pin(self.confirmed(call)))
        }
    }
}

impl<N: Service<Bound>> Confirmation<N> {
    /// Asks, and runs the call if the answer is yes.
    async fn confirmed(&self, call: Bound) -> Result<Outcome> {
        let operation = call.operation;
        let arguments = canonical(operation.inputs, &call.arguments);
        let binding = Binding::new(&call.caller.principal, operation.id, &arguments);
        let consent = self.consent(&call, binding, &arguments).await;
        let confirmed = consent.map_err(|fault| fault.of(operation.id))?;
        let mut result = self.next.call(Bound { confirmed, ..call }).await;
        // The handler has a question of its own: the yes comes again with its answer, and needs a
        // ticket again.
        if let Err(fault) = &mut result
            && let Some(pending) = fault.questions_mut()
        {
            pending.ticket = Some(self.tickets.issue(binding, confirmed)?);
        }
        result
    }

    /// What the call would do, if its operation can tell.
    async fn preview(&self, call: &Bound) -> Result<Option<Value>> {
        let Some(at) = dry_run(call.operation) else { return Ok(None) };
        let mut dry = call.clone();
        // It neither begins the call itself nor outlives its caller.
        dry.keyed = None;
        dry.arguments.put_at(at, Slot::Boolean(true));
        Ok(Some(self.next.call(dry).await?.value))
    }

    /// Completes when there is a yes to exactly this call.
    async fn consent(&self, call: &Bound, binding: Binding, arguments: &str) -> Result<Confirmed> {
        let operation = call.operation;
        if let Some(ticket) = &call.confirm {
            // After a round of the handler's, that one has been used. The round brought another, in a
            // state that belongs to these arguments.
            let ticket = call.caller.dialogue.ticket().unwrap_or(ticket);
            if let Some(confirmed) = self.tickets.redeem(ticket, binding) {
                return Ok(confirmed);
            }
            let preview = self.preview(call).await?;
            return Err(self.refusal(STALE, operation, binding, arguments, preview.as_ref())?);
        }
        let dialogue = &call.caller.dialogue;
        let preview = self.preview(call).await?;
        let preview = preview.as_ref();
        let form = form(operation, call.caller.trail.arguments().unwrap_or_default(), preview);
        if !dialogue.can(&Question::Form(form.clone())) {
            return Err(self.refusal(FIRST, operation, binding, arguments, preview)?);
        }
        let answer = match dialogue {
            // Without its ticket a yes is a yes to something else, or one that has been used.
            Dialogue::Rounds(rounds) if rounds.ticket.is_none() => Err(rounds.anew(KEY, form)),
            _ => tokio::select! {
                biased;
                () = call.caller.cancellation.cancelled() => Err(never_begun()),
                answer = dialogue.ask(KEY, &form) => answer,
            },
        };
        match answer {
            Ok(Answered::Accepted(_)) => match dialogue.ticket() {
                Some(ticket) => match self.tickets.redeem(ticket, binding) {
                    Some(confirmed) => Ok(confirmed),
                    None => Err(self.refusal(STALE, operation, binding, arguments, preview)?),
                },
                None => Ok(Confirmed::to(preview)),
            },
            Ok(Answered::Declined | Answered::Cancelled) => Err(declined()),
            Err(mut fault) => {
                if let Some(pending) = fault.questions_mut() {
                    let confirmed = Confirmed::to(preview);
                    pending.ticket = Some(self.tickets.issue(binding, confirmed)?);
                }
                Err(fault)
            }
        }
    }

    /// The refusal that carries the ticket for the second call.
    fn refusal(
        &self,
        why: &str,
        operation: &Operation,
        binding: Binding,
        arguments: &str,
        preview: Option<&Value>,
    ) -> Result<Fault> {
        let ticket = self.tickets.issue(binding, Confirmed::to(preview))?;
        let message = format!("`{}` {why}{}", operation.id, shown(" ", preview));
        let fault = Fault::new(Code::ConfirmationRequired, message)
            .at(format!("/{}", Operation::CONFIRM))
            .expecting(ticket.as_str())
            .hinting(format!(
                "Make sure that the user wants this. Then send the same call with \
                 `\"{}\": \"{ticket}\"` among its arguments, within ten minutes.",
                Operation::CONFIRM
            ));
        let example = serde_json::from_str(arguments).ok().and_then(|mut example: Value| {
            example.as_object_mut()?.insert(Operation::CONFIRM.to_owned(), ticket.into());
            Some(example)
        });
        Ok(match example.filter(|_| arguments.len() <= LONGEST_EXAMPLE) {
            Some(example) => fault.exemplified(example),
            None => fault,
        })
    }
}

const FIRST: &str = "removes things, so it asks first. Nothing was done.";
const STALE: &str =
    "was not done: this confirmation is for another call, has been used, or is too old.";

/// What the person reads. Secrets among the arguments are not shown.
fn form(operation: &Operation, arguments: &str, preview: Option<&Value>) -> Form {
    let preview = shown("\n", preview);
    Form::new(format!("{} Really?\n{} {arguments}{preview}", operation.summary, operation.id))
}

/// The start of what a dry run answered.
fn shown(before: &str, preview: Option<&Value>) -> String {
    let Some(preview) = preview.map(Value::to_string) else { return String::new() };
    let start = &preview[..preview.floor_char_boundary(LONGEST_PREVIEW)];
    let rest = if start.len() < preview.len() { " .." } else { "" };
    format!("{before}What it would do: {start}{rest}")
}

fn declined() -> Fault {
    Fault::cancelled("The user did not confirm, so nothing was done.")
        .hinting("Do not try again unless the user asks for it.")
}

fn is_dry(operation: &Operation, call: &Bound) -> bool {
    let dry = dry_run(operation).and_then(|at| call.arguments.iter().nth(at));
    dry == Some(&Slot::Boolean(true))
}

/// Where among its arguments an operation is told to run dry.
fn dry_run(operation: &Operation) -> Option<usize> {
    let at = operation.inputs.iter().position(|field| field.name == "dry_run");
    at.filter(|_| operation.dry_run)
}
