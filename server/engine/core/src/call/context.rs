//! What a handler can learn about its call, and how it talks to the client.

use std::sync::{Arc, Weak};
use std::time::Instant;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::authority::OperationHandle;
use crate::call::Caller;
use crate::call::audit_arguments::AuditArguments;
use crate::call::bound_call::BoundCalls;
use crate::call::caller_info::CallerInfo;
use crate::call::calls::{CallRunner, Calls};
use crate::call::held::Held;
use crate::call::reports::{HandlerReport, Level, Progress, Reports, send};
use crate::caller::principal::Principal;
use crate::caller::sender::{ClientInfo, RequestId};
use crate::caller::session_calls::SessionCalls;
use crate::caller::surface_kind::SurfaceKind;
use crate::dialogue::confirmed::Confirmed;
use crate::dialogue::{Ask, Dialogue, Question, Relay};
use crate::fault::{Fault, Result};
use crate::shared::Replicas;
use crate::updates::Updates;

/// The call that a handler serves: its caller, its deadline, and whether it has been cancelled.
///
/// While a clone exists, the call counts as running, against the limit of concurrent calls.
#[derive(Debug, Clone)]
pub struct Context {
    pub(crate) operation: OperationHandle,
    pub(crate) instance: usize,
    pub(crate) caller: Arc<CallerInfo>,
    pub(crate) session: Option<SessionCalls>,
    pub(crate) cancellation: CancellationToken,
    pub(crate) deadline: Instant,
    pub(crate) dialogue: Dialogue,
    pub(crate) confirmed: Confirmed,
    pub(crate) reports: Reports,
    pub(crate) updates: Updates,
    pub(crate) bound_calls: Arc<dyn BoundCalls>,
    /// `None` without replicas.
    pub(crate) replicas: Option<Replicas>,
    /// `None` in a test without a pipeline.
    pub(crate) runner: Option<Weak<dyn CallRunner>>,
    pub(crate) held: Held,
}

impl Context {
    /// Returns the id of the operation, `category.name`.
    pub fn operation(&self) -> &str {
        &self.operation.row().id
    }

    /// Returns the position of the instance that the call is about, among those of
    /// [`App::instances`](crate::toolset::App::instances); 0 if there is only one.
    pub fn instance(&self) -> usize {
        self.instance
    }

    /// Returns the name of the provider that the operation requires.
    pub fn required_provider(&self) -> Option<&str> {
        self.operation.provider()
    }

    /// Returns the focus mode in force.
    pub fn focus(&self) -> &str {
        self.caller.policy.focus()
    }

    /// Returns the role under which the call runs: the role of the credential or the operator's choice,
    /// unless the request names a narrower one.
    pub fn role(&self) -> &str {
        self.caller.policy.role()
    }

    /// Returns the account on whose behalf the call is made. It is `local` if no credential is needed, as
    /// over standard streams and on the command line.
    pub fn principal(&self) -> &Principal {
        &self.caller.origin.principal
    }

    /// Returns the scopes of the caller's access token; empty without a token.
    pub fn scopes(&self) -> &[String] {
        self.caller.origin.attributes.as_ref().map_or(&[], |attributes| &attributes.scopes)
    }

    /// Returns a claim of the caller's access token, such as `email`. For scopes, see [`Self::scopes`].
    pub fn claim(&self, name: &str) -> Option<&Value> {
        self.claims().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns all claims of the caller's access token, by name.
    pub fn claims(&self) -> impl Iterator<Item = (&str, &Value)> {
        let claims = self.caller.origin.attributes.iter().flat_map(|attributes| &attributes.claims);
        claims.map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the client program, as it describes itself; `None` on the command line, and for clients that
    /// do not identify themselves.
    pub fn client(&self) -> Option<&ClientInfo> {
        self.caller.origin.client.as_ref()
    }

    /// Returns the surface of the tool that was called; `None` on the command line.
    pub fn surface(&self) -> Option<SurfaceKind> {
        self.caller.surface
    }

    /// Returns the JSON-RPC id of the request; `None` on the command line.
    pub fn request_id(&self) -> Option<&RequestId> {
        self.caller.origin.request_id.as_ref()
    }

    /// Returns the trace that the call belongs to, as the value of a `traceparent` header for requests to
    /// other servers. `None` if the caller named no trace.
    pub fn traceparent(&self) -> Option<String> {
        self.caller.origin.trace.map(|trace| trace.to_string())
    }

    /// Examines a provider now, and waits until its availability and its operations are up to date. Does nothing
    /// for a provider that the manifest does not declare.
    pub async fn examine_provider(&self, name: &str) {
        let declared = &self.caller.policy.tables().providers;
        let at = declared.iter().position(|provider| provider.name == name);
        if let (Some(at), Some(providers)) = (at, self.caller.policy.providers()) {
            providers.examine(at).await;
        }
    }

    /// Returns when the call times out.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns the maximum size of the result in bytes of JSON. The engine truncates a longer result.
    pub fn result_bytes(&self) -> u64 {
        self.operation.row().result_bytes
    }

    /// Whether the client has cancelled the call, or the deadline has passed.
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// Completes when the client cancels the call, or the deadline passes.
    pub async fn cancelled(&self) {
        self.cancellation.cancelled().await;
    }

    /// Reports progress to the client. Costs nothing if the client did not ask for progress. If a thousand
    /// reports are queued for a client that reads slowly, further ones are dropped.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        if let Some(sink) = &self.reports.progress {
            let progress = Progress { done, total, message: message.map(str::to_owned) };
            send(sink, HandlerReport::Progress(progress));
        }
    }

