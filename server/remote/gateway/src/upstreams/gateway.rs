//! The upstreams of a configuration, and an application with them.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use futures::future::join_all;
use tokio::sync::Notify;
use toolwrit_core::authority::{
    AddedCategory, Authority, InvalidDynamicOperation, LiveAuthority, Name, NameTaken,
};
use toolwrit_core::provider::Supervised;
use toolwrit_core::toolset::Toolset;
use toolwrit_upstreams::model::Start;
use toolwrit_upstreams::{Event, Observer, State, Supervisor};

use crate::upstreams::approvals::Approvals;
use crate::upstreams::operation::operations;
use crate::upstreams::provider::UpstreamProvider;
use crate::upstreams::settings::UpstreamSettings;
use crate::upstreams::toolset::WithUpstreams;

/// The upstreams of a configuration.
pub struct Gateway {
    upstreams: Vec<UpstreamSettings>,
    approvals: Approvals,
    /// How the program is called, for hints.
    program: String,
    running: OnceLock<Vec<Arc<UpstreamProvider>>>,
}

/// An approved tool that is not an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotOffered {
    pub upstream: String,
    /// Why it is not one.
    pub why: InvalidDynamicOperation,
    /// The operation that has its name, if another one has.
    pub other: Option<String>,
}

impl NotOffered {
    /// How the operator can have it offered, as sentences.
    pub fn remedy(&self) -> String {
        let name = &self.upstream;
        match &self.why {
            InvalidDynamicOperation::Taken { .. } => {
                format!("Give [upstreams.{name}] another name, or withdraw one of the two tools.")
            }
            InvalidDynamicOperation::Effect { .. } => {
                format!("Set a lower effect in `effects` of [upstreams.{name}].")
            }
            InvalidDynamicOperation::Argument(_, argument) if argument == "fields" => {
                format!("Leave the tool out of `select` of [upstreams.{name}].")
            }
            InvalidDynamicOperation::Argument(..) => format!(
                "Set the effect `read` or `write` in `effects` of [upstreams.{name}], so that its calls are not confirmed."
            ),
            InvalidDynamicOperation::TooLong(_) | InvalidDynamicOperation::WireName(_) => format!(
                "A shorter name for [upstreams.{name}] leaves more characters to the tool. Other characters can be changed by the \
                 author of the server only."
            ),
            InvalidDynamicOperation::Schema { .. } => {
                "The author of the server must mend the schema. All other tools are offered."
                    .to_owned()
            }
            InvalidDynamicOperation::Full(_) => "Approve fewer tools.".to_owned(),
            _ => "The author of the server must rename the tool.".to_owned(),
        }
    }
}

impl fmt::Display for NotOffered {
    /// Writes why it is not offered, without a full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.other {
            Some(other) => write!(f, "{}: `{other}`", self.why),
            None => self.why.fmt(f),
        }
    }
}

/// When upstreams are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starting {
    /// When their settings say.
    Configured,
    /// With their first call, because the process makes only a few.
    OnCall,
}

impl Gateway {
    /// Takes the upstreams that are enabled. `program` is how the program is called.
    pub fn new(
        upstreams: impl IntoIterator<Item = UpstreamSettings>,
        approvals: Approvals,
        program: impl Into<String>,
    ) -> Self {
        let enabled = upstreams.into_iter().filter(|upstream| upstream.is_enabled).collect();
        let program = program.into();
        Self { upstreams: enabled, approvals, program, running: OnceLock::new() }
    }

    /// Whether there are any upstreams.
    pub fn is_empty(&self) -> bool {
        self.upstreams.is_empty()
    }

    /// Whether there is an upstream of this name.
    pub fn has(&self, name: &str) -> bool {
        self.upstreams.iter().any(|upstream| upstream.name == name)
    }

    /// Returns an authority with a category for each upstream.
    ///
    /// # Errors
    /// If one has the name of a category or a provider.
    pub fn extend(&self, authority: &Authority) -> Result<Authority, NameTaken> {
        authority.with_categories(&self.categories())
    }

