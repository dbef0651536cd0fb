//! The handle of a supervised upstream.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{ClientRequest, ServerResult};
use serde_json::{Map, Value};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use super::figures::{Counts, Figures};
use super::supervision::{Attempts, Control, Current, Directive};
use super::{State, Status};
use crate::answer::Answer;
use crate::call::{self, Call, Completion, Round, asks};
use crate::caller::{Answers, Caller};
use crate::connection::{Session, Subscriptions};
use crate::failure::{Failure, Result};
use crate::lock::{Lock, Verdict};
use crate::model::Definition;
use crate::tools::{Tool, ToolList};
use toolwrit_words::{Code, OfferedPrompt, OfferedResource};

/// A call waits for a pause before a start that is not longer.
const SHORT_PAUSE: Duration = Duration::from_secs(2);

/// A supervised upstream. It is stopped when its last handle is dropped.
#[derive(Clone)]
pub struct Upstream {
    definition: Arc<Definition>,
    current: watch::Receiver<Current>,
    controls: mpsc::UnboundedSender<Control>,
    lock: Arc<Mutex<Option<Arc<Lock>>>>,
    counts: Arc<Counts>,
    subscriptions: Arc<Subscriptions>,
}

impl Upstream {
    pub(super) fn new(
        definition: Arc<Definition>,
        current: watch::Receiver<Current>,
        controls: mpsc::UnboundedSender<Control>,
        subscriptions: Arc<Subscriptions>,
    ) -> Self {
        let (lock, counts) = Default::default();
        Self { definition, current, controls, lock, counts, subscriptions }
    }

    /// The operator's name for it.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Its state now.
    pub fn status(&self) -> Status {
        self.current.borrow().status.clone()
    }

    /// Finds out whether it answers. Starts it if it is idle, and waits for a start that is under way.
    ///
    /// # Errors
    /// If it cannot be used, or has not answered by the deadline.
    pub async fn test(&self, deadline: Instant) -> Result<()> {
        let (session, _) = self.ready(deadline).await?;
        match tokio::time::timeout_at(deadline.into(), session.answers()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => {
                let name = self.name();
                Err(Failure::unavailable(format!("The upstream `{name}` does not answer. {why}")))
            }
            Err(_) => Err(self.late()),
        }
    }

    /// What its calls have cost.
    pub fn figures(&self) -> Figures {
        self.counts.now()
    }

    /// Waits until its state is one that `wanted` accepts, and returns it; also if it is stopped for ever.
    pub async fn until(&self, mut wanted: impl FnMut(&Status) -> bool) -> Status {
        let mut current = self.current.clone();
        let reached = current
            .wait_for(|current| wanted(&current.status) || current.status.state == State::Stopped);
        match reached.await {
            Ok(current) => current.status.clone(),
            // The supervision has ended.
            Err(_) => self.status(),
        }
    }

    /// Its tools as it has listed them last, also while it is not ready. `None` before its first list.
    pub fn tools(&self) -> Option<Arc<ToolList>> {
        self.current.borrow().listed.as_ref().map(|listed| listed.tools.clone())
    }

    /// Its resources as it has listed them last.
    pub fn resources(&self) -> Arc<[OfferedResource]> {
        self.current
            .borrow()
            .listed
            .as_ref()
            .map(|listed| listed.resources.clone())
            .unwrap_or_default()
    }

    /// Its prompts as it has listed them last.
    pub fn prompts(&self) -> Arc<[OfferedPrompt]> {
        self.current
            .borrow()
            .listed
            .as_ref()
            .map(|listed| listed.prompts.clone())
            .unwrap_or_default()
    }

    /// Subscribes to these resources, and to no others, whenever it is ready. One that is idle is not started.
    pub fn subscribe(&self, uris: BTreeSet<String>) {
        self.subscriptions.want(uris);
    }

    /// Receives the URIs of these resources when they change, from now on.
    pub fn updates(&self) -> broadcast::Receiver<Arc<str>> {
        self.subscriptions.updates()
    }

