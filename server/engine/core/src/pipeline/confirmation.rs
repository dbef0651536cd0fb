//! Operations with `confirm` ask before they act: the client's user, if the client supports forms, otherwise
//! the caller. A caller gets a confirmation token with the refusal, and confirms by sending the same call
//! with the token.
//!
//! If the operation has a dry run, the question shows its result, and the confirmation is valid only for it.

use serde_json::{Map, Value};

use super::Ended;
use super::deadline::never_begun;
use super::preview;
use super::unconfirmed::{self, dry_run};
use crate::arguments::recorded::canonical;
use crate::arguments::value::ArgValue;
use crate::audit::storage::{State, StorageFailed};
use crate::authority::{Effect, Operation};
use crate::call::Validated;
use crate::dialogue::confirmed::Confirmed;
use crate::dialogue::{Answered, Binding, ConfirmationToken, Dialogue, Form, Interrupt};
use crate::fault::{Code, Fault, Result};
use crate::result::page;

/// The key of the question. The slash prevents collisions with keys of handlers.
const KEY: &str = "toolwrit/confirm";
/// Bytes of the longest arguments that a refusal repeats, with the token added.
const LONGEST_EXAMPLE: usize = 2048;
/// Bytes of a dry run's result that a question shows.
const LONGEST_PREVIEW: usize = 1024;

pub(super) struct Confirmation {
    /// What the handlers change: a token of one server is not valid at another.
    location: String,
    state: State,
}

/// A call that must be confirmed.
pub(super) struct ConfirmationRequest {
    binding: Binding,
    /// The arguments, which a refusal repeats; `None` if they are too long for that.
    repeatable: Option<Map<String, Value>>,
    /// The calls of a batch that must be confirmed.
    carried: Vec<String>,
}

/// Returns the dry run of a call; `None` if its operation has none. It has no idempotency key, so that it
/// neither begins the call itself nor outlives its caller.
pub(super) fn dry(call: &Validated) -> Option<Validated> {
    let at = dry_run(call.operation.row())?;
    let mut dry = Validated { keyed: None, ..call.clone() };
    dry.arguments.put_at(at, ArgValue::Boolean(true));
    Some(dry)
}

impl Confirmation {
    pub(super) fn new(location: String, state: State) -> Self {
        Self { location, state }
    }

    /// Returns what must be confirmed; `None` if the call needs no confirmation. If the user cannot be asked about a batch, each
    /// of its calls is refused with a token of its own.
    pub(super) async fn request(&self, call: &Validated) -> Option<ConfirmationRequest> {
        let operation = call.operation.row();
        let dialogue = &call.caller.dialogue;
        if dialogue.is_settled() {
            return None;
        }
        let carried = if dialogue.can_confirm(&Form::new(String::new())) {
            unconfirmed::carried(call).await
        } else {
            Vec::new()
        };
        if carried.is_empty() && !unconfirmed::is_needed(call) {
            return None;
        }
        let arguments = canonical(&operation.inputs, &call.arguments);
        // What the user sees is what is confirmed.
        let shown = [std::slice::from_ref(&arguments), &carried].concat().join("\n");
        let principal = call.caller.principal();
        let binding = Binding::new(&self.location, principal, &operation.id, &shown);
        let is_short = arguments.len() <= LONGEST_EXAMPLE;
        let repeatable = is_short.then(|| call.arguments.clone().into_map(&operation.inputs));
        Some(ConfirmationRequest { binding, repeatable, carried })
    }

    /// Returns what the confirmation in the call confirms; `None` if the engine must ask.
    ///
    /// # Errors
    /// `CANCELLED` if the user declined, or the client has cancelled or disconnected; `PROVIDER_UNAVAILABLE` if the tokens
    /// cannot be read.
    pub(super) async fn redeem(
        &self,
        call: &Validated,
        request: &ConfirmationRequest,
    ) -> Result<Option<Confirmed>> {
        let dialogue = &call.caller.dialogue;
        if let Some(token) = &call.confirm {
            // After a round with the handler's questions, this token has been used. The round's state holds
            // a new one for the same arguments.
            let token = dialogue.token().unwrap_or(token);
            return self.redeem_token(token, request.binding).await;
        }
        // Parsing a reply does not need the text of the question.
        let question = Form::new(String::new());
        let (Some(token), true) = (dialogue.token(), dialogue.can(&question.clone().into())) else {
            return Ok(None);
        };
        if call.caller.cancellation.is_cancelled() {
            return Err(never_begun());
        }
        match dialogue.replied(KEY, &question) {
            Some(Answered::Accepted(_)) => self.redeem_token(token, request.binding).await,
            Some(Answered::Declined | Answered::Cancelled) => Err(declined()),
            None => Ok(None),
        }
    }

    /// Asks for confirmation. The call has no valid confirmation at this point.
    pub(super) async fn ask(
        &self,
        call: &Validated,
        request: &ConfirmationRequest,
        preview: Option<&Value>,
    ) -> std::result::Result<Confirmed, Interrupt> {
        let operation = call.operation.row();
        let dialogue = &call.caller.dialogue;
        if call.confirm.is_some() {
            return Err(self.refusal(STALE, operation, request, preview).await?.into());
        }
        let shown = call.caller.audit_arguments.get().unwrap_or_default();
        let form = match &*request.carried {
            [] => form(operation, shown, preview),
            carried => batch_form(operation, carried),
        };
        if !dialogue.can_confirm(&form) {
            let why = first(operation);
            return Err(self.refusal(why, operation, request, preview).await?.into());
        }
        let answer = match dialogue {
            // A confirmation without a token belongs to another call, or to one that has already run.
            Dialogue::Rounds(rounds) if rounds.token.is_none() => Err(rounds.ask_again(KEY, form)),
            _ => tokio::select! {
                biased;
                () = call.caller.cancellation.cancelled() => Err(never_begun().into()),
                answer = dialogue.confirm(KEY, &form) => {
                    answer.map_err(|fault| dialogue.interrupt(fault))
                }
            },
        };
        match answer {
            Ok(Answered::Accepted(_)) if dialogue.token().is_some() => {
                Err(self.refusal(STALE, operation, request, preview).await?.into())
            }
            Ok(Answered::Accepted(_)) => Ok(Confirmed::to(preview)),
            Ok(Answered::Declined | Answered::Cancelled) => Err(declined().into()),
            Err(interrupt) => {
                Err(self.with_token(request, Confirmed::to(preview), interrupt).await)
            }
        }
    }

