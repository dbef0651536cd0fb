//! Asking back in the middle of a call: the person or the model behind the client, or the client
//! itself. How that goes depends on the client. In the older era of MCP the server sends a request and
//! the call waits; since 2026-07-28 the call ends with its questions, and comes again with the
//! answers. A handler sees no difference: it asks, and goes on with the answer.

mod confirmation_token;
mod form;
mod interrupt;
mod live;
mod question;
mod rounds;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::try_join_all;
use serde_json::Value;

use crate::fault::{Code, Fault, Result};

pub(crate) use confirmation_token::{Binding, ConfirmationTokens};
pub use form::{Answered, Form, Input};
pub use interrupt::{Continuation, Interrupt, Pending};
pub use live::{Live, Peer, WaitingTime};
pub use question::{Ask, Question, Root, Roots, Sampled, Sampling, Speaker};
pub use rounds::Rounds;

/// Replies by the key of their question.
pub type Replies = BTreeMap<String, Value>;

/// How the one who calls can be asked something.
#[derive(Debug, Clone, Default)]
pub enum Dialogue {
    /// Not at all; what the engine would ask has been asked before. The command line.
    Settled,
    /// Not at all.
    #[default]
    Silent,
    /// By a request to the client, while the call waits.
    Live(Arc<Live>),
    /// By ending the call, which comes again with the answers.
    Rounds(Arc<Rounds>),
}

/// What a client is able to answer, as it declared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    /// A person fills in forms.
    pub forms: bool,
    /// A model answers.
    pub sampling: bool,
    /// It knows the folders that the person works in.
    pub roots: bool,
}

impl Abilities {
    /// Whether the client can answer nothing.
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
    /// Whether the client can answer this.
    pub(crate) fn can(&self, question: &Question) -> bool {
        match self {
            Self::Settled | Self::Silent => false,
            Self::Live(live) => live.abilities.covers(question),
            Self::Rounds(rounds) => rounds.abilities.covers(question),
        }
    }

    /// Whether what the engine would ask has been asked before.
    pub(crate) fn is_settled(&self) -> bool {
        match self {
            Self::Settled => true,
            Self::Live(live) => live.follows_rounds,
            Self::Silent | Self::Rounds(_) => false,
        }
    }

    /// The confirmation token that came with this round.
    pub(crate) fn token(&self) -> Option<&str> {
        match self {
            Self::Rounds(rounds) => rounds.token.as_deref(),
            _ => None,
        }
    }

    /// From here on a call that may become a task is one.
    ///
    /// # Errors
    /// The end of the round, when the task does not run yet.
    pub(crate) fn begin_task(&self) -> Result<()> {
        match self {
            Self::Rounds(rounds) => rounds.begin_task(),
            _ => Ok(()),
        }
    }

    /// What the fault of a handler means: a failure, or the end of a round.
    pub(crate) fn interrupt(&self, fault: Fault) -> Interrupt {
        match self {
            Self::Rounds(rounds) => rounds.interrupt(fault),
            _ => fault.into(),
        }
    }

    /// The reply to this question, where one came with the round.
    pub(crate) fn replied<Q: Ask>(&self, key: &str, question: &Q) -> Option<Q::Answer> {
        match self {
            Self::Rounds(rounds) => rounds.replies.get(key).and_then(|reply| question.read(reply)),
            _ => None,
        }
    }

    /// Asks, and waits or ends the round. A reply that makes no sense is as good as none.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` when the client cannot answer; the end of the round; the peer's failure.
    pub(crate) async fn ask<Q: Ask>(&self, key: &str, question: &Q) -> Result<Q::Answer> {
        let whole = question.clone().into();
        match self {
            Self::Rounds(rounds) => {
                let reply = rounds.replies.get(key).and_then(|reply| question.read(reply));
                match reply {
                    Some(answer) => Ok(answer),
                    None => Err(rounds.end(BTreeMap::from([(key.to_owned(), whole)]))),
                }
            }
            Self::Live(live) if live.abilities.covers(&whole) => {
                let reply = live.reply(key, &whole).await?;
                question.read(&reply).ok_or_else(|| senseless(key))
            }
            _ => Err(cannot_answer(&whole)),
        }
    }

    /// Puts several questions at once, so that asking each of them later costs no further round.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(crate) async fn ask_together(&self, questions: BTreeMap<String, Question>) -> Result<()> {
        match self {
            Self::Rounds(rounds) => {
                let open = questions.into_iter().filter(|(key, question)| {
                    !rounds.replies.get(key).is_some_and(|reply| question.makes_sense(reply))
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
            // Asking for each of them says why not.
            Self::Settled | Self::Silent => Ok(()),
        }
    }
}

fn senseless(key: &str) -> Fault {
    Fault::upstream(format!("The client's answer to `{key}` does not fit what was asked."))
        .retryable(false)
}

fn cannot_answer(question: &Question) -> Fault {
    let what = match question {
        Question::Form(_) => "ask its user (elicitation)",
        Question::Sampling(_) => "have its model answer (sampling)",
        Question::Roots => "tell its folders (roots)",
    };
    Fault::new(Code::ProviderUnavailable, format!("This needs a client that can {what}."))
        .hinting("Use a client that declares this capability, on a connection that can carry it.")
        .lacking(question.capability())
}
