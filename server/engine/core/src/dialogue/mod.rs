//! Questions to the client's user, its model or the client itself during a call. Before 2026-07-28
//! the server sends a request, and the call waits. Since then the call ends with its questions, and the
//! client repeats it with the answers. A handler sees no difference: it asks, and gets the answer.

mod confirmation_token;
pub mod confirmed;
mod confirmer;
mod form;
mod interrupt;
mod live;
mod question;
mod relay;
mod rounds;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::try_join_all;
use serde_json::{Map, Value};

use crate::fault::{Code, Fault, Result};

pub use confirmation_token::{Binding, ConfirmationToken};
pub use confirmer::Confirmer;
pub use form::{Answered, Form, Input};
pub use interrupt::{Continuation, Interrupt, Pending};
pub use live::{LiveClient, Peer, WaitingTime};
pub use question::{Ask, Question, Root, Roots, Sampled, Sampling, Speaker};
pub use relay::{Relay, Relayed};
pub use rounds::Rounds;

/// Replies by the keys of their questions.
pub type Replies = BTreeMap<String, Value>;

/// How the handler can ask the client questions.
#[derive(Debug, Clone, Default)]
pub enum Dialogue {
    /// Not at all, and nothing needs confirmation: the user has confirmed beforehand.
    Settled,
    /// Only to confirm the call. For the command line.
    Confirming(Arc<dyn Confirmer>),
    /// Not at all.
    #[default]
    Silent,
    /// By a request to the client, while the call waits.
    Live(Arc<LiveClient>),
    /// By ending the call, which the client repeats with the answers.
    Rounds(Arc<Rounds>),
}

/// The kinds of questions that a client can answer, as it declared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Its user can fill in forms (elicitation).
    pub forms: bool,
    /// Its model can answer (sampling).
    pub sampling: bool,
    /// It can list the folders that the user works in (roots).
    pub roots: bool,
}

impl Abilities {
    /// Whether the client cannot answer any question.
    pub fn is_mute(self) -> bool {
        self == Self::default()
    }

    fn covers(self, question: &Question) -> bool {
        match question {
            Question::Form(_) => self.forms,
            Question::Sampling(_) => self.sampling,
            Question::Roots => self.roots,
        }
    }
}

impl Dialogue {
    /// Whether the client can answer this question.
    pub(crate) fn can(&self, question: &Question) -> bool {
        match self {
            Self::Settled | Self::Confirming(_) | Self::Silent => false,
            Self::Live(live) => live.abilities.covers(question),
            Self::Rounds(rounds) => rounds.abilities.covers(question),
        }
    }

    /// Whether the user can be asked to confirm the call with this form.
    pub(crate) fn can_confirm(&self, form: &Form) -> bool {
        matches!(self, Self::Confirming(_)) || self.can(&Question::Form(form.clone()))
    }

    /// Whether the engine needs no confirmation: the user confirmed beforehand, or in an earlier round.
    pub(crate) fn is_settled(&self) -> bool {
        match self {
            Self::Settled => true,
            Self::Live(live) => live.follows_rounds,
            Self::Confirming(_) | Self::Silent | Self::Rounds(_) => false,
        }
    }

    /// Returns the confirmation token that came with this round.
    pub(crate) fn token(&self) -> Option<&str> {
        match self {
            Self::Rounds(rounds) => rounds.token.as_deref(),
            _ => None,
        }
    }

    /// Turns a call into a task, if it may become one.
    ///
    /// # Errors
    /// The end of the round, if the task is not running yet.
    pub(crate) fn begin_task(&self) -> Result<()> {
        match self {
            Self::Rounds(rounds) => rounds.begin_task(),
            _ => Ok(()),
        }
    }

    /// Converts the fault of a handler: to a failure, or to the end of a round.
    pub(crate) fn interrupt(&self, fault: Fault) -> Interrupt {
        match self {
            Self::Rounds(rounds) => rounds.interrupt(fault),
            _ => fault.into(),
        }
    }

    /// Returns the answer to this question that came with the round, if there is one.
    pub(crate) fn replied<Q: Ask>(&self, key: &str, question: &Q) -> Option<Q::Answer> {
        match self {
            Self::Rounds(rounds) => rounds.replies.get(key).and_then(|reply| question.read(reply)),
            _ => None,
        }
    }

    /// Asks a question, and waits for the answer or ends the round. Ignores a reply of the wrong shape.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` if the client cannot answer; the end of the round; or the peer's fault.
    pub(crate) async fn ask<Q: Ask>(&self, key: &str, question: &Q) -> Result<Q::Answer> {
        let general = question.clone().into();
        match self {
            Self::Rounds(rounds) => {
                let reply = rounds.replies.get(key).and_then(|reply| question.read(reply));
                match reply {
                    Some(answer) => Ok(answer),
                    None => Err(rounds.end(BTreeMap::from([(key.to_owned(), general)]))),
                }
            }
            Self::Live(live) if live.abilities.covers(&general) => {
                let reply = live.reply(key, &general).await?;
                question.read(&reply).ok_or_else(|| wrong_shape(key))
            }
            _ => Err(cannot_answer(&general)),
        }
    }

    /// Asks the user to confirm the call with a form that has no inputs.
    ///
    /// # Errors
    /// As [`Self::ask`], or the fault of the [`Confirmer`].
    pub(crate) async fn confirm(&self, key: &str, form: &Form) -> Result<Answered> {
        match self {
            Self::Confirming(user) => {
                user.confirm(form.message().to_owned()).await?;
                Ok(Answered::Accepted(Map::new()))
            }
            _ => self.ask(key, form).await,
        }
    }

    /// Asks several questions at once, so that asking each of them later needs no further round.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(crate) async fn ask_together(&self, questions: BTreeMap<String, Question>) -> Result<()> {
        match self {
            Self::Rounds(rounds) => {
                let open = questions.into_iter().filter(|(key, question)| {
                    !rounds.replies.get(key).is_some_and(|reply| question.accepts(reply))
                });
                let open: BTreeMap<_, _> = open.collect();
                if open.is_empty() { Ok(()) } else { Err(rounds.end(open)) }
            }
            Self::Live(live) => {
                if let Some(question) = questions.values().find(|question| !self.can(question)) {
                    return Err(cannot_answer(question));
                }
                let asked = questions.iter().map(|(key, question)| live.reply(key, question));
                try_join_all(asked).await.map(drop)
            }
            // `ask` for each of them returns the fault.
            Self::Settled | Self::Confirming(_) | Self::Silent => Ok(()),
        }
    }
}

fn wrong_shape(key: &str) -> Fault {
    Fault::upstream(format!("The client's answer to `{key}` does not fit the question."))
        .retryable(false)
}

fn cannot_answer(question: &Question) -> Fault {
    let what = match question {
        Question::Form(_) => "ask its user (elicitation)",
        Question::Sampling(_) => "have its model answer (sampling)",
        Question::Roots => "list its folders (roots)",
    };
    Fault::new(Code::ProviderUnavailable, format!("This operation needs a client that can {what}."))
        .hinting("Use a client that declares this capability, on a connection that can carry it.")
        .lacking(question.capability())
}
