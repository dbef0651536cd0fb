//! Operations with `confirm` ask before they act: the person, where the client can ask one, else
//! the caller. The caller gets a confirmation token with the refusal, and confirms by sending the same
//! call with the token.
//!
//! Where the operation has a dry run, the question shows its result, and a confirmation holds for that result.

use serde_json::Value;

use super::Ended;
use super::deadline::never_begun;
use crate::arg_value::ArgValue;
use crate::authority::Operation;
use crate::call::Bound;
use crate::confirmed::Confirmed;
use crate::dialogue::{Answered, Binding, ConfirmationTokens, Dialogue, Form, Interrupt, Question};
use crate::fault::{Code, Fault, Result};
use crate::recorded_arguments::canonical;

/// The key of the question. No handler's key has a slash in it by accident.
const KEY: &str = "toolwrit/confirm";
/// Longest arguments, in bytes, that a refusal repeats with the token among them.
const LONGEST_EXAMPLE: usize = 2048;
/// Most bytes of a dry run's answer that a question shows.
const LONGEST_PREVIEW: usize = 1024;

pub(super) struct Confirmation {
    tokens: ConfirmationTokens,
}

/// A call that must be confirmed.
pub(super) struct ConfirmationRequest {
    binding: Binding,
    /// In their canonical form.
    arguments: String,
}

/// What must be confirmed; none where the call needs no confirmation.
pub(super) fn request(call: &Bound) -> Option<ConfirmationRequest> {
    let operation = call.operation.row();
    if !operation.confirm || call.caller.dialogue.is_settled() || is_dry(operation, call) {
        return None;
    }
    let arguments = canonical(operation.inputs, &call.arguments);
    let binding = Binding::new(&call.caller.principal, operation.id, &arguments);
    Some(ConfirmationRequest { binding, arguments })
}

/// The call that tells what this one would do, if its operation can tell. It neither begins the call
/// itself nor outlives its caller.
pub(super) fn dry(call: &Bound) -> Option<Bound> {
    let at = dry_run(call.operation.row())?;
    let mut dry = Bound { keyed: None, ..call.clone() };
    dry.arguments.put_at(at, ArgValue::Boolean(true));
    Some(dry)
}

impl Confirmation {
    pub(super) fn new() -> Self {
        Self { tokens: ConfirmationTokens::new() }
    }

    /// What the confirmation that came with the call confirms; none where it must be asked for.
    ///
    /// # Errors
    /// `CANCELLED` when the user said no, or the caller has gone.
    pub(super) fn redeem(
        &self,
        call: &Bound,
        request: &ConfirmationRequest,
    ) -> Result<Option<Confirmed>> {
        let dialogue = &call.caller.dialogue;
        if let Some(token) = &call.confirm {
            // After a round of the handler's, that token has been used. The round brought another, in a
            // state that belongs to these arguments.
            let token = dialogue.token().unwrap_or(token);
            return Ok(self.tokens.redeem(token, request.binding));
        }
        // A reply is read without its question's text.
        let question = Form::new(String::new());
        let (Some(token), true) = (dialogue.token(), dialogue.can(&question.clone().into())) else {
            return Ok(None);
        };
        if call.caller.cancellation.is_cancelled() {
            return Err(never_begun());
        }
        match dialogue.replied(KEY, &question) {
            Some(Answered::Accepted(_)) => Ok(self.tokens.redeem(token, request.binding)),
            Some(Answered::Declined | Answered::Cancelled) => Err(declined()),
            None => Ok(None),
        }
    }

