//! One surface of the authority under one policy: it lists tools and answers tool calls. Transports
//! and the command line hold endpoints; everything that runs an operation goes down the pipeline.

mod answer;
mod browse;
mod completion;
mod engine;
mod own_tools;
mod prompts;
mod request;
mod resources;
mod search;
mod selection;

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::Either;
use serde_json::{Map, Value, json};

use crate::renewed::Renewed;
use crate::surface::{FullCost, Listing, Profile, Split, Surface, SurfaceChoice, ToolTarget};
pub(crate) use answer::Answer;
pub(crate) use completion::Reference;
use engine::Prepared;
use toolwrit_core::arg_value::ArgValues;
use toolwrit_core::authority::{Authority, OperationHandle, Tables};
use toolwrit_core::call::{Call, Caller};
use toolwrit_core::dialogue::Interrupt;
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::json_size::{object_size, size};
use toolwrit_core::listing_costs::Total;
use toolwrit_core::outcome::Outcome;
use toolwrit_core::pipeline::{AuditEntry, Places};
use toolwrit_core::policy::Policy;
use toolwrit_core::principal::Principal;
use toolwrit_core::surface_kind::SurfaceKind;
use toolwrit_core::unique::Repeated;

pub use engine::Engine;
pub use request::Request;
pub use search::{Match, SearchQuery};
pub use selection::{Criteria, Selection};

/// One surface under one policy.
pub struct Endpoint {
    engine: Arc<Engine>,
    prepared: Arc<Prepared>,
    /// Who may do what here.
    pub policy: Arc<Policy>,
    surface: Surface,
    full_cost: FullCost,
}

/// What a tool call asks for.
enum ToolRequest {
    /// An operation, and how its outcome is answered on this tool.
    Run { inner: own_tools::InnerCall, answer: fn(Outcome) -> Answer },
    /// A look around.
    Query(ToolQuery),
}

/// A query of what the policy shows. It runs no operation.
type ToolQuery = Box<dyn FnOnce(&Endpoint) -> Result<Value> + Send>;

impl Endpoint {
    /// A surface of the engine under this policy.
    pub fn new(
        engine: Arc<Engine>,
        policy: Policy,
        choice: SurfaceChoice,
        split: Split,
        profile: Profile,
    ) -> Self {
        let prepared = engine.prepared(&policy.authority);
        let policy = Arc::new(policy.with_providers(prepared.providers.clone()));
        let surface = Surface::build(&policy, choice, split, profile);
        Self { engine, prepared, policy, surface, full_cost: FullCost::default() }
    }

    /// The same surface of another authority.
    #[must_use]
    pub fn over(&self, authority: &Authority) -> Self {
        let (engine, prepared) = (self.engine.clone(), self.engine.prepared(authority));
        let policy = self.policy.over(authority).with_providers(prepared.providers.clone());
        let surface = self.surface.under(&policy);
        let policy = Arc::new(policy);
        Self { engine, prepared, policy, surface, full_cost: FullCost::default() }
    }

    /// The endpoint of the authority that the engine has now, whichever that is.
    pub fn renewed(self) -> Renewed<Self> {
        let (live, of) = (self.engine.live.clone(), self.policy.authority.clone());
        Renewed::new(live, &of, self, Self::over)
    }

    /// Handlers send log messages to clients that ask for them.
    pub(crate) fn logs(&self) -> bool {
        self.tables().server.logging
    }

