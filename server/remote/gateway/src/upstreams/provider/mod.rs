//! An upstream as a provider of operations. `called` is what a call needs to know of a tool, `knowledge` is what is known of it now, `drift` says how its tools differ from
//! the approved ones, and `control` does what an operator asks for.

mod called;
mod control;
mod drift;
mod knowledge;

use std::collections::{HashMap, HashSet};
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::Notify;
use toolwrit_core::authority::DynamicOperation;
use toolwrit_core::availability::{Probe, UpstreamFigures};
use toolwrit_core::call::context::Context;
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::provider::{
    self, BoxFuture, Control, KnownOffer, OperatorView, Provider, Supervised,
};
use toolwrit_core::updates::Updates;
use toolwrit_upstreams::model::{Definition, Era, Start};
use toolwrit_upstreams::{Failure, State, Supervisor, Tool, Upstream};

use crate::upstreams::answer;
use crate::upstreams::approvals::{Approval, Approvals, Stamp};
use crate::upstreams::calling::{Calling, caller};
use crate::upstreams::fault::{cancelled, fault};
use crate::upstreams::offers::{Offer, Offers, announce};
use crate::upstreams::operation::{operation_id, operations};
use crate::upstreams::settings::{FixedSecrets, UpstreamSettings};
use called::Called;

/// How often the operator's decisions are looked for.
const INTERVAL: Duration = Duration::from_secs(1);

/// An upstream, whose approved tools are operations.
pub(crate) struct UpstreamProvider {
    settings: UpstreamSettings,
    approvals: Approvals,
    supervisor: Supervisor,
    changed: Arc<Notify>,
    program: String,
    start: Option<Start>,
    now: Mutex<Now>,
    /// Held while the operator's decisions are followed.
    applying: tokio::sync::Mutex<()>,
    /// Notified when the upstream may be another one.
    applied: Notify,
}

/// What is decided and known now.
struct Now {
    stamp: Option<Stamp>,
    approval: Approval,
    is_off: bool,
    /// What calls need to know of the approved tools, by the ids of their operations.
    called: HashMap<String, Arc<Called>>,
    /// The secrets among the arguments of its tools.
    fixed: Arc<FixedSecrets>,
    /// Why it cannot be started.
    problem: Option<String>,
    /// `None` while it is not approved, or off.
    upstream: Option<Upstream>,
}

impl UpstreamProvider {
    pub(crate) fn new(
        settings: UpstreamSettings,
        approvals: Approvals,
        supervisor: Supervisor,
        changed: Arc<Notify>,
        program: String,
        start: Option<Start>,
    ) -> Self {
        let now = Now {
            stamp: None,
            approval: Approval::Missing,
            is_off: false,
            called: HashMap::new(),
            fixed: Arc::default(),
            problem: None,
            upstream: None,
        };
        let (now, applying, applied) =
            (Mutex::new(now), tokio::sync::Mutex::default(), Notify::new());
        Self { settings, approvals, supervisor, changed, program, start, now, applying, applied }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        // No code that can panic runs under the lock.
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self) -> &str {
        &self.settings.name
    }

