//! What a handler knows about the call that it serves.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::authority::OperationHandle;
use crate::confirmed::Confirmed;
use crate::dialogue::{Ask, Dialogue, Question};
use crate::fault::{Fault, Result};
use crate::held::Held;
use crate::policy::Policy;
use crate::principal::{Attributes, Principal};
use crate::reports::{Level, Progress, Report, Reports, send};
use crate::sender::{ClientInfo, RequestId};
use crate::surface_kind::SurfaceKind;
use crate::trace_parent::TraceParent;
use crate::updates::Updates;

/// The call that a handler serves: who asks, how long it may take, and whether it still matters.
///
/// As long as there is a clone of it, the call's place among those that run at once is taken.
#[derive(Debug, Clone)]
pub struct Context {
    pub(crate) operation: OperationHandle,
    pub(crate) policy: Arc<Policy>,
    pub(crate) principal: Principal,
    pub(crate) attributes: Option<Arc<Attributes>>,
    pub(crate) client: Option<ClientInfo>,
    pub(crate) surface: Option<SurfaceKind>,
    pub(crate) request_id: Option<RequestId>,
    pub(crate) cancellation: CancellationToken,
    pub(crate) deadline: Instant,
    pub(crate) dialogue: Dialogue,
    pub(crate) confirmed: Confirmed,
    pub(crate) reports: Reports,
    pub(crate) updates: Updates,
    pub(crate) trace: Option<TraceParent>,
    pub(crate) held: Held,
}

impl Context {
    /// The id of the operation, `category.name`.
    pub fn operation(&self) -> &str {
        self.operation.row().id
    }

    /// The focus mode in force.
    pub fn focus(&self) -> &str {
        self.policy.focus()
    }

    /// The role under which the call runs: that of the caller's credential, or the operator's choice, as
    /// far as the request did not narrow it.
    pub fn role(&self) -> &str {
        self.policy.role()
    }

    /// For whom the call is made: the account behind the credential. It is `local` where no credential is
    /// needed, as over standard streams and on the command line.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The scopes of the caller's access token; none where it has none.
    pub fn scopes(&self) -> &[String] {
        self.attributes.as_ref().map_or(&[], |attributes| &attributes.scopes)
    }

    /// A claim of the caller's access token, such as `email`. Its scopes are in [`Self::scopes`].
    pub fn claim(&self, name: &str) -> Option<&Value> {
        self.claims().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// All claims of the caller's access token, by name.
    pub fn claims(&self) -> impl Iterator<Item = (&str, &Value)> {
        let claims = self.attributes.iter().flat_map(|attributes| &attributes.claims);
        claims.map(|(name, value)| (name.as_str(), value))
    }

    /// The program that asks, as it describes itself; none on the command line, and for clients that do
    /// not say.
    pub fn client(&self) -> Option<&ClientInfo> {
        self.client.as_ref()
    }

    /// The surface through which the call came; none on the command line.
    pub fn surface(&self) -> Option<SurfaceKind> {
        self.surface
    }

    /// What the client calls its request; none on the command line.
    pub fn request_id(&self) -> Option<&RequestId> {
        self.request_id.as_ref()
    }

    /// The trace that the call belongs to, if the caller named one, as a header `traceparent` passes it
    /// on to other servers.
    pub fn traceparent(&self) -> Option<String> {
        self.trace.map(|trace| trace.to_string())
    }

    /// When the call times out.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Above so many bytes of JSON the result is cut: there is no use in more.
    pub fn result_bytes(&self) -> u64 {
        self.operation.row().result_bytes
    }

    /// Whether the caller has cancelled, or the deadline has passed.
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// Completes when the caller cancels or the deadline passes.
    pub async fn cancelled(&self) {
        self.cancellation.cancelled().await;
    }

    /// Tells the caller how far the work has come. Costs nothing if the caller did not ask for progress. When a
    /// thousand reports wait for a caller who reads slowly, further ones are lost.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        if let Some(sink) = &self.reports.progress {
            let progress = Progress { done, total, message: message.map(str::to_owned) };
            send(sink, Report::Progress(progress));
        }
    }

    /// Sends a log message to the caller, if the manifest has `logging` and the caller asked for
    /// messages of this level. Free when nobody did. Lost like [`Self::progress`].
    pub fn log(&self, level: Level, data: impl Into<Value>) {
        if let Some((least, sink)) = &self.reports.log
            && level >= *least
        {
            send(sink, Report::Log(level, data.into()));
        }
    }

    /// Tells clients that resources have changed. May be cloned and kept.
    pub fn updates(&self) -> &Updates {
        &self.updates
    }

    /// Asks the person, the model or the client at the other end: a [`Form`](crate::dialogue::Form), a
    /// [`Sampling`](crate::dialogue::Sampling), [`Roots`](crate::dialogue::Roots). The key names the question within the
    /// call. The time until the answer is not counted against the deadline.
    ///
    /// Ask before you change anything. With clients of MCP 2026-07-28 the first unanswered question
    /// ends the call, and the handler runs again from its start when the answer is there.
    ///
    /// # Errors
    /// When the client cannot answer, or has not answered yet. Pass it on with `?`.
    pub async fn ask<Q: Ask>(&self, key: &str, question: &Q) -> Result<Q::Answer> {
        self.dialogue.ask(key, question).await
    }

    /// What was confirmed, in an operation with `confirm` and `dry_run`. A handler that asks
    /// [`Confirmed::covers`] right before it acts does what was shown, and nothing else.
    pub fn confirmed(&self) -> Confirmed {
        self.confirmed
    }

    /// Puts several questions at once, so that they cost one round: after it, [`Self::ask`] for each of
    /// them has its answer.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn ask_together<K: Into<String>>(
        &self,
        questions: impl IntoIterator<Item = (K, Question)>,
    ) -> Result<()> {
        let questions = questions.into_iter().map(|(key, question)| (key.into(), question));
        self.dialogue.ask_together(questions.collect()).await
    }

    /// Says that what follows takes long, in an operation whose `task` begins `by_handler`: from here on
    /// the call is a task. What was asked before, the call itself asked, in rounds; what is asked
    /// afterwards, the task asks. Anywhere else, and for clients that do not know tasks, it does nothing.
    ///
    /// Do it before you change anything: the handler runs again from its start, in the task, and has the
    /// answers to what it asked.
    ///
    /// # Errors
    /// When the task does not run yet. Pass it on with `?`.
    pub fn begin_task(&self) -> Result<()> {
        self.dialogue.begin_task()
    }

    /// Whether the client says that it can answer such a question.
    pub fn can_ask(&self, question: impl Into<Question>) -> bool {
        self.dialogue.can(&question.into())
    }

    /// Runs blocking work off the async threads. The closure gets a check that turns true when the
    /// call is cancelled or times out, and should stop then.
    ///
    /// # Errors
    /// What the work returns; a panic in it goes on to the panic guard.
    pub async fn blocking<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<T> + Send + 'static,
    {
        let (cancellation, held) = (self.cancellation.clone(), self.held.clone());
        let task = tokio::task::spawn_blocking(move || {
            let _held = held;
            if cancellation.is_cancelled() {
                return Err(Fault::cancelled("The call was over before its work began."));
            }
            work(&|| cancellation.is_cancelled())
        });
        match task.await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(Fault::cancelled("The server is stopping.")),
            },
        }
    }
}
