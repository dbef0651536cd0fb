//! Providers that are other MCP servers: they are supervised, their tools are compared with the lock file, and calls go to
//! them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::upstreams::{Calling, Offers, announce, with_answer};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use toolwrit_bindings::model::{Effect, Tool};
use toolwrit_bindings::{BoundTools, Failure, Network, Secrets, ServerAddress, ToolAnswer};
use toolwrit_core::authority::{DynamicOperation, Tables};
use toolwrit_core::availability::{Probe, Reason, Unavailable, UpstreamFigures, Withheld};
use toolwrit_core::call::bound_call::BoundCall;
use toolwrit_core::call::context::Context;
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::updates::Updates;
use toolwrit_upstreams::model::{Command, Definition, Endpoint, Remote, Start};
use toolwrit_upstreams::{
    Caller, Change, Event, Lock, Observer, Progress, ProgressSink, State, Status, Supervisor,
    Upstream, Verdict,
};

use crate::bound::fault::{fault, unavailable};

/// A call waits for a pause of this length before an upstream is started again.
const SHORT_PAUSE: Duration = Duration::from_secs(2);

/// What is done about a tool that is no longer the one that was approved.
const REVIEW: &str =
    "The author of the manifest reviews the change, and writes the lock file again.";

/// Another MCP server, and its connections.
pub(crate) struct BoundServer {
    tools: BoundTools,
    lock: Arc<Lock>,
    passes: Passes,
    supervisor: Supervisor,
    /// By account; `None` for the user who started the server, and if accounts have no settings of their own.
    upstreams: Mutex<HashMap<Option<String>, Upstream>>,
}

/// What may pass between a server and callers.
pub(crate) struct Passes {
    /// The networks in which it may be.
    pub(crate) networks: Vec<Network>,
    /// Whether it may ask the users of callers.
    pub(crate) questions: bool,
    /// The category to which it may add operations, which then has its resources and prompts.
    pub(crate) category: Option<String>,
}

impl Passes {
    /// The first category to which a provider may add operations.
    pub(crate) fn category(tables: &Tables, provider: &str) -> Option<String> {
        let is_own = |at: u16| tables.providers[usize::from(at)].name == provider;
        let joining = tables.joining.iter().find(|joining| is_own(joining.provider))?;
        Some(tables.categories[usize::from(joining.category)].name.clone())
    }
}

impl BoundServer {
    /// A server with its approved tools. `changed` is notified when it may have become available, or no longer is.
    pub(crate) fn new(tools: BoundTools, lock: Lock, passes: Passes, changed: Arc<Notify>) -> Self {
        Self {
            tools,
            lock: Arc::new(lock),
            passes,
            supervisor: Supervisor::new(Arc::new(Changes(changed))),
            upstreams: Mutex::default(),
        }
    }