    /// Does what the operator has decided, if that has changed. Returns whether it has.
    pub(crate) async fn apply(&self) -> bool {
        let _applying = self.applying.lock().await;
        let name = self.name();
        let stamp = self.approvals.stamp(&self.settings);
        let before = self.now().stamp;
        if before == Some(stamp) {
            return false;
        }
        let (approvals, settings) = (self.approvals.clone(), self.settings.clone());
        // The lock files of several upstreams are read in parallel.
        let read = tokio::task::spawn_blocking(move || approvals.approval(&settings)).await;
        let approval = read.unwrap_or_else(|error| Approval::Broken(error.to_string()));
        let is_off = self.approvals.is_off(name);
        let lock = approval.approved().filter(|_| !is_off).cloned();
        let (running, mut fixed) = {
            let now = self.now();
            (now.upstream.clone(), now.fixed.clone())
        };
        let is_refused = |upstream: &Upstream| upstream.status().state == State::Refused;
        let is_refused = running.as_ref().is_some_and(is_refused);
        let restarts = before.is_some_and(|before| {
            before.restart != stamp.restart || is_refused && before.login != stamp.login
        });
        let (upstream, problem) = match (lock, running) {
            // Dropped below, and so stopped.
            (None, _) => (None, None),
            (Some(lock), Some(upstream)) if !restarts => {
                upstream.pin(lock);
                (Some(upstream), None)
            }
            // Its secrets are read again, because the operator may have changed them. If one is missing, it is stopped.
            (Some(lock), running) => match self.definition().await {
                Ok((mut definition, secrets)) => {
                    definition.known_era = Some(Era::of_protocol(&lock.server().protocol));
                    fixed = Arc::new(secrets);
                    let upstream = match running {
                        Some(upstream) => {
                            upstream.restart_as(definition);
                            upstream
                        }
                        None => self.supervisor.supervise(definition),
                    };
                    upstream.pin(lock);
                    (Some(upstream), None)
                }
                Err(problem) => (None, Some(problem)),
            },
        };
        let called = self.called(&approval);
        let stamp = Some(stamp);
        *self.now() = Now { stamp, approval, is_off, called, fixed, problem, upstream };
        self.applied.notify_one();
        true
    }

    async fn definition(&self) -> std::result::Result<(Definition, FixedSecrets), String> {
        self.settings.definition(self.approvals.configuration(), self.start).await
    }

    fn called(&self, approval: &Approval) -> HashMap<String, Arc<Called>> {
        let tools = approval.approved().into_iter().flat_map(|lock| lock.tools());
        let called = tools.filter_map(|tool| {
            let id = operation_id(&self.settings, tool.name());
            Some((id, Arc::new(Called::new(&tool, &self.settings)?)))
        });
        called.collect()
    }

    /// Follows the operator's decisions.
    pub(crate) async fn follow(self: Arc<Self>) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            if self.apply().await {
                tracing::info!(
                    upstream = self.name(),
                    "the operator has decided about an upstream"
                );
                self.changed.notify_one();
            }
        }
    }

    /// Stops it for ever.
    pub(crate) async fn stop(&self) {
        let upstream = self.now().upstream.clone();
        if let Some(upstream) = upstream {
            upstream.stop().await;
        }
    }

    /// What it offers besides tools.
    fn offers(&self) -> Offers {
        let passes = self.settings.passes;
        Offers {
            upstream: self.name().to_owned(),
            prefix: format!("{}.", self.name()),
            resources: passes.resources,
            prompts: passes.prompts,
        }
    }

    /// The operations that it offers now.
    fn operations_now(&self) -> Vec<DynamicOperation> {
        let settings = &self.settings;
        let offered = self.offered().0;
        let offered: HashSet<&str> = offered.iter().map(Tool::name).collect();
        let is_offered = |tool: &Tool| offered.contains(tool.name());
        let now = self.now();
        let Some(lock) = now.approval.lock() else { return Vec::new() };
        let mut operations = operations(settings, lock, is_offered);
        if now.approval.approved().is_some() {
            let offers = self.offers();
            let offered = offers.operations(lock, now.upstream.as_ref());
            operations.extend(offered.map(|operation| DynamicOperation {
                timeout: settings.timeout,
                result_bytes: settings.result_bytes.unwrap_or(operation.result_bytes),
                ..operation
            }));
        }
        operations
    }

    /// Carries out an operation that is no tool.
    async fn pass(
        &self,
        offer: Offer,
        cx: &Context,
        arguments: &Map<String, Value>,
    ) -> Result<Value> {
        let upstream = self.now().upstream.clone();
        let upstream = upstream.ok_or_else(|| missing(cx.operation()))?;
        offer.answer(&upstream, cx, arguments).await
    }

    /// How the operator allows a call for which the login has no scope.
    fn scope_hint(&self, failure: &Failure) -> Option<String> {
        let scope = failure.wanted_scope.as_ref().filter(|_| self.settings.has_login())?;
        let (program, name) = (&self.program, self.name());
        Some(format!("The operator runs `{program} upstream login {name} --scope \"{scope}\"`."))
    }

    async fn carry_out(
        &self,
        id: &str,
        cx: &Context,
        arguments: Map<String, Value>,
    ) -> Result<Value> {
        if let Some(offer) = self.offers().find(id) {
            return self.pass(offer, cx, &arguments).await;
        }
        let (upstream, called, fixed) = {
            let now = self.now();
            (now.upstream.clone(), now.called.get(id).cloned(), now.fixed.clone())
        };
        let (Some(upstream), Some(called)) = (upstream, called) else { return Err(missing(id)) };
        let tool = called.tool.as_str();
        let arguments = called.arguments(arguments, &fixed, cx).await?;
        let fault = |failure: Failure| {
            let more = self.scope_hint(&failure);
            let fault = fault(failure, called.is_idempotent);
            more.into_iter().fold(fault, Fault::hinting)
        };
        let calling = Calling {
            upstream: &upstream,
            tool,
            is_repeatable: called.is_idempotent,
            caller: caller(cx),
            relay: cx.relay(),
            fault: &fault,
        };
        let answered = tokio::select! {
            biased;
            answered = calling.answer(&arguments) => answered?,
            () = cx.cancelled() => return Err(cancelled()),
        };
        let limit = usize::try_from(cx.result_bytes()).unwrap_or(usize::MAX);
        let result = answer::result(answered, tool, called.has_structured_result, limit);
        let setting =
            || format!("The operator can raise `[upstreams.{}] result_bytes`.", self.name());
        result.map_err(|fault| match fault.code() {
            Code::ResultTooLarge => fault.hinting(setting()),
            _ => fault,
        })
    }
}

