//! One call of a tool on behalf of a caller: its progress, its end, and the questions of the upstream.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolwrit_core::context::Context;
use toolwrit_core::dialogue::{Form, Relayed};
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_upstreams::{
    Answer, Answers, AskUser, Asked, Call, Caller, Progress, Question, Round, Upstream, User,
};

use crate::fault::fault;

/// How often an upstream may ask during one call.
const MOST_ROUNDS: usize = 10;
/// How long a call may take with all its questions. The engine ends it before, and does not count the time of the user.
const WITH_QUESTIONS: Duration = Duration::from_hours(2);

/// A call of a tool.
pub(crate) struct Calling<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) tool: &'a str,
    pub(crate) cx: &'a Context,
    /// Whether a second call does nothing that the first has not done.
    pub(crate) is_idempotent: bool,
}

impl Calling<'_> {
    /// Calls the tool, and passes its questions on.
    ///
    /// # Errors
    /// The fault with which the call ends, or that ends a round of it.
    pub(crate) async fn answer(&self, arguments: &Map<String, Value>) -> Result<Answer> {
        let call = Call { tool: self.tool, arguments, caller: caller(self.upstream, self.cx) };
        let mut answers = self.cx.relayed().map(answers);
        for _ in 0..MOST_ROUNDS {
            let round = self.upstream.call_in_rounds(&call, answers.as_ref()).await;
            match round.map_err(|failure| fault(failure, self.is_idempotent))? {
                Round::Answered(answer) => return Ok(answer),
                Round::Asks(asked) => answers = Some(self.ask(asked).await?),
            }
        }
        let message = format!("The tool `{}` asked {MOST_ROUNDS} times.", self.tool);
        Err(Fault::new(Code::UpstreamError, message))
    }

    async fn ask(&self, asked: Asked) -> Result<Answers> {
        let forms = asked.questions.into_iter().map(|(key, question)| {
            let form = form(self.upstream.name(), &question);
            let message = || format!("The tool `{}` asks what no form can ask.", self.tool);
            Ok((key, form.ok_or_else(|| Fault::new(Code::UpstreamError, message()))?))
        });
        let forms: BTreeMap<String, Form> = forms.collect::<Result<_>>()?;
        self.cx.relay(forms, asked.state).await.map(answers)
    }
}

fn answers(relayed: Relayed) -> Answers {
    Answers { replies: relayed.replies, state: relayed.state }
}

/// The form of a question, which says who asks.
fn form(upstream: &str, question: &Question) -> Option<Form> {
    Form::parse(format!("{upstream} asks: {}", question.message), &question.schema)
}

/// Who waits for an answer of an upstream. A call that is dropped is cancelled.
pub(crate) fn caller(upstream: &Upstream, cx: &Context) -> Caller {
    let user = user(upstream, cx);
    let reported = cx.clone();
    let progress = move |own: Progress| {
        reported.progress(own.progress, own.total, own.message.as_deref());
    };
    let more = if matches!(user, User::Present(_)) { WITH_QUESTIONS } else { Duration::ZERO };
    Caller {
        cancellation: CancellationToken::new(),
        progress: Some(Arc::new(progress)),
        user,
        ..Caller::until(cx.deadline() + more)
    }
}

/// The user of the caller, as far as its client can ask.
fn user(upstream: &Upstream, cx: &Context) -> User {
    if !cx.can_ask(Form::new("")) {
        User::Absent
    } else if cx.waits_for_answers() {
        let upstream = upstream.name().to_owned();
        User::Present(Arc::new(PresentUser { cx: cx.clone(), upstream }))
    } else {
        User::BetweenCalls
    }
}

/// A user whose client answers while the call waits.
struct PresentUser {
    cx: Context,
    upstream: String,
}

impl AskUser for PresentUser {
    fn who(&self) -> String {
        self.cx.client_key()
    }

    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Option<Value>> + Send + '_>> {
        Box::pin(async move {
            let forms = BTreeMap::from([("question".to_owned(), form(&self.upstream, &question)?)]);
            let relayed = self.cx.relay(forms, None).await.ok()?;
            relayed.replies.into_values().next()
        })
    }
}