    fn categories(&self) -> Vec<AddedCategory> {
        let category = |upstream: &UpstreamSettings| AddedCategory {
            name: upstream.name.clone(),
            title: upstream.name.clone(),
            summary: format!("Tools of the MCP server {}.", upstream.name),
        };
        self.upstreams.iter().map(category).collect()
    }

    /// Returns an extended authority with the approved tools, and why some are not operations. Starts nothing.
    pub fn approved(&self, authority: Authority) -> (Authority, Vec<NotOffered>) {
        let live = LiveAuthority::new(authority);
        let offers = self.upstreams.iter().filter_map(|settings| {
            let approval = self.approvals.approval(settings);
            let is_offered =
                approval.approved().is_some() && !self.approvals.is_off(&settings.name);
            Some((settings.name.clone(), operations(settings, approval.lock()?, |_| is_offered)))
        });
        let refused = live.provide_all(offers.collect());
        let now = live.now();
        let not_offered = |(upstream, why): (String, InvalidDynamicOperation)| {
            let found = match &why {
                InvalidDynamicOperation::Taken { name, .. } => now.tables().lookup(name),
                _ => None,
            };
            let operation = |found: &Name| &now.tables().operations[usize::from(found.operation)];
            let other = found.map(|found| operation(found).id.clone());
            NotOffered { upstream, why, other }
        };
        let not_offered = refused.into_iter().map(not_offered).collect();
        (now, not_offered)
    }

    /// Adds the upstreams to an open application. `authority` is what [`Self::extend`] made of its authority.
    ///
    /// # Panics
    /// Outside a runtime of tokio.
    pub async fn open(
        &self,
        inner: Arc<dyn Toolset>,
        authority: Authority,
        starting: Starting,
    ) -> Arc<dyn Toolset> {
        let start = (starting == Starting::OnCall).then_some(Start::OnCall);
        let watch = Arc::new(Watch::new(&self.upstreams));
        let supervisor = Supervisor::new(watch.clone());
        let providers = self.upstreams.iter().map(|settings| {
            let (settings, approvals) = (settings.clone(), self.approvals.clone());
            let changed = watch.changed(&settings.name);
            let program = self.program.clone();
            UpstreamProvider::new(settings, approvals, supervisor.clone(), changed, program, start)
        });
        let providers: Vec<_> = providers.map(Arc::new).collect();
        join_all(providers.iter().map(|provider| provider.apply())).await;
        // Set once, because a process opens one application.
        let _ = self.running.set(providers.clone());
        Arc::new(WithUpstreams::new(inner, authority, self.categories(), providers))
    }

    /// The providers of the upstreams, once the application is open.
    pub fn providers(&self) -> Vec<Arc<dyn Supervised>> {
        let running = self.running.get().into_iter().flatten();
        running.map(|provider| provider.clone() as Arc<dyn Supervised>).collect()
    }
}

/// Logs what happens to upstreams, and tells their providers.
struct Watch(HashMap<String, Arc<Notify>>);

impl Watch {
    fn new(upstreams: &[UpstreamSettings]) -> Self {
        Self(upstreams.iter().map(|upstream| (upstream.name.clone(), Arc::default())).collect())
    }

    fn changed(&self, upstream: &str) -> Arc<Notify> {
        self.0.get(upstream).cloned().unwrap_or_default()
    }
}

impl Observer for Watch {
    fn observe(&self, upstream: &str, event: &Event) {
        match event {
            Event::Status(status) => {
                let (state, tools) = (status.state.as_str(), status.tools);
                let reason = status.reason.as_deref().unwrap_or_default();
                match status.state {
                    State::Backoff | State::Disabled | State::Refused => {
                        let output = status.output.as_deref().unwrap_or_default();
                        tracing::warn!(upstream, state, reason, output, "an upstream has failed");
                    }
                    State::Ready => tracing::info!(upstream, state, tools, "an upstream is ready"),
                    _ => tracing::debug!(upstream, state, "the state of an upstream has changed"),
                }
            }
            Event::Tools(list) => {
                let tools = list.tools().len();
                tracing::debug!(upstream, tools, "an upstream has listed its tools");
            }
            _ => {}
        }
        if let Some(changed) = self.0.get(upstream) {
            changed.notify_one();
        }
    }
}