fn missing(id: &str) -> Fault {
    let message =
        format!("`{id}` is not available: its upstream is not approved, or switched off.");
    Fault::new(Code::ProviderUnavailable, message)
}

impl Provider for UpstreamProvider {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(async { Ok(self.probe_now()) })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.changed.notified())
    }
}

impl provider::Offers for UpstreamProvider {
    fn operations(&self) -> BoxFuture<'_, Result<Vec<DynamicOperation>>> {
        Box::pin(async { Ok(self.operations_now()) })
    }

    fn problems(&self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async { Ok(self.offered().1) })
    }

    fn call<'a>(
        &'a self,
        operation: &'a str,
        cx: &'a Context,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value>> {
        Box::pin(self.carry_out(operation, cx, arguments))
    }
}

impl Supervised for UpstreamProvider {
    fn known(&self) -> Option<KnownOffer> {
        Some(KnownOffer { probe: self.probe_now(), operations: self.operations_now() })
    }

    fn figures(&self) -> Option<UpstreamFigures> {
        Some(self.measured())
    }

    fn location(&self, _account: Option<&str>) -> String {
        self.settings.identity()
    }

    fn instructions(&self) -> Option<String> {
        let now = self.now();
        let lock = now.approval.approved().filter(|_| self.settings.passes.instructions)?;
        Some(lock.server().instructions.clone()).filter(|text| !text.is_empty())
    }

    fn judges_itself(&self) -> bool {
        true
    }

    fn operator_view(&self) -> OperatorView {
        self.view()
    }

    fn control(&self, control: Control) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.carry_out_control(control))
    }

    fn announce<'a>(&'a self, updates: &'a Updates) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            loop {
                let upstream = self.now().upstream.clone();
                let announced = async {
                    if let Some(upstream) = upstream {
                        announce(&upstream, self.name(), updates).await;
                    }
                    pending::<()>().await;
                };
                tokio::select! {
                    () = self.applied.notified() => {}
                    () = announced => {}
                }
            }
        })
    }
}