    /// Sends a log message to the client, if the manifest has `logging` and the client asked for messages of
    /// this level; otherwise costs nothing. May be dropped like [`Self::progress`].
    pub fn log(&self, level: Level, data: impl Into<Value>) {
        if let Some((least, sink)) = &self.reports.log
            && level >= *least
        {
            send(sink, HandlerReport::Log(level, data.into()));
        }
    }

    /// Returns the sender that notifies clients of changed resources. May be cloned and kept.
    pub fn updates(&self) -> &Updates {
        &self.updates
    }

    /// Asks the client's user ([`Form`](crate::dialogue::Form)), its model
    /// ([`Sampling`](crate::dialogue::Sampling)) or the client ([`Roots`](crate::dialogue::Roots)). The key
    /// identifies the question within the call. The deadline does not include the time until the answer.
    ///
    /// Ask before you change anything. With clients of MCP 2026-07-28 the first unanswered question
    /// ends the call, and the handler runs again from its start when the client sends the answer.
    ///
    /// # Errors
    /// If the client cannot answer, or has not answered yet. Return it with `?`.
    pub async fn ask<Q: Ask>(&self, key: &str, question: &Q) -> Result<Q::Answer> {
        self.dialogue.ask(key, question).await
    }

    /// Returns calls of other operations on behalf of the same caller. They use the permits of this call.
    ///
    /// # Errors
    /// `CANCELLED` in a test without a pipeline.
    pub fn calls(&self) -> Result<Calls> {
        let stopped = || Fault::cancelled("There is no pipeline for further calls.");
        let runner = self.runner.clone().ok_or_else(stopped)?;
        let caller = Caller {
            info: self.caller.clone(),
            session: None,
            idempotency_key: None,
            audit_arguments: AuditArguments::default(),
            dialogue: Dialogue::Silent,
            cancellation: self.cancellation.clone(),
            reports: Reports::default(),
            is_nested: true,
        };
        Ok(Calls::new(runner, Box::new(caller)))
    }

    /// Returns what the user confirmed, in an operation with `confirm` and `dry_run`. A handler that checks
    /// [`Confirmed::covers`] right before it acts does only what the user was shown.
    pub fn confirmed(&self) -> Confirmed {
        self.confirmed
    }

    /// Asks several questions in one round. Afterwards, [`Self::ask`] returns the answer to each of them
    /// at once.
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

    /// Returns what passes questions of another server on to the client's user.
    pub fn relay(&self) -> Relay {
        let session = self.session.as_ref().map(SessionCalls::address);
        let who = format!("{}/{session:?}", self.caller.origin.principal.as_str());
        Relay::new(self.dialogue.clone(), who)
    }

    /// Turns the call into a task, in an operation whose `task` begins `by_handler`, because the rest takes
    /// long. The call asks the questions before this point, and the task asks those after it. Does nothing
    /// for other operations, and for clients that do not support tasks.
    ///
    /// Call it before you change anything: the handler runs again from its start, in the task, with the
    /// answers to its earlier questions.
    ///
    /// # Errors
    /// If the task is not running yet. Return it with `?`.
    pub fn begin_task(&self) -> Result<()> {
        self.dialogue.begin_task()
    }

    /// Whether the client has declared that it can answer such a question.
    pub fn can_ask(&self, question: impl Into<Question>) -> bool {
        self.dialogue.can(&question.into())
    }

    /// Runs blocking work on a blocking thread. The closure gets a function that returns `true` once the
    /// call is cancelled or times out. The work should then stop.
    ///
    /// # Errors
    /// The error of the work. A panic in the work becomes a panic of the handler.
    pub async fn blocking<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<T> + Send + 'static,
    {
        let (cancellation, held) = (self.cancellation.clone(), self.held.clone());
        let task = tokio::task::spawn_blocking(move || {
            let _held = held;
            if cancellation.is_cancelled() {
                return Err(Fault::cancelled("The call ended before its blocking work began."));
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
