//! Consent that the client of a call asks its user for.

use std::sync::{Mutex, PoisonError};

use crate::conversation::{Asked, Consent, Decision, Question, Reason};
use futures::FutureExt;
use futures::future::BoxFuture;
use toolwrit_core::call::context::Context;
use toolwrit_core::dialogue::{Answered, Form};
use toolwrit_core::fault::Fault;

/// Asks the user of the client that makes a call. A client that cannot ask leaves the question open.
pub struct Elicited {
    cx: Context,
    ended: Mutex<Option<Fault>>,
}

impl Elicited {
    /// Asks within this call.
    #[must_use]
    pub fn new(cx: Context) -> Self {
        Self { cx, ended: Mutex::default() }
    }

    /// The end of the round, if the client answers by repeating the call. The handler returns it.
    pub fn take_ended(&self) -> Option<Fault> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Consent for Elicited {
    fn ask(&self, question: Question) -> BoxFuture<'_, Decision> {
        async move {
            let form = Form::new(question_text(&question));
            if !self.cx.can_ask(form.clone()) {
                return Decision::Later;
            }
            match self.cx.ask(&format!("chat/{}", question.id), &form).await {
                Ok(Answered::Accepted(_)) => Decision::Approve,
                Ok(Answered::Declined) => Decision::Decline,
                Ok(Answered::Cancelled) => Decision::Later,
                Err(fault) => {
                    *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
                    Decision::Later
                }
            }
        }
        .boxed()
    }
}

/// The question as a person reads it.
#[must_use]
pub fn question_text(question: &Question) -> String {
    let Question { tool, calls, by_user, .. } = question;
    let who = if *by_user { "A block of the note calls" } else { "The model wants to call" };
    let text = calls.iter().map(|Asked { tool: asked, arguments, reason }| {
        let within =
            if asked.id == tool.id { String::new() } else { format!(" within {}", tool.id) };
        format!("{who} {}{within}. {}\n{} {arguments}", asked.id, explain_reason(*reason), asked.id)
    });
    text.collect::<Vec<_>>().join("\n")
}

fn explain_reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Writes => "It changes something.",
        Reason::Destroys => "It deletes or replaces something.",
        Reason::MayLeak => {
            "It reaches out, and the conversation holds text of the vault, which it may pass on."
        }
        Reason::MustConfirm => "It must be confirmed.",
    }
}