    /// Asks for confirmation. No confirmation that came with the call is valid.
    pub(super) async fn ask(
        &self,
        call: &Bound,
        request: &ConfirmationRequest,
        preview: Option<&Value>,
    ) -> std::result::Result<Confirmed, Interrupt> {
        let operation = call.operation.row();
        let dialogue = &call.caller.dialogue;
        if call.confirm.is_some() {
            return Err(self.refusal(STALE, operation, request, preview)?.into());
        }
        let shown = call.caller.audit_arguments.get().unwrap_or_default();
        let form = form(operation, shown, preview);
        if !dialogue.can(&Question::Form(form.clone())) {
            return Err(self.refusal(FIRST, operation, request, preview)?.into());
        }
        let answer = match dialogue {
            // Without its token, a confirmation is of another call, or of one that has been done.
            Dialogue::Rounds(rounds) if rounds.token.is_none() => Err(rounds.ask_again(KEY, form)),
            _ => tokio::select! {
                biased;
                () = call.caller.cancellation.cancelled() => Err(never_begun().into()),
                answer = dialogue.ask(KEY, &form) => {
                    answer.map_err(|fault| dialogue.interrupt(fault))
                }
            },
        };
        match answer {
            Ok(Answered::Accepted(_)) if dialogue.token().is_some() => {
                Err(self.refusal(STALE, operation, request, preview)?.into())
            }
            Ok(Answered::Accepted(_)) => Ok(Confirmed::to(preview)),
            Ok(Answered::Declined | Answered::Cancelled) => Err(declined().into()),
            Err(interrupt) => Err(self.with_token(request, Confirmed::to(preview), interrupt)),
        }
    }

    /// Where the handler has a question of its own, the confirmation comes again with its answer, and
    /// needs a token again.
    pub(super) fn renew(
        &self,
        request: &ConfirmationRequest,
        confirmed: Confirmed,
        result: Ended,
    ) -> Ended {
        result.map_err(|interrupt| self.with_token(request, confirmed, interrupt))
    }

    /// Adds a new token to the questions that are open.
    fn with_token(
        &self,
        request: &ConfirmationRequest,
        confirmed: Confirmed,
        mut interrupt: Interrupt,
    ) -> Interrupt {
        if let Some(pending) = interrupt.questions_mut() {
            match self.tokens.issue(request.binding, confirmed) {
                Ok(token) => pending.token = Some(token),
                Err(fault) => return fault.into(),
            }
        }
        interrupt
    }

    /// The refusal that carries the token for the second call.
    fn refusal(
        &self,
        why: &str,
        operation: &Operation<'_>,
        request: &ConfirmationRequest,
        preview: Option<&Value>,
    ) -> Result<Fault> {
        let token = self.tokens.issue(request.binding, Confirmed::to(preview))?;
        let message = format!("`{}` {why}{}", operation.id, shown(" ", preview));
        let fault = Fault::new(Code::ConfirmationRequired, message)
            .at(format!("/{}", Operation::CONFIRM))
            .expecting(token.as_str())
            .hinting(format!(
                "Make sure that the user wants this. Then send the same call with \
                 `\"{}\": \"{token}\"` among its arguments, within ten minutes.",
                Operation::CONFIRM
            ));
        let example =
            serde_json::from_str(&request.arguments).ok().and_then(|mut example: Value| {
                example.as_object_mut()?.insert(Operation::CONFIRM.to_owned(), token.into());
                Some(example)
            });
        Ok(match example.filter(|_| request.arguments.len() <= LONGEST_EXAMPLE) {
            Some(example) => fault.exemplified(example),
            None => fault,
        })
    }
}

const FIRST: &str = "removes things, so it asks first. Nothing was done.";
const STALE: &str =
    "was not done: this confirmation is for another call, has been used, or is too old.";

/// What the person reads. Secrets among the arguments are not shown.
fn form(operation: &Operation<'_>, arguments: &str, preview: Option<&Value>) -> Form {
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

fn is_dry(operation: &Operation<'_>, call: &Bound) -> bool {
    let dry = dry_run(operation).and_then(|at| call.arguments.iter().nth(at));
    dry == Some(&ArgValue::Boolean(true))
}

/// Where among its arguments an operation is told to run dry.
fn dry_run(operation: &Operation<'_>) -> Option<usize> {
    let at = operation.inputs.iter().position(|field| field.name == "dry_run");
    at.filter(|_| operation.dry_run)
}
