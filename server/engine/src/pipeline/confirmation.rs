//! Operations with `confirm` ask before they act: the person, where the client can ask one, else
//! whoever called. Those get a ticket with the refusal, and confirm with the same call and the ticket.

use std::future::Future;

use futures::future::Either;
use serde_json::Value;

use super::Service;
use crate::authority::Operation;
use crate::call::Bound;
use crate::dialogue::{Answered, Binding, Dialogue, Form, Question, Tickets};
use crate::fault::{Code, Fault, Result};
use crate::outcome::Outcome;
use crate::slot::Slot;
use crate::state::canonical;

/// The key of the question. No handler's key has a slash in it by accident.
const KEY: &str = "toolwrit/confirm";
/// Longest arguments, in bytes, that a refusal repeats with the ticket among them.
const LONGEST_EXAMPLE: usize = 2048;

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
        self.consent(&call, binding, &arguments).await.map_err(|fault| fault.of(operation.id))?;
        let mut result = self.next.call(call).await;
        // The handler has a question of its own: the yes comes again with its answer, and needs a
        // ticket again.
        if let Err(fault) = &mut result
            && let Some(pending) = fault.questions_mut()
        {
            pending.ticket = Some(self.tickets.issue(binding)?);
        }
        result
    }
}

impl<N> Confirmation<N> {
    /// Completes when there is a yes to exactly this call.
    async fn consent(&self, call: &Bound, binding: Binding, arguments: &str) -> Result<()> {
        let operation = call.operation;
        if let Some(ticket) = &call.confirm {
            // After a round of the handler's, that one has been used. The round brought another, in a
            // state that belongs to these arguments.
            let ticket = call.caller.dialogue.ticket().unwrap_or(ticket);
            return if self.tickets.redeem(ticket, binding) {
                Ok(())
            } else {
                Err(self.refusal(STALE, operation, binding, arguments)?)
            };
        }
        let dialogue = &call.caller.dialogue;
        let form = form(operation, call.caller.trail.arguments().unwrap_or_default());
        if !dialogue.can(&Question::Form(form.clone())) {
            return Err(self.refusal(FIRST, operation, binding, arguments)?);
        }
        let answer = match dialogue {
            // Without its ticket a yes is a yes to something else, or one that has been used.
            Dialogue::Rounds(rounds) if rounds.ticket.is_none() => Err(rounds.anew(KEY, form)),
            _ => dialogue.ask(KEY, &form).await,
        };
        match answer {
            Ok(Answered::Accepted(_)) => match dialogue.ticket() {
                Some(ticket) if !self.tickets.redeem(ticket, binding) => {
                    Err(self.refusal(STALE, operation, binding, arguments)?)
                }
                _ => Ok(()),
            },
            Ok(Answered::Declined | Answered::Cancelled) => Err(declined()),
            Err(mut fault) => {
                if let Some(pending) = fault.questions_mut() {
                    pending.ticket = Some(self.tickets.issue(binding)?);
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
    ) -> Result<Fault> {
        let ticket = self.tickets.issue(binding)?;
        let fault = Fault::new(Code::ConfirmationRequired, format!("`{}` {why}", operation.id))
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
fn form(operation: &Operation, arguments: &str) -> Form {
    Form::new(format!("{} Really?\n{} {arguments}", operation.summary, operation.id))
}

fn declined() -> Fault {
    Fault::cancelled("The user did not confirm, so nothing was done.")
        .hinting("Do not try again unless the user asks for it.")
}

fn is_dry(operation: &Operation, call: &Bound) -> bool {
    let inputs = operation.inputs.iter().zip(call.arguments.iter());
    let mut dry = inputs.filter(|(field, _)| field.name == "dry_run").map(|(_, slot)| slot);
    operation.dry_run && dry.next() == Some(&Slot::Boolean(true))
}