    /// The account, if accounts have their own settings.
    fn account_with_settings<'a>(&self, account: Option<&'a str>) -> Option<&'a str> {
        account.filter(|_| self.tools.is_per_account())
    }

    /// Identifies what its tools change for an account.
    pub(crate) fn location(&self, account: Option<&str>) -> String {
        self.tools.location(account)
    }

    /// The connection of an account, which is supervised from the first time on.
    async fn upstream(&self, account: Option<&str>) -> std::result::Result<Upstream, Box<Failure>> {
        let key = account.map(str::to_owned);
        if let Some(known) = self.upstreams().get(&key) {
            return Ok(known.clone());
        }
        let definition = self.definition(self.tools.address(account).await?);
        let mut upstreams = self.upstreams();
        let upstream = upstreams.entry(key).or_insert_with(|| {
            let upstream = self.supervisor.supervise(definition);
            upstream.pin(self.lock.clone());
            upstream
        });
        Ok(upstream.clone())
    }

    fn definition(&self, (address, secrets): (ServerAddress, Secrets)) -> Definition {
        let endpoint = match address {
            ServerAddress::Program { program, words, folder, variables } => {
                let mut command = Command::new(program, words);
                command.environment = variables;
                command.directory = folder;
                Endpoint::Command(command)
            }
            ServerAddress::Remote { url, headers } => {
                let mut remote = Remote::new(url);
                remote.headers = headers;
                remote.networks.clone_from(&self.passes.networks);
                Endpoint::Remote(remote)
            }
        };
        let mut definition = Definition::new(self.tools.name(), endpoint);
        let has_offers = self.offers().is_some();
        definition.secrets.add_all(&secrets);
        definition.asks_users = self.passes.questions;
        definition.resources = has_offers;
        definition.prompts = has_offers;
        if self.tools.is_per_account() {
            definition.start = Start::OnCall;
        }
        definition
    }

    fn upstreams(&self) -> MutexGuard<'_, HashMap<Option<String>, Upstream>> {
        // No code that can panic runs under the lock.
        self.upstreams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the tool of an operation.
    ///
    /// # Errors
    /// The fault with which the call ends.
    pub(crate) async fn call(&self, tool: &Tool, call: &BoundCall<'_>) -> Result<Value> {
        let account = self.account_with_settings(call.account);
        let failed = |failure: Box<Failure>| fault(*failure);
        let arguments = self.tools.arguments(tool, &call.arguments, account).map_err(failed)?;
        if call.dry_run {
            return Ok(json!({ "call": { "tool": tool.tool, "arguments": arguments } }));
        }
        let upstream = self.upstream(account).await.map_err(failed)?;
        let calling = Calling {
            upstream: &upstream,
            tool: &tool.tool,
            is_repeatable: tool.idempotent || tool.effect == Effect::Read,
            caller: Caller {
                cancellation: call.cancellation.clone(),
                progress: sink(call),
                ..Caller::until(call.deadline)
            },
            relay: call.relay.clone(),
            fault: &|failure| refused(failure, tool),
        };
        let answer = calling.answer(&arguments).await?;
        let answer = ToolAnswer { content: answer.content, structured: answer.structured };
        self.tools.result(tool, &call.arguments, account, answer).map_err(failed)
    }

    /// What it offers besides tools, if it may. The server of an account may offer something else.
    fn offers(&self) -> Option<Offers> {
        let category = self.passes.category.as_ref().filter(|_| !self.tools.is_per_account())?;
        let name = self.tools.name();
        let prefix = format!("{category}.{name}:");
        Some(Offers { upstream: name.to_owned(), prefix, resources: true, prompts: true })
    }

    /// The operations for its resources and prompts.
    pub(crate) fn operations(&self) -> Vec<DynamicOperation> {
        let Some(offers) = self.offers() else { return Vec::new() };
        let upstream = self.upstreams().get(&None).cloned();
        offers.operations(&self.lock, upstream.as_ref()).collect()
    }

    /// Passes the updates of its resources on to the clients that want them.
    pub(crate) async fn announce(&self, updates: &Updates) {
        if self.offers().is_some()
            && let Ok(upstream) = self.upstream(None).await
        {
            announce(&upstream, self.tools.name(), updates).await;
        }
    }

    /// Carries out one of these operations.
    ///
    /// # Errors
    /// The fault with which the call ends.
    pub(crate) async fn call_offer(
        &self,
        operation: &str,
        cx: &Context,
        arguments: &Map<String, Value>,
    ) -> Result<Value> {
        let offer = self.offers().and_then(|offers| offers.find(operation));
        let offer = offer.ok_or_else(|| {
            Fault::new(Code::ToolNotFound, format!("There is no operation `{operation}`."))
        })?;
        let upstream = self.upstream(None).await.map_err(|failure| fault(*failure))?;
        offer.answer(&upstream, cx, arguments).await
    }

    /// Examines the connection that does not belong to an account, for as long as it starts or until a time has passed.
    pub(crate) async fn probe(&self, within: Duration) -> Probe {
        let available = Probe::Available { version: None };
        if self.tools.is_per_account() {
            // Each call uses the connection of its account.
            return available;
        }
        let upstream = match self.upstream(None).await {
            Ok(upstream) => upstream,
            Err(failure) => {
                return Probe::Unavailable(unavailable(&failure));
            }
        };
        let is_settled = |status: &Status| !matches!(status.state, State::Starting | State::Idle);
        let settled = tokio::time::timeout(within, upstream.until(is_settled)).await;
        let status = settled.unwrap_or_else(|_| upstream.status());
        match unready(&status) {
            Some(why) => Probe::Unavailable(why),
            None => Probe::Available {
                version: status.server.map(|server| server.version).filter(|text| !text.is_empty()),
            },
        }
    }

    /// Says which tools are no longer those that were approved.
    pub(crate) fn problems<'t>(&self, tools: impl Iterator<Item = &'t Tool>) -> Vec<String> {
        let Some(verdict) = self.verdict() else { return Vec::new() };
        let problem = |tool| match (self.drift(tool, &verdict), verdict.changes.get(&*tool.tool)?) {
            (Some(drift), _) => Some(format!("`{}` is not offered. {drift}", tool.id)),
            (None, Change::Text(fields)) => {
                let (name, provider) = (&tool.tool, self.tools.name());
                let fields = fields.join(", ");
                Some(format!(
                    "The tool `{name}` of {provider} has another {fields} than was approved."
                ))
            }
            (None, _) => None,
        };
        tools.filter_map(problem).collect()
    }

    /// The operations whose tools are no longer those that were approved, with the reasons.
    pub(crate) fn withheld<'t>(&self, tools: impl Iterator<Item = &'t Tool>) -> Withheld {
        // The server of an account may be another one. Each call compares its tool.
        let Some(verdict) = self.verdict().filter(|_| !self.tools.is_per_account()) else {
            return Withheld::new();
        };
        let withheld = tools.filter_map(|tool| {
            let drift = self.drift(tool, &verdict)?;
            Some((tool.id.to_string(), Unavailable::new(Reason::NeedsConfiguration, drift, REVIEW)))
        });
        withheld.collect()
    }

    fn verdict(&self) -> Option<Verdict> {
        self.upstreams().values().next().cloned()?.verdict()
    }

    /// Why a tool cannot be called, as a sentence.
    fn drift(&self, tool: &Tool, verdict: &Verdict) -> Option<String> {
        let (name, provider) = (&tool.tool, self.tools.name());
        match verdict.changes.get(&**name)? {
            Change::Contract(fields) => {
                let fields = fields.join(", ");
                Some(format!(
                    "The tool `{name}` of {provider} has another {fields} than was approved."
                ))
            }
            Change::Gone(None) => Some(format!("{provider} no longer has the tool `{name}`.")),
            Change::Gone(Some(reason)) => {
                Some(format!("The tool `{name}` of {provider} cannot be used: {reason}."))
            }
            Change::Text(_) | Change::New => None,
        }
    }

    /// What its connections measure together.
    pub(crate) fn figures(&self) -> UpstreamFigures {
        let upstreams: Vec<Upstream> = self.upstreams().values().cloned().collect();
        let mut all = UpstreamFigures {
            state: State::Idle.as_str(),
            is_starting: false,
            is_ready: false,
            restarts: 0,
            calls: 0,
            failures: 0,
            busy: Duration::ZERO,
        };
        for upstream in upstreams {
            let (status, figures) = (upstream.status(), upstream.figures());
            // Any connection that can be used says that the server can.
            if !all.is_ready {
                all.state = status.state.as_str();
                all.is_starting = status.state == State::Starting;
            }
            all.is_ready |= status.state == State::Ready;
            all.restarts += status.starts.saturating_sub(1);
            all.calls += figures.calls;
            all.failures += figures.failures;
            all.busy += figures.busy;
        }
        all.is_starting &= !all.is_ready;
        all
    }
}