    /// Allows calls of the tools only that a lock file has approved. Without one, all tools can be called.
    pub fn pin(&self, lock: Arc<Lock>) {
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = Some(lock);
    }

    /// Compares the tools with the lock file. `None` without a lock file or a list.
    pub fn verdict(&self) -> Option<Verdict> {
        let lock = self.locked()?;
        Some(lock.compare(self.tools()?.as_ref()))
    }

    fn locked(&self) -> Option<Arc<Lock>> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls a tool. Starts the upstream if it is idle, and waits for a start that is under way.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` if the upstream or the tool cannot be used, and what the call itself fails with.
    pub async fn call(&self, call: &Call<'_>) -> Result<Answer> {
        match self.call_in_rounds(call, None).await? {
            Round::Answered(answer) => Ok(answer),
            Round::Asks(_) => Err(asks(&format!("The tool `{}`", call.tool))),
        }
    }

    /// Makes one round of a call, with the answers to the questions of the round before.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn call_in_rounds(
        &self,
        call: &Call<'_>,
        answers: Option<&Answers>,
    ) -> Result<Round> {
        // Each round needs another connection, so that this ends with the upstream or at the deadline.
        loop {
            let (session, tools) = self.session(&call.caller).await?;
            let tool = self.allowed(call.tool, &tools)?;
            let begun = Instant::now();
            if let Ok(result) = session.call(call, tool, answers).await {
                self.counts.add(begun.elapsed(), result.as_ref().err());
                return result;
            }
        }
    }

    /// Reads a resource. Returns its contents as JSON of MCP, without hidden characters.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn read(&self, uri: &str, caller: &Caller) -> Result<Vec<Value>> {
        let what = "The resource";
        call::contents(self.request(|| call::read(uri), what, caller).await?, what)
    }

    /// Returns the messages of a prompt as JSON of MCP, without hidden characters.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn messages(
        &self,
        prompt: &str,
        arguments: &Map<String, Value>,
        caller: &Caller,
    ) -> Result<Vec<Value>> {
        let what = "The prompt";
        call::messages(self.request(|| call::get(prompt, arguments), what, caller).await?, what)
    }

    /// Returns values for an argument of a resource or a prompt.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn complete(&self, wanted: &Completion<'_>, caller: &Caller) -> Result<Vec<String>> {
        let what = "The completion";
        call::values(self.request(|| call::complete(wanted), what, caller).await?, what)
    }

    async fn request(
        &self,
        request: impl Fn() -> ClientRequest,
        what: &str,
        caller: &Caller,
    ) -> Result<ServerResult> {
        loop {
            let (session, _) = self.session(caller).await?;
            if let Ok(result) = session.request(request(), what, caller).await {
                return result;
            }
        }
    }

    /// Waits for a connection, as long as the caller does.
    async fn session(&self, caller: &Caller) -> Result<(Arc<Session>, Arc<ToolList>)> {
        tokio::select! {
            biased;
            ready = self.ready(caller.deadline) => ready,
            () = caller.cancellation.cancelled() => {
                Err(Failure::new(Code::Cancelled, "The call was cancelled."))
            }
        }
    }

    /// Finds a tool. Refuses one that does not exist or is not approved as it is.
    fn allowed<'a>(&self, tool: &str, tools: &'a ToolList) -> Result<&'a Tool> {
        let Some(listed) = tools.get(tool) else {
            let refused = tools.refused().iter().find(|refused| refused.name == tool);
            let why = refused.map(|refused| format!(": {}", refused.reason)).unwrap_or_default();
            return Err(Failure::unavailable(format!(
                "The upstream `{}` has no tool `{tool}` that can be used{why}.",
                self.name()
            )));
        };
        match self.locked() {
            Some(lock) if !lock.allows(listed) => Err(Failure::unavailable(format!(
                "The tool `{tool}` of the upstream `{}` is not the one that was approved.",
                self.name()
            ))
            .hinting("Compare the upstream with its lock file, and approve the change.")),
            _ => Ok(listed),
        }
    }

    /// Waits until the upstream can be called.
    async fn ready(&self, deadline: Instant) -> Result<(Arc<Session>, Arc<ToolList>)> {
        let mut current = self.current.clone();
        // The attempts when this call has asked for another one, and until when it waits for that.
        let mut asked: Option<(u64, Instant)> = None;
        let waited = async {
            loop {
                {
                    let now = current.borrow_and_update();
                    // A session that has ended is about to be replaced.
                    if let (Some(session), Some(listed)) = (&now.session, &now.listed)
                        && !session.has_ended()
                    {
                        return Ok((session.clone(), listed.tools.clone()));
                    }
                    let status = &now.status;
                    let soon = status.retry_in().is_some_and(|pause| pause <= SHORT_PAUSE);
                    match status.state {
                        State::Idle => drop(self.controls.send(Control::Want)),
                        State::Starting | State::Ready => {}
                        State::Backoff if soon => {}
                        State::Backoff | State::Disabled => match asked {
                            None if now.attempts.is_trying || self.may_try(&now.attempts) => {
                                let until = Instant::now() + self.definition.timing.half_open_wait;
                                // The attempt that it waits for is this one, or the next one.
                                let before = u64::from(now.attempts.is_trying);
                                asked = Some((now.attempts.count - before, until));
                                drop(self.controls.send(Control::Want));
                            }
                            Some((count, _))
                                if now.attempts.count == count || now.attempts.is_trying => {}
                            _ => return Err(status.unavailable(self.name())),
                        },
                        _ => return Err(status.unavailable(self.name())),
                    }
                }
                let changed = match asked {
                    Some((_, until)) => {
                        let changed = tokio::time::timeout_at(until.into(), current.changed());
                        changed.await.is_ok_and(|changed| changed.is_ok())
                    }
                    None => current.changed().await.is_ok(),
                };
                if !changed {
                    return Err(self.status().unavailable(self.name()));
                }
            }
        };
        match tokio::time::timeout_at(deadline.into(), waited).await {
            Ok(ready) => ready,
            Err(_) => Err(self.late()),
        }
    }

    /// Whether a call may start it before its pause has ended.
    fn may_try(&self, attempts: &Attempts) -> bool {
        let half_open = self.definition.timing.half_open;
        attempts.last.is_none_or(|last| last.elapsed() >= half_open)
    }

    fn late(&self) -> Failure {
        Failure::new(
            Code::Timeout,
            format!("The upstream `{}` was not ready in time.", self.name()),
        )
    }

    /// Starts it again at once, and forgets its failures. Switches it on.
    pub fn restart(&self) {
        self.control(Control::Directive(Directive::Restart(None)));
    }

    /// The same, with another definition: its credentials may have changed. The name stays.
    pub fn restart_as(&self, definition: Definition) {
        self.control(Control::Directive(Directive::Restart(Some(Arc::new(definition)))));
    }

    /// Waits until a restart after this status has ended, well or not, or until the deadline.
    pub async fn restarted_since(&self, before: &Status, deadline: Instant) {
        let is_over = |now: &Status| {
            now.since != before.since && !matches!(now.state, State::Stopping | State::Starting)
        };
        // After the deadline, the state says what is wrong.
        let _ = tokio::time::timeout_at(deadline.into(), self.until(is_over)).await;
    }

    /// Stops it until it is enabled.
    pub fn disable(&self) {
        self.control(Control::Directive(Directive::Disable));
    }

    /// Switches it on again, if it is off.
    pub fn enable(&self) {
        self.control(Control::Enable);
    }

    /// Stops it for ever, and waits until it has ended.
    pub async fn stop(&self) {
        let (done, stopped) = oneshot::channel();
        self.control(Control::Directive(Directive::Stop(Some(done))));
        // Fails if it has stopped already.
        let _ = stopped.await;
    }

    fn control(&self, control: Control) {
        // Fails if it is stopped, and there is nothing to do.
        let _ = self.controls.send(control);
    }
}
