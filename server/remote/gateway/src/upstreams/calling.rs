//! One call of a tool on behalf of a caller: its progress, its end, and the questions of the upstream.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use toolwrit_core::call::context::Context;
use toolwrit_core::dialogue::{Form, Relay, Relayed};
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_upstreams::{
    Answer, Answers, AskUser, Asked, Call, Caller, Failure, Progress, Question, Round, Upstream,
    User,
};

use crate::upstreams::interface::Interfaces;

/// How often an upstream may ask during one call.
const MOST_ROUNDS: usize = 10;
/// How long a call may take with all its questions. The engine ends it before, and does not count the time of the user.
const WITH_QUESTIONS: Duration = Duration::from_hours(2);

/// A call of a tool.
pub struct Calling<'a> {
    /// Who has the tool.
    pub upstream: &'a Upstream,
    /// Its name there.
    pub tool: &'a str,
    /// Whether the tool may be called twice with the same arguments.
    pub is_repeatable: bool,
    /// Who waits for the answer. Its user is the one whom the relay reaches.
    pub caller: Caller,
    /// Passes the questions of the upstream on.
    pub relay: Relay,
    pub fault: &'a (dyn Fn(Failure) -> Fault + Send + Sync),
}

impl Calling<'_> {
    /// Calls the tool, and passes its questions on.
    ///
    /// # Errors
    /// The fault with which the call ends, or that ends a round of it.
    pub async fn answer(&self, arguments: &Map<String, Value>) -> Result<Answer> {
        let user = self.user();
        let more = if matches!(user, User::Present(_)) { WITH_QUESTIONS } else { Duration::ZERO };
        let deadline = self.caller.deadline + more;
        let caller = Caller { user, deadline, ..self.caller.clone() };
        let (tool, is_repeatable) = (self.tool, self.is_repeatable);
        let call = Call { tool, arguments, is_repeatable, caller };
        let mut answers = self.relay.relayed().map(answers);
        for _ in 0..MOST_ROUNDS {
            let round = self.upstream.call_in_rounds(&call, answers.as_ref()).await;
            match round.map_err(|failure| self.failed(failure))? {
                Round::Answered(mut answer) => {
                    self.interfaces().show_in_answer(&mut answer);
                    return Ok(answer);
                }
                Round::Asks(asked) => answers = Some(self.ask(asked).await?),
            }
        }
        let message = format!("The tool `{}` asked {MOST_ROUNDS} times.", self.tool);
        Err(Fault::new(Code::UpstreamError, message))
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::new(self.upstream.name())
    }

    fn failed(&self, mut failure: Failure) -> Fault {
        if let Some(answer) = &mut failure.reported {
            self.interfaces().show_in_answer(answer);
        }
        (self.fault)(failure)
    }

    async fn ask(&self, asked: Asked) -> Result<Answers> {
        let forms = asked.questions.into_iter().map(|(key, question)| {
            let form = form(self.upstream.name(), &question);
            let message = || format!("The tool `{}` asks what no form can ask.", self.tool);
            Ok((key, form.ok_or_else(|| Fault::new(Code::UpstreamError, message()))?))
        });
        let forms: BTreeMap<String, Form> = forms.collect::<Result<_>>()?;
        self.relay.ask(forms, asked.state).await.map(answers)
    }

    /// The user of the caller, as far as its client can ask.
    fn user(&self) -> User {
        if !self.relay.can_ask() {
            User::Absent
        } else if self.relay.waits_for_answers() {
            let upstream = self.upstream.name().to_owned();
            User::Present(Arc::new(PresentUser { relay: self.relay.clone(), upstream }))
        } else {
            User::BetweenCalls
        }
    }
}

fn answers(relayed: Relayed) -> Answers {
    Answers { replies: relayed.replies, state: relayed.state }
}

/// The form of a question, which says who asks.
fn form(upstream: &str, question: &Question) -> Option<Form> {
    Form::parse(format!("{upstream} asks: {}", question.message), &question.schema)
}

/// Who waits for an answer of an upstream, without a user. A call that is dropped is cancelled.
pub(crate) fn caller(cx: &Context) -> Caller {
    let reported = cx.clone();
    let progress = move |progress: Progress| {
        reported.progress(progress.progress, progress.total, progress.message.as_deref());
    };
    Caller { progress: Some(Arc::new(progress)), ..Caller::until(cx.deadline()) }
}

/// A user whose client answers while the call waits.
struct PresentUser {
    relay: Relay,
    upstream: String,
}

impl AskUser for PresentUser {
    fn who(&self) -> String {
        self.relay.who().to_owned()
    }

    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Option<Value>> + Send + '_>> {
        Box::pin(async move {
            let forms = BTreeMap::from([("question".to_owned(), form(&self.upstream, &question)?)]);
            let relayed = self.relay.ask(forms, None).await.ok()?;
            relayed.replies.into_values().next()
        })
    }
}
