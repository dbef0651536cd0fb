//! One surface of the authority under one policy: lists tools and answers tool calls. Transports and the
//! command line hold endpoints. Every operation runs through the pipeline.

mod answer;
mod browse;
mod browser;
mod completion;
mod dump;
mod engine;
mod own_tools;
mod prompts;
mod providers;
mod replicas;
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
use crate::surface::{FullCost, Listing, Surface, SurfaceOptions, ToolTarget};
pub(crate) use answer::ToolAnswer;
pub(crate) use completion::Reference;
use engine::Prepared;
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::audit::listing_costs::Total;
use toolwrit_core::audit::storage::State;
use toolwrit_core::authority::{Authority, OperationHandle, Tables};
use toolwrit_core::call::calls::Calls;
use toolwrit_core::call::{Call, Caller};
use toolwrit_core::caller::principal::Principal;
use toolwrit_core::caller::surface_kind::SurfaceKind;
use toolwrit_core::dialogue::Interrupt;
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::json::size::{object_size, size};
use toolwrit_core::json::unique::Repeated;
use toolwrit_core::pipeline::{AuditEntry, Permits};
use toolwrit_core::policy::Policy;
use toolwrit_core::result::outcome::Outcome;

pub use dump::Dump;
pub use engine::Engine;
pub use replicas::PlaceTaken;
pub use request::Request;
pub use search::{Match, SearchQuery};
pub use selection::{Criteria, Selection};

/// One surface under one policy.
pub struct Endpoint {
    engine: Arc<Engine>,
    prepared: Arc<Prepared>,
    /// What callers of this endpoint may do.
    pub policy: Arc<Policy>,
    surface: Surface,
    full_cost: FullCost,
}

/// What a tool call asks for.
enum ToolRequest {
    /// Runs an operation. `answer` converts its outcome to the answer of this tool.
    Run { inner: own_tools::InnerCall, answer: fn(Outcome) -> ToolAnswer },
    /// Lists, describes or searches operations.
    Query(ToolQuery),
}

/// A query of what the policy shows. It runs no operation.
type ToolQuery = Box<dyn FnOnce(&Endpoint) -> Result<Value> + Send>;

impl Endpoint {
    /// Builds a surface of the engine under this policy.
    pub fn new(engine: Arc<Engine>, policy: Policy, options: SurfaceOptions) -> Self {
        let prepared = engine.prepared(&policy.authority);
        let policy = Arc::new(prepared.policy(policy));
        let surface = Surface::build(&policy, options);
        Self { engine, prepared, policy, surface, full_cost: FullCost::default() }
    }

    /// Returns what outlives a request, and what replicas share.
    pub(crate) fn state(&self) -> &State {
        &self.engine.state
    }

    /// Returns the same endpoint with another surface.
    #[must_use]
    pub fn with_surface(&self, options: SurfaceOptions) -> Self {
        Self::new(self.engine.clone(), (*self.policy).clone(), options)
    }

    /// Returns the same endpoint for another authority.
    #[must_use]
    pub fn over(&self, authority: &Authority) -> Self {
        let (engine, prepared) = (self.engine.clone(), self.engine.prepared(authority));
        let policy = prepared.policy(self.policy.over(authority));
        let surface = self.surface.under(&policy);
        let policy = Arc::new(policy);
        Self { engine, prepared, policy, surface, full_cost: FullCost::default() }
    }

    /// Returns an endpoint that is rebuilt whenever the engine's authority changes.
    pub fn renewed(self) -> Renewed<Self> {
        let (live, of) = (self.engine.live.clone(), self.policy.authority.clone());
        Renewed::new(live, &of, self, Self::over)
    }

    /// Whether handlers send log messages to clients that ask for them.
    pub(crate) fn logs(&self) -> bool {
        self.tables().server.logging
    }

    fn tables(&self) -> &Tables {
        self.policy.tables()
    }

    /// Returns the tools to list.
    pub(crate) fn listing(&self) -> Arc<Listing> {
        self.policy.refresh();
        self.surface.listing(&self.policy)
    }

    /// Returns how long the handler of an operation may run.
    pub(crate) fn timeout(&self, operation: &OperationHandle) -> Duration {
        self.engine.pipeline.timeout(operation)
    }

