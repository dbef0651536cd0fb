//! The upstreams of a configuration, and an application with them.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};

use futures::future::join_all;
use tokio::sync::Notify;
use toolwrit_core::audit::storage::State as SharedState;
use toolwrit_core::authority::{
    AddedCategory, AddedModes, Authority, InvalidDynamicOperation, LiveAuthority, Name,
};
use toolwrit_core::policy::Unmatched;
use toolwrit_core::provider::Supervised;
use toolwrit_core::toolset::Toolset;
use toolwrit_upstreams::model::Start;
use toolwrit_upstreams::{Event, Observer, State, Supervisor};

use crate::upstreams::additions::{Additions, InvalidAddition};
use crate::upstreams::approvals::Approvals;
use crate::upstreams::journal::Journals;
use crate::upstreams::operation::operations;
use crate::upstreams::provider::UpstreamProvider;
use crate::upstreams::running::Running;
use crate::upstreams::settings::UpstreamSettings;
use crate::upstreams::shared_decisions;
use crate::upstreams::toolset::WithUpstreams;

/// The upstreams of a configuration.
pub struct Gateway {
    upstreams: Vec<UpstreamSettings>,
    modes: AddedModes,
    approvals: Approvals,
    /// How clients reach this process.
    door: Option<String>,
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
    /// Takes the upstreams that are enabled, and the focus modes and roles that the operator adds. `program` is how the program is
    /// called.
    pub fn new(
        upstreams: impl IntoIterator<Item = UpstreamSettings>,
        modes: AddedModes,
        approvals: Approvals,
        program: impl Into<String>,
    ) -> Self {
        let enabled = upstreams.into_iter().filter(|upstream| upstream.is_enabled).collect();
        let (program, door) = (program.into(), None);
        Self { upstreams: enabled, modes, door, approvals, program, running: OnceLock::new() }
    }

    /// Says how clients reach this process: `stdio`, or an address.
    #[must_use]
    pub fn at_door(self, door: Option<String>) -> Self {
        Self { door, ..self }
    }

    /// Whether it adds nothing.
    pub fn is_empty(&self) -> bool {
        self.upstreams.is_empty() && self.modes.is_empty()
    }

    /// Whether there are any upstreams.
    pub fn has_upstreams(&self) -> bool {
        !self.upstreams.is_empty()
    }

    /// Whether there is an upstream of this name.
    pub fn has(&self, name: &str) -> bool {
        self.upstreams.iter().any(|upstream| upstream.name == name)
    }

    /// Returns an authority with a category for each upstream, and with the operator's focus modes and roles.
    ///
    /// # Errors
    /// If an upstream has the name of a category or a provider, or a focus mode or role cannot be added.
    pub fn extend(&self, authority: &Authority) -> Result<Authority, InvalidAddition> {
        self.additions().extend(authority)
    }

    fn additions(&self) -> Additions {
        Additions { categories: self.categories(), modes: self.modes.clone() }
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

    /// The patterns of `only` and `except` that match no approved tool.
    pub fn unmatched(&self) -> Vec<Unmatched> {
        let selecting = self.upstreams.iter().filter(|settings| settings.selects());
        let locks = selecting.map(|settings| (settings, self.approvals.approval(settings)));
        let found =
            locks.filter_map(|(settings, approval)| Some(settings.unmatched(approval.lock()?)));
        found.flatten().collect()
    }

    /// Why a name that the configuration gives to a tool or an argument cannot be used, because another one has it.
    pub fn collision(&self) -> Option<String> {
        let renaming = self.upstreams.iter().filter(|settings| settings.renames());
        let mut locks = renaming.map(|settings| (settings, self.approvals.approval(settings)));
        locks.find_map(|(settings, approval)| settings.collision(approval.lock()?))
    }

    /// Takes over what was decided about the upstreams at other replicas, now and later. Does nothing without replicas.
    ///
    /// # Errors
    /// If this process cannot write into the folder of its decisions.
    ///
    /// # Panics
    /// Outside a runtime of tokio.
    pub async fn follow(&self, state: &SharedState) -> io::Result<()> {
        let names = self.upstreams.iter().map(|settings| settings.name.clone()).collect();
        shared_decisions::follow(state, &self.approvals, names).await
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
        let watch = Arc::new(Watch::new(&self.upstreams, Journals::begin(&self.approvals)));
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
        let running = (starting == Starting::Configured)
            .then(|| Running::begin(&self.approvals, self.door.as_deref().unwrap_or_default()));
        let told = running.map(|running| running.tell(providers.clone(), watch.any.clone()));
        Arc::new(WithUpstreams::new(inner, authority, self.additions(), providers, told))
    }

    /// The providers of the upstreams, once the application is open.
    pub fn providers(&self) -> Vec<Arc<dyn Supervised>> {
        let running = self.running.get().into_iter().flatten();
        running.map(|provider| provider.clone() as Arc<dyn Supervised>).collect()
    }
}

/// Logs what happens to upstreams, keeps it in their logs, and tells their providers.
struct Watch {
    /// For each upstream, and for all.
    changed: HashMap<String, Arc<Notify>>,
    any: Arc<Notify>,
    journals: Journals,
}

impl Watch {
    fn new(upstreams: &[UpstreamSettings], journals: Journals) -> Self {
        let changed =
            upstreams.iter().map(|upstream| (upstream.name.clone(), Arc::default())).collect();
        Self { changed, any: Arc::default(), journals }
    }

    fn changed(&self, upstream: &str) -> Arc<Notify> {
        self.changed.get(upstream).cloned().unwrap_or_default()
    }
}

impl Observer for Watch {
    fn observe(&self, upstream: &str, event: &Event) {
        match event {
            Event::Status(status) => {
                let (state, tools) = (status.state.as_str(), status.tools);
                let reason = status.reason.as_deref().unwrap_or_default();
                self.journals.entered(upstream, status);
                match status.state {
                    State::Backoff | State::Disabled | State::Refused => {
                        let output = status.output.as_deref().unwrap_or_default();
                        tracing::warn!(upstream, state, reason, output, "an upstream has failed");
                    }
                    State::Ready => tracing::info!(upstream, state, tools, "an upstream is ready"),
                    _ => tracing::debug!(upstream, state, "the state of an upstream has changed"),
                }
            }
            Event::Said(line) => {
                self.journals.said(upstream, line);
                return;
            }
            Event::Tools(list) => {
                let tools = list.tools().len();
                tracing::debug!(upstream, tools, "an upstream has listed its tools");
            }
            _ => {}
        }
        if let Some(changed) = self.changed.get(upstream) {
            changed.notify_one();
        }
        self.any.notify_one();
    }
}