/// Passes the progress of a call on.
fn sink(call: &BoundCall<'_>) -> Option<ProgressSink> {
    let reports = call.progress.clone()?;
    Some(Arc::new(move |progress: Progress| {
        reports.report(progress.progress, progress.total, progress.message);
    }))
}

/// The fault of a call that failed.
fn refused(failure: toolwrit_upstreams::Failure, tool: &Tool) -> Fault {
    let mut fault = Fault::new(failure.code, failure.message);
    if let Some(wait) = failure.retry_after {
        fault = fault.retry_after(wait.as_secs_f64());
    }
    let hint = if failure.sent && tool.effect == Effect::Write && !tool.idempotent {
        fault = fault.retryable(false);
        let done = "A part of the change may have been made. Read before you repeat it.";
        Some(failure.hint.unwrap_or_else(|| done.to_owned()))
    } else {
        failure.hint
    };
    if let Some(answer) = failure.reported {
        fault = with_answer(fault, *answer);
    }
    match hint {
        Some(hint) => fault.hinting(hint),
        None => fault,
    }
}

/// Why an upstream cannot be called; `None` if a call would reach it, perhaps after a short pause.
fn unready(status: &Status) -> Option<Unavailable> {
    let is_soon = status.retry_at.is_some_and(|at| at <= Instant::now() + SHORT_PAUSE);
    let (reason, remedy) = match status.state {
        State::Idle | State::Starting | State::Ready => return None,
        State::Backoff if status.starts > 0 && is_soon => return None,
        State::Refused => {
            (Reason::NeedsConfiguration, "The operator of this server checks its credentials.")
        }
        State::Off | State::Stopping | State::Stopped => {
            (Reason::Disabled, "The operator of this server enables it.")
        }
        State::Backoff | State::Disabled => {
            (Reason::Failed, "It is started again from time to time. The log has the details.")
        }
    };
    let message = status.reason.clone();
    let message = message.unwrap_or_else(|| format!("It is in the state `{}`.", status.state));
    Some(Unavailable::new(reason, message, remedy))
}

/// Tells the provider of changes, and logs them.
struct Changes(Arc<Notify>);

impl Observer for Changes {
    fn observe(&self, upstream: &str, event: &Event) {
        if let Event::Status(status) = event {
            log(upstream, status);
        }
        self.0.notify_one();
    }
}

fn log(upstream: &str, status: &Status) {
    let (state, reason) = (status.state, status.reason.as_deref());
    match status.state {
        State::Backoff | State::Disabled | State::Refused => {
            let output = status.output.as_deref();
            tracing::warn!(upstream, %state, reason, output, "an MCP server cannot be reached");
        }
        _ => tracing::debug!(upstream, %state, reason, "the state of an MCP server has changed"),
    }
}
