//! Questions of another server, which a handler passes on to the client. Their keys are kept apart from those of the engine
//! and of the handler, so that no answer to another server confirms a call.

use std::collections::BTreeMap;

use futures::future::try_join_all;
use serde_json::{Value, json};

use super::{Dialogue, Form, Question, Replies, cannot_answer, wrong_shape};
use crate::fault::Result;

/// The beginning of the keys of relayed questions.
const PREFIX: &str = "relayed/";

/// What another server needs to continue: the answers to its questions, and its own state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Relayed {
    /// The replies of the client, by the keys of the other server.
    pub replies: Replies,
    /// What the other server sent with its questions.
    pub state: Option<String>,
}

/// Passes the questions of another server on to the client of a call. By default it reaches nobody.
#[derive(Debug, Clone, Default)]
pub struct Relay {
    dialogue: Dialogue,
    who: String,
}

impl Relay {
    pub(crate) fn new(dialogue: Dialogue, who: String) -> Self {
        Self { dialogue, who }
    }

    /// Returns a text that calls of the same account and the same connected client have in common, and no others.
    pub fn who(&self) -> &str {
        &self.who
    }

    /// Whether the client's user can fill in forms.
    pub fn can_ask(&self) -> bool {
        self.dialogue.can(&Question::Form(Form::new("")))
    }

    /// Whether questions are answered while the call waits, rather than in another round.
    pub fn waits_for_answers(&self) -> bool {
        matches!(self.dialogue, Dialogue::Live(_))
    }

    /// Passes questions on, with the state that the other server needs back. A call that begins with [`Self::relayed`] can
    /// continue in the next round. Without questions, this returns the state at once.
    ///
    /// # Errors
    /// If the client cannot answer; the end of the round; or the peer's fault.
    pub async fn ask(
        &self,
        questions: BTreeMap<String, Form>,
        state: Option<String>,
    ) -> Result<Relayed> {
        if questions.is_empty() {
            return Ok(Relayed { replies: Replies::new(), state });
        }
        let named = |(key, form)| (format!("{PREFIX}{key}"), Question::Form(form));
        let questions: BTreeMap<String, Question> = questions.into_iter().map(named).collect();
        if let Some(question) = questions.values().find(|question| !self.dialogue.can(question)) {
            return Err(cannot_answer(question));
        }
        let replies = match &self.dialogue {
            Dialogue::Rounds(rounds) => {
                return Err(rounds.end_relaying(questions, json!({ "state": state })));
            }
            Dialogue::Live(live) => {
                let asked = questions.iter().map(async |(key, question)| {
                    let reply = live.put(key, question).await?;
                    let fits = question.accepts(&reply);
                    if fits { Ok((key.clone(), reply)) } else { Err(wrong_shape(key)) }
                });
                try_join_all(asked).await?
            }
            // They can answer nothing.
            Dialogue::Settled | Dialogue::Confirming(_) | Dialogue::Silent => Vec::new(),
        };
        Ok(Relayed { replies: relayed(replies), state })
    }

    /// Returns the answers of this round to questions that the round before has passed on; `None` if it has passed none on.
    pub fn relayed(&self) -> Option<Relayed> {
        let Dialogue::Rounds(rounds) = &self.dialogue else { return None };
        let state = rounds.memo.as_ref()?.get("state").and_then(Value::as_str).map(str::to_owned);
        Some(Relayed { replies: relayed(rounds.replies.clone()), state })
    }
}

/// The replies to relayed questions, by the keys of the other server.
fn relayed(replies: impl IntoIterator<Item = (String, Value)>) -> Replies {
    let without_prefix =
        |(key, reply): (String, Value)| Some((key.strip_prefix(PREFIX)?.to_owned(), reply));
    replies.into_iter().filter_map(without_prefix).collect()
}

/// Whether a question is one of another server.
pub(super) fn is_relayed(key: &str) -> bool {
    key.starts_with(PREFIX)
}