    /// Adds a new token to a round that the handler's own questions ended: the client repeats the
    /// confirmation with the answers.
    pub(super) async fn renew(
        &self,
        request: &ConfirmationRequest,
        confirmed: Confirmed,
        result: Ended,
    ) -> Ended {
        match result {
            Ok(outcome) => Ok(outcome),
            Err(interrupt) => Err(self.with_token(request, confirmed, interrupt).await),
        }
    }

    /// Adds a new token to the open questions.
    async fn with_token(
        &self,
        request: &ConfirmationRequest,
        confirmed: Confirmed,
        mut interrupt: Interrupt,
    ) -> Interrupt {
        if let Some(pending) = interrupt.questions_mut() {
            match self.issue(request.binding, confirmed).await {
                Ok(token) => pending.token = Some(token.as_str().to_owned()),
                Err(fault) => return fault.into(),
            }
        }
        interrupt
    }

    /// Issues a new token for a call.
    async fn issue(&self, call: Binding, confirmed: Confirmed) -> Result<ConfirmationToken> {
        let token = ConfirmationToken::random()?;
        let issued = self.state.shared().issue(&token, call, confirmed).await;
        issued.map_err(|StorageFailed| no_tokens())?;
        Ok(token)
    }

    async fn redeem_token(&self, token: &str, call: Binding) -> Result<Option<Confirmed>> {
        let redeemed = self.state.shared().redeem(token, call).await;
        redeemed.map_err(|StorageFailed| no_tokens())
    }

    /// Returns the refusal, with the token for the second call.
    async fn refusal(
        &self,
        why: &str,
        operation: &Operation,
        request: &ConfirmationRequest,
        preview: Option<&Value>,
    ) -> Result<Fault> {
        let token = self.issue(request.binding, Confirmed::to(preview)).await?;
        let token = token.as_str();
        let message = format!("`{}` {why}{}", operation.id, preview_text(operation, preview));
        let fault = Fault::new(Code::ConfirmationRequired, message)
            .with_path(format!("/{}", Operation::CONFIRM))
            .expecting(token)
            .hinting(format!(
                "Make sure that the user wants this. Then send the same call with \
                 `\"{}\": \"{token}\"` among its arguments, within ten minutes.",
                Operation::CONFIRM
            ));
        Ok(match request.repeatable.clone() {
            Some(mut example) => {
                example.insert(Operation::CONFIRM.to_owned(), token.into());
                fault.exemplified(example.into())
            }
            None => fault,
        })
    }
}

const STALE: &str =
    "was not run: the confirmation belongs to another call, has been used, or is too old.";

/// Returns why an operation must be confirmed.
fn first(operation: &Operation) -> &'static str {
    match operation.effect {
        _ if operation.is_assumed => {
            "may remove data, because nothing says what it does, so it must be confirmed first. Nothing was done."
        }
        Effect::Destroy => "removes data, so it must be confirmed first. Nothing was done.",
        Effect::Write => "changes data, so it must be confirmed first. Nothing was done.",
        Effect::Read => "must be confirmed first. Nothing was done.",
    }
}

/// Returns the form that the user sees. It does not show sensitive arguments.
fn form(operation: &Operation, arguments: &str, preview: Option<&Value>) -> Form {
    let lines = |preview| shortened(&preview::lines(&previewed(operation, preview)));
    let preview = preview
        .map_or_else(String::new, |preview| format!("\nWhat it would do:\n{}", lines(preview)));
    let summary = &operation.summary;
    let stop = if summary.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    Form::new(format!("{summary}{stop} Do you want this?\n{} {arguments}{preview}", operation.id))
}

fn batch_form(operation: &Operation, carried: &[String]) -> Form {
    let (id, calls) = (&operation.id, carried.join("\n"));
    Form::new(format!(
        "{id} makes these calls, which must be confirmed. Do you want this?\n{calls}"
    ))
}

/// Returns the beginning of the result of a dry run, for a model.
fn preview_text(operation: &Operation, preview: Option<&Value>) -> String {
    let Some(preview) = preview else { return String::new() };
    format!(" What it would do: {}", shortened(&previewed(operation, preview).to_string()))
}

/// The result of a dry run, as far as it says something to whoever decides.
fn previewed(operation: &Operation, preview: &Value) -> Value {
    if operation.page.is_some() { page::without_cursor(preview.clone()) } else { preview.clone() }
}

fn shortened(preview: &str) -> String {
    let start = &preview[..preview.floor_char_boundary(LONGEST_PREVIEW)];
    let rest = if start.len() < preview.len() { " .." } else { "" };
    format!("{start}{rest}")
}

fn declined() -> Fault {
    Fault::cancelled("The user did not confirm, so nothing was done.")
        .hinting("Do not try again unless the user asks for it.")
}

fn no_tokens() -> Fault {
    Fault::new(
        Code::ProviderUnavailable,
        "The server cannot keep confirmations at the moment, so it did not run this call.",
    )
    .retry_after(5.0)
    .hinting("Send the same call again later. The server's log has the reason.")
}