    /// Returns the cost of sending these tools, and of sending every operation as a tool.
    pub async fn cost(&self, tools: &Listing) -> Total {
        let full = self.full_cost.tokens_of(&self.policy).await;
        Total { requests: 1, full, sent: tools.tokens().await }
    }

    /// Starts the audit record of a request that is not a tool call. `user` is the user whom it names.
    pub fn record(
        &self,
        what: &str,
        principal: &Principal,
        user: Option<&str>,
        start: Instant,
    ) -> AuditEntry {
        let request = Request { origin: principal.clone().into(), ..Request::default() };
        let caller = request.caller(&self.policy, Some(self.surface.kind));
        if let Some(user) = user {
            let user: String = user.chars().take(200).collect();
            caller.audit_arguments.set(json!({ "userId": user }).to_string(), None);
        }
        self.engine.pipeline.note(&caller, what, 0, start)
    }

    /// Answers a tool call. A fault becomes an answer too.
    pub(crate) fn call(
        self: &Arc<Self>,
        tool: &str,
        arguments: Map<String, Value>,
        mut request: Request,
    ) -> impl Future<Output = ToolAnswer> + Send + use<> {
        self.policy.refresh();
        let repeated = request.repeated.take();
        let mut caller = request.caller(&self.policy, Some(self.surface.kind));
        let bytes = object_size(&arguments);
        let start = Instant::now();
        let resolved = match repeated {
            Some(repeated) => Err(self.ambiguous(tool, &arguments, &repeated)),
            None => self.resolve(tool, arguments),
        };
        let query = match resolved {
            Ok(ToolRequest::Run { inner, answer }) => {
                let own_tools::InnerCall { name, arguments, policy } = inner;
                caller.set_policy(policy);
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
            endpoint
                .answer(answered.map(|value| ToolAnswer::listing(&value)).map_err(Interrupt::from))
        }))
    }

    /// Answers a query when the concurrency limits allow it. A call that the surface refuses counts against
    /// the caller's rate limit, too.
    async fn query(&self, query: Result<ToolQuery>, caller: &Caller) -> Result<Value> {
        match query {
            Ok(query) => {
                let _permits = self.engine.pipeline.acquire_permits(caller).await?;
                query(self)
            }
            Err(fault) => Err(self.engine.pipeline.count(caller).await.err().unwrap_or(fault)),
        }
    }

    /// Waits until the concurrency limits allow a query that is not a tool call. The caller keeps the result
    /// until the query has ended.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED`, as for a call.
    pub async fn acquire_permits(&self, principal: &Principal) -> Result<Permits> {
        let request = Request { origin: principal.clone().into(), ..Request::default() };
        let caller = request.caller(&self.policy, Some(self.surface.kind));
        self.engine.pipeline.acquire_permits(&caller).await
    }

    fn answer(&self, result: std::result::Result<ToolAnswer, Interrupt>) -> ToolAnswer {
        match result {
            Ok(answer) => answer,
            Err(Interrupt::Failed(fault)) => ToolAnswer::failure(&self.with_hint(fault)),
            Err(Interrupt::Continues(fault, how)) => {
                ToolAnswer { continuation: Some(*how), ..ToolAnswer::failure(&fault) }
            }
        }
    }

    /// Resolves a tool call to an operation or a query.
    fn resolve(&self, tool: &str, arguments: Map<String, Value>) -> Result<ToolRequest> {
        let inner =
            |inner: own_tools::InnerCall| ToolRequest::Run { inner, answer: ToolAnswer::plain };
        let query = |fields, arguments, query: fn(&Self, ArgValues) -> Result<Value>| {
            let slots = own_tools::bind_own(tool, fields, arguments)?;
            let of = tool.to_owned();
            Ok(ToolRequest::Query(Box::new(move |endpoint: &Self| {
                query(endpoint, slots).map_err(|fault| fault.of_operation(&of))
            })))
        };
        match self.target(tool, &arguments).ok_or_else(|| self.unknown_tool(tool))? {
            ToolTarget::Operation | ToolTarget::Merged => {
                // Other surfaces do not list the name, so no output schema requires structured content.
                let target = self.surface.target(tool);
                let listed = self.surface.kind == SurfaceKind::Flat
                    || matches!(target, Some(ToolTarget::Operation | ToolTarget::Merged));
                let answer = if listed { ToolAnswer::structured } else { ToolAnswer::plain };
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

    /// Returns the operation that a tool call names; `None` if the caller may not use it. Does not validate
    /// the call.
    pub(crate) fn operation(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Option<OperationHandle> {
        self.policy.refresh();
        let tables = self.tables();
        let index = match self.surface.called(tables, tool, arguments)? {
            ToolTarget::Operation | ToolTarget::Merged => tables.called(tool, arguments)?,
            ToolTarget::Category { category, .. } => {
                let name = arguments.get("operation")?.as_str()?;
                own_tools::find_by_name(tables, category, name)?.operation.into()
            }
            ToolTarget::Execute { .. } => {
                let inner = arguments.get("args").and_then(Value::as_object);
                tables.called(arguments.get("tool")?.as_str()?, inner.unwrap_or(&Map::new()))?
            }
            _ => return None,
        };
        self.policy.admit(index).ok()?;
        Some(self.policy.authority.operation(index))
    }

    /// Returns the fault for a repeated argument: nothing says which of its values is meant.
    fn ambiguous(&self, tool: &str, arguments: &Map<String, Value>, repeated: &Repeated) -> Fault {
        let fault = repeated.fault("");
        match self.operation(tool, arguments) {
            Some(operation) => {
                let row = operation.row();
                fault.of_operation(&row.id).teaching(&row.signature, row.example())
            }
            None => fault,
        }
    }

    /// Runs an operation by name, without a surface.
    ///
    /// # Errors
    /// The fault of the call.
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

    /// Returns calls on behalf of whoever makes this request, without a surface.
    pub fn calls(&self, request: Request) -> Calls {
        self.engine.pipeline.calls(request.caller(&self.policy, None))
    }

    /// Returns what a call of this tool runs. `None` if there is no such tool, or if all of its operations
    /// are hidden from the caller.
    fn target(&self, tool: &str, arguments: &Map<String, Value>) -> Option<ToolTarget> {
        let target = self.surface.called(self.tables(), tool, arguments)?;
        let operations = self.tables().operations.iter().enumerate();
        let mut known = operations.filter(|(index, _)| self.policy.knows(*index)).map(|(_, o)| o);
        let exists = match target {
            ToolTarget::Operation => {
                let named = self.tables().tool(tool);
                named.is_some_and(|name| self.policy.knows(usize::from(name.operation)))
            }
            ToolTarget::Merged => self.tables().merged_tool(tool).is_some_and(|merged| {
                merged
                    .operations
                    .iter()
                    .any(|merged_operation| self.policy.knows(merged_operation.operation.into()))
            }),
            ToolTarget::Category { category, effect } => {
                known.any(|o| usize::from(o.category) == category && own_tools::fits(o, effect))
            }
            ToolTarget::Execute { effect } => known.any(|o| own_tools::fits(o, effect)),
            _ => true,
        };
        exists.then_some(target)
    }

    /// Returns the fault for an unknown tool. If an operation has this name, the hint says how to call it.
    fn unknown_tool(&self, tool: &str) -> Fault {
        let known = self.tables().tool(tool).map(|name| usize::from(name.operation));
        if let Some(index) = known.filter(|index| self.policy.shows(*index)) {
            let operation = &self.tables().operations[index];
            if let Some(tool_for) = self.surface.tool_for(self.tables(), operation) {
                return Fault::new(Code::ToolNotFound, format!("`{tool}` is not a tool here."))
                    .of_operation(&operation.id)
                    .did_you_mean(vec![tool_for.to_owned()])
                    .teaching(&operation.signature, operation.example())
                    .hinting(own_tools::how_to_call(
                        self,
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
        let close = toolwrit_text::nearest::closest(tool, descriptors);
        // What is known of a removed tool says more than similar names.
        let is_told = close.is_empty() || fault.hint().is_some();
        let fault = if is_told { fault } else { fault.did_you_mean(close) };
        self.with_hint(fault)
    }

    /// Adds a hint that names the tool with which this surface finds operations.
    fn with_hint(&self, fault: Fault) -> Fault {
        if fault.code() != Code::ToolNotFound || fault.hint().is_some() {
            return fault;
        }
        let prefix = &self.tables().server.prefix;
        fault.hinting(match self.surface.kind {
            SurfaceKind::Meta => format!("Find operations with {prefix}search_tools."),
            SurfaceKind::Dispatch => format!("List operations with {prefix}discover."),
            SurfaceKind::Flat => "tools/list has every tool.".to_owned(),
        })
    }
}