    fn tables(&self) -> &Tables<'_> {
        self.policy.tables()
    }

    /// The tools to list.
    pub(crate) fn listing(&self) -> Arc<Listing> {
        self.policy.refresh();
        self.surface.listing(&self.policy)
    }

    /// How long the handler of an operation may run.
    pub(crate) fn timeout(&self, operation: &OperationHandle) -> Duration {
        self.engine.pipeline.timeout(operation)
    }

    /// What it costs to send these tools, against all of them.
    pub async fn cost(&self, tools: &Listing) -> Total {
        let full = self.full_cost.of(&self.policy).await;
        Total { requests: 1, full, sent: tools.tokens().await }
    }

    /// The record of a request that is no tool call, and of the user whom it names.
    pub fn record(
        &self,
        what: &str,
        principal: &Principal,
        user: Option<&str>,
        start: Instant,
    ) -> AuditEntry {
        let request = Request { principal: principal.clone(), ..Request::default() };
        let caller = request.caller(&self.policy, Some(self.surface.kind));
        if let Some(user) = user {
            let user: String = user.chars().take(200).collect();
            caller.audit_arguments.set(json!({ "userId": user }).to_string());
        }
        self.engine.pipeline.note(&caller, what, 0, start)
    }

    /// Answers a tool call. Never fails: what goes wrong is an answer too.
    pub(crate) fn call(
        self: &Arc<Self>,
        tool: &str,
        arguments: Map<String, Value>,
        mut request: Request,
    ) -> impl Future<Output = Answer> + Send + use<> {
        self.policy.refresh();
        let repeated = request.repeated.take();
        let mut caller = request.caller(&self.policy, Some(self.surface.kind));
        let bytes = object_size(&arguments);
        let start = Instant::now();
        let meaning = match repeated {
            Some(repeated) => Err(self.ambiguous(tool, &arguments, &repeated)),
            None => self.meaning(tool, arguments),
        };
        let query = match meaning {
            Ok(ToolRequest::Run { inner, answer }) => {
                let own_tools::InnerCall { name, arguments, policy } = inner;
                caller.policy = policy;
                let call = Call { name, arguments, bytes, caller };
                let endpoint = self.clone();
                return Either::Left(async move {
                    let result = endpoint.engine.pipeline.call(call).await;
                    endpoint.answer(result.map(answer))
                });
            }
            Ok(ToolRequest::Query(query)) => Ok(query),
            Err(fault) => Err(fault),
        };
        let entry = self.engine.pipeline.note(&caller, tool, bytes, start);
        let endpoint = self.clone();
        Either::Right(Box::pin(async move {
            let answered = endpoint.query(query, &caller).await;
            match &answered {
                Ok(value) => entry.succeeded(size(value)),
                Err(fault) => entry.failed(fault),
            }
            endpoint.answer(answered.map(|value| Answer::listing(&value)).map_err(Interrupt::from))
        }))
    }

    /// Answers a query when the caller's turn has come. What its surface refuses counts against the
    /// caller's rate, too.
    async fn query(&self, query: Result<ToolQuery>, caller: &Caller) -> Result<Value> {
        match query {
            Ok(query) => {
                let _places = self.engine.pipeline.turn(caller).await?;
                query(self)
            }
            Err(fault) => Err(self.engine.pipeline.count(caller).err().unwrap_or(fault)),
        }
    }

    /// The places that a query which is no tool call takes.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED`, as for a call.
    pub async fn turn(&self, principal: &Principal) -> Result<Places> {
        let request = Request { principal: principal.clone(), ..Request::default() };
        let caller = request.caller(&self.policy, Some(self.surface.kind));
        self.engine.pipeline.turn(&caller).await
    }

    fn answer(&self, result: std::result::Result<Answer, Interrupt>) -> Answer {
        match result {
            Ok(answer) => answer,
            Err(Interrupt::Failed(fault)) => Answer::failure(&self.helpful(fault)),
            Err(Interrupt::Continues(fault, how)) => {
                Answer { continuation: Some(*how), ..Answer::failure(&fault) }
            }
        }
    }

    /// What a tool call asks for: an operation, or a look around.
    fn meaning(&self, tool: &str, arguments: Map<String, Value>) -> Result<ToolRequest> {
        let inner = |inner: own_tools::InnerCall| ToolRequest::Run { inner, answer: Answer::plain };
        let query = |fields, arguments, query: fn(&Self, ArgValues) -> Result<Value>| {
            let slots = own_tools::bind_own(tool, fields, arguments)?;
            let of = tool.to_owned();
            Ok(ToolRequest::Query(Box::new(move |endpoint: &Self| {
                query(endpoint, slots).map_err(|fault| fault.of(&of))
            })))
        };
        match self.target(tool).ok_or_else(|| self.unknown_tool(tool))? {
            ToolTarget::Operation => {
                // An older name is listed nowhere else, so no output schema asks for structure.
                let listed =
                    self.surface.kind == SurfaceKind::Flat || self.surface.target(tool).is_some();
                let answer = if listed { Answer::structured } else { Answer::plain };
                let (name, policy) = (tool.to_owned(), self.policy.clone());
                Ok(ToolRequest::Run {
                    inner: own_tools::InnerCall { name, arguments, policy },
                    answer,
                })
            }
            ToolTarget::Category { category, effect } => {
                own_tools::category(self, tool, category, effect, arguments).map(inner)
            }
            ToolTarget::Execute { effect } => {
                own_tools::execute(self, tool, effect, arguments).map(inner)
            }
            ToolTarget::Discover => query(&own_tools::DISCOVER, arguments, Self::discover),
            ToolTarget::Search => query(&own_tools::SEARCH, arguments, Self::search),
            ToolTarget::Describe => query(&own_tools::DESCRIBE, arguments, Self::describe_some),
            ToolTarget::Introspect => {
                query(&[], arguments, |endpoint, _| Ok(endpoint.introspect()))
            }
            ToolTarget::Context => query(&own_tools::CONTEXT, arguments, Self::context),
        }
    }

    /// The operation that a tool call is about, when the caller may use it. Says nothing of whether the
    /// call is right.
    pub(crate) fn operation(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Option<OperationHandle> {
        self.policy.refresh();
        let name = match self.surface.target(tool).or_else(|| self.older_name(tool))? {
            ToolTarget::Operation => tool,
            ToolTarget::Category { category, .. } => {
                let name = arguments.get("operation")?.as_str()?;
                own_tools::named(self.tables(), category, name)?.name
            }
            ToolTarget::Execute { .. } => arguments.get("tool")?.as_str()?,
            _ => return None,
        };
        self.admitted(name)
    }

    /// Of two values it is not known which one is meant.
    fn ambiguous(&self, tool: &str, arguments: &Map<String, Value>, repeated: &Repeated) -> Fault {
        let fault = repeated.fault("");
        match self.operation(tool, arguments) {
            Some(own) => {
                let own = own.row();
                fault.of(own.id).teaching(own.signature, own.example())
            }
            None => fault,
        }
    }

    fn admitted(&self, name: &str) -> Option<OperationHandle> {
        let index = usize::from(self.tables().lookup(name)?.operation);
        self.policy.admit(index).ok()?;
        Some(self.policy.authority.operation(index))
    }

    /// Runs an operation by name, without a surface between.
    pub async fn execute(
        &self,
        name: String,
        arguments: Map<String, Value>,
        request: Request,
    ) -> Result<Outcome> {
        self.policy.refresh();
        let bytes = object_size(&arguments);
        let caller = request.caller(&self.policy, None);
        let ended = self.engine.pipeline.call(Call { name, arguments, bytes, caller }).await;
        ended.map_err(Interrupt::into_fault)
    }

    /// What a tool name leads to. A tool that leads only to what is hidden from the caller does not
    /// exist.
    fn target(&self, tool: &str) -> Option<ToolTarget> {
        let target = self.surface.target(tool).or_else(|| self.older_name(tool))?;
        let operations = self.tables().operations.iter().enumerate();
        let mut known = operations.filter(|(index, _)| self.policy.knows(*index)).map(|(_, o)| o);
        let exists = match target {
            ToolTarget::Operation => {
                let named = self.tables().tool(tool);
                named.is_some_and(|name| self.policy.knows(usize::from(name.operation)))
            }
            ToolTarget::Category { category, effect } => {
                known.any(|o| usize::from(o.category) == category && own_tools::fits(o, effect))
            }
            ToolTarget::Execute { effect } => known.any(|o| own_tools::fits(o, effect)),
            _ => true,
        };
        exists.then_some(target)
    }

    /// Older names were tools of their own, so they stay callable on every surface.
    fn older_name(&self, tool: &str) -> Option<ToolTarget> {
        let name = self.tables().tool(tool)?;
        name.alias.map(|_| ToolTarget::Operation)
    }

    /// No such tool here. When the name is an operation's, says how it is called on this surface.
    fn unknown_tool(&self, tool: &str) -> Fault {
        let known = self.tables().tool(tool).map(|name| usize::from(name.operation));
        if let Some(index) = known.filter(|index| self.policy.knows(*index)) {
            let operation = &self.tables().operations[index];
            if let Some(tool_for) = self.surface.tool_for(operation) {
                return Fault::new(Code::ToolNotFound, format!("`{tool}` is not a tool here."))
                    .of(operation.id)
                    .did_you_mean(vec![tool_for.to_owned()])
                    .teaching(operation.signature, operation.example())
                    .hinting(own_tools::how_to_call(
                        &self.surface,
                        tool_for,
                        operation,
                        None,
                        operation.example(),
                    ));
            }
        }
        let fault = self.policy.not_found(tool);
        let listing = self.listing();
        let descriptors = listing.descriptors().iter().map(|descriptor| descriptor.name.as_str());
        let close = toolwrit_core::suggest::closest(tool, descriptors);
        let fault = if close.is_empty() { fault } else { fault.did_you_mean(close) };
        self.helpful(fault)
    }

    /// Adds where to look, in the words of this surface.
    fn helpful(&self, fault: Fault) -> Fault {
        if fault.code() != Code::ToolNotFound || fault.hint().is_some() {
            return fault;
        }
        let prefix = self.tables().server.prefix;
        fault.hinting(match self.surface.kind {
            SurfaceKind::Meta => format!("Find operations with {prefix}search_tools."),
            SurfaceKind::Dispatch => format!("List operations with {prefix}discover."),
            SurfaceKind::Flat => "tools/list has every tool.".to_owned(),
        })
    }
}
