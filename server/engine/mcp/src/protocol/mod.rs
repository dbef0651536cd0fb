//! An endpoint as an MCP server. Apart from the transports, only this module uses rmcp's types.
#![expect(deprecated, reason = "clients before 2026-07-28 still set a level for log messages")]

mod asked;
mod caller;
mod capabilities;
mod client_endpoints;
mod completion;
mod dialogue;
mod error;
mod fast_path;
mod handled;
mod list_changed;
mod prompt;
mod reports;
mod resource;
mod session;
mod shared_tasks;
mod shared_wishes;
mod subscription;
mod tasks;
mod tool;

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, ConstString, CustomRequest, CustomResult, DiscoverResult, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    InitializeRequestParams, InitializeResult, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SetLevelRequestMethod,
    SetLevelRequestParams, SubscribeRequestMethod, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestMethod, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;

use crate::endpoint::Engine;
use crate::renewed::Renewed;
use crate::surface::SurfaceConfig;
use caller::caller;
use client_endpoints::ClientEndpoints;
pub use error::broken_off;
pub use fast_path::{ClientDeclaration, FastPath, ToolCall};
use list_changed::ListChanges;
use session::Session;
use shared_tasks::{NamedTask, TaskInput};
use shared_wishes::session_id;
use subscription::{ChangeSources, PendingSubscriptions};
use toolwrit_core::audit::savings::Savings;
use toolwrit_core::caller::principal::Principal;
use toolwrit_core::policy::Policy;

/// The first protocol version without sessions: each request contains all that the server needs.
pub const STATELESS: ProtocolVersion = ProtocolVersion::V_2026_07_28;

/// Milliseconds for which a client may cache a listing: surfaces change only when the server restarts.
const LISTING_TTL_MS: u64 = 3_600_000;
/// The same if operations need providers, whose availability changes, or if the authority may change.
const CHANGING_TTL_MS: u64 = 60_000;

/// Serves an authority under one policy, to one client. Cheap to clone.
#[derive(Clone)]
pub struct McpServer {
    engine: Arc<Engine>,
    /// Counts the costs of listings, if enabled.
    savings: Option<Savings>,
    endpoints: Arc<Renewed<ClientEndpoints>>,
    waiting: PendingSubscriptions,
    /// `None` for requests without a session.
    session: Option<Session>,
}

impl McpServer {
    /// Creates an MCP server for this engine and policy.
    pub fn new(engine: &Arc<Engine>, policy: &Policy, surface_config: &SurfaceConfig) -> Self {
        let endpoints = ClientEndpoints::new(engine, policy, surface_config);
        let endpoints = Renewed::new(
            engine.live().clone(),
            &policy.authority,
            endpoints,
            ClientEndpoints::over,
        )
        .with_availability(engine.changes().1);
        Self {
            engine: engine.clone(),
            savings: None,
            endpoints: Arc::new(endpoints),
            waiting: PendingSubscriptions::default(),
            session: Some(Session::default()),
        }
    }

    /// Returns the same server, which also counts the costs of its tool listings. Counting tokens takes
    /// memory, and at first a noticeable moment.
    #[must_use]
    pub fn counting_listings(self) -> Self {
        Self { savings: Some(self.engine.savings().clone()), ..self }
    }

    /// Returns the same server for another client, with a new session if `in_session`.
    #[must_use]
    pub fn for_client(&self, in_session: bool) -> Self {
        let session = in_session.then(Session::default);
        Self { session, waiting: PendingSubscriptions::default(), ..self.clone() }
    }

    /// Returns how many calls of all clients may be running or queued at once.
    pub(crate) fn most_calls(&self) -> usize {
        self.engine.most_calls()
    }

    /// Returns the session. An error if the request has none, or if the capability is not declared.
    fn session<M: ConstString>(&self, is_declared: bool) -> Result<&Session, ErrorData> {
        let session = self.session.as_ref().filter(|_| is_declared);
        session.ok_or_else(|| error::no_method(M::VALUE, false))
    }

    /// Returns for how long a client may cache a list of resources or prompts, in milliseconds. A server that starts has
    /// not listed its own yet.
    fn listing_ttl(&self) -> u64 {
        if self.engine.has_starting_servers() {
            0
        } else if self.engine.may_change() {
            CHANGING_TTL_MS
        } else {
            LISTING_TTL_MS
        }
    }

    /// Returns the source of list changes; `None` if the lists never change.
    fn list_changes(&self) -> Option<ListChanges> {
        let (changes, availability) = self.engine.changes();
        self.engine.may_change().then(|| ListChanges::new(&self.endpoints, changes, availability))
    }

    /// Returns the task that a client names.
    fn named_task<'a>(&'a self, principal: &'a Principal, id: &'a str) -> NamedTask<'a> {
        NamedTask { state: &self.engine.state, principal, id }
    }

    /// Returns the sources of the notifications for a subscription.
    fn notification_sources(&self) -> ChangeSources {
        ChangeSources { resources: self.engine.updates.listen(), lists: self.list_changes() }
    }
}

/// Refuses a cursor: every listing has one page.
fn single_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor) {
        Some(_) => {
            Err(ErrorData::invalid_params("the list has a single page; send no cursor", None))
        }
        None => Ok(()),
    }
}

/// Refuses a method whose capability the server does not declare.
fn declared<M: ConstString>(is_declared: bool) -> Result<(), ErrorData> {
    if is_declared { Ok(()) } else { Err(error::no_method(M::VALUE, false)) }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        self.endpoints.now().config.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        match &self.session {
            Some(session) => {
                if let Some(changes) = self.list_changes() {
                    session.begin(changes);
                }
            }
            None => capabilities::without_session(&mut result.capabilities),
        }
        cx.peer.set_peer_info(request);
        // A client names no session in `initialize`; a replica does that goes on with one.
        if let (Some(session), Some(id)) = (&self.session, session_id(&cx.extensions)) {
            self.take_up(session, &id, &cx.peer).await;
        }
        Ok(result)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(LISTING_TTL_MS)
            .with_cache_scope(self.endpoints.now().scope))
    }

    async fn on_initialized(&self, cx: NotificationContext<RoleServer>) {
        if let Some(session) = &self.session {
            session.announce_lists(cx.peer);
        }
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        single_page(page)?;
        let (identity, client) = caller(&cx);
        let endpoints = self.endpoints.now();
        let endpoint = endpoints.endpoint(client.as_ref());
        let listing = endpoint.listing();
        if let Some(savings) = &self.savings {
            savings.add(&identity.principal, endpoint.cost(&listing).await);
        }
        let has_providers = !endpoint.policy.tables().providers.is_empty();
        let changes = has_providers || self.engine.may_change();
        let tools = listing.descriptors().iter().map(tool::tool).collect();
        let mut result = ListToolsResult::with_all_items(tools);
        result.meta = Some(tool::listing_meta(&endpoints.config.server_info));
        Ok(result
            .with_ttl_ms(if changes { CHANGING_TTL_MS } else { LISTING_TTL_MS })
            .with_cache_scope(endpoints.scope))
    }

    fn call_tool(
        &self,
        call: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + Send {
        Box::pin(self.answer_call(call, cx))
    }

    async fn get_task(
        &self,
        task: GetTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let principal = caller(&cx).0.principal;
        let of = self.named_task(&principal, &task.task_id);
        tasks::state(of).await.map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        task: UpdateTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let principal = caller(&cx).0.principal;
        let to = self.named_task(&principal, &task.task_id);
        tasks::send(to, TaskInput::Answers(task.input_responses)).await
    }

    async fn cancel_task(
        &self,
        task: CancelTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let principal = caller(&cx).0.principal;
        tasks::send(self.named_task(&principal, &task.task_id), TaskInput::Cancel).await
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let endpoints = self.endpoints.now();
        declared::<ListResourcesRequestMethod>(endpoints.config.capabilities.resources.is_some())?;
        single_page(page)?;
        Ok(ListResourcesResult::with_all_items(endpoints.resources.clone())
            .with_ttl_ms(self.listing_ttl())
            .with_cache_scope(endpoints.scope))
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let endpoints = self.endpoints.now();
        let is_declared = endpoints.config.capabilities.resources.is_some();
        declared::<ListResourceTemplatesRequestMethod>(is_declared)?;
        single_page(page)?;
        Ok(ListResourceTemplatesResult::with_all_items(endpoints.templates.clone())
            .with_ttl_ms(self.listing_ttl())
            .with_cache_scope(endpoints.scope))
    }

    fn read_resource(
        &self,
        read: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ReadResourceResponse, ErrorData>> + Send {
        Box::pin(self.answer_read(read, cx))
    }

    async fn subscribe(
        &self,
        wish: SubscribeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let endpoints = self.endpoints.now();
        let is_declared = capabilities::supports_updates(&endpoints.config.capabilities);
        let session = self.session::<SubscribeRequestMethod>(is_declared)?;
        let Some(subscription) = endpoints.general.subscribe(&wish.uri) else {
            let data = json!({ "uri": wish.uri });
            return Err(ErrorData::resource_not_found("the resource sends no updates", Some(data)));
        };
        let id = session_id(&cx.extensions);
        session.subscribe(wish.uri, subscription, &self.engine.updates, cx.peer);
        self.tell_wishes(session, id).await;
        Ok(())
    }

    async fn unsubscribe(
        &self,
        wish: UnsubscribeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let is_declared = capabilities::supports_updates(&self.endpoints.now().config.capabilities);
        let session = self.session::<UnsubscribeRequestMethod>(is_declared)?;
        session.unsubscribe(&wish.uri);
        self.tell_wishes(session, session_id(&cx.extensions)).await;
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        wanted: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let endpoints = self.endpoints.now();
        if !capabilities::supports_listen(&endpoints.config.capabilities) {
            return None;
        }
        self.waiting.begin(self.notification_sources());
        Some(subscription::granted(&endpoints.general, wanted, self.engine.may_change()))
    }

    fn listen(
        &self,
        cx: SubscriptionContext,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send {
        let changes = self.waiting.take().unwrap_or_else(|| self.notification_sources());
        let to_resources = subscription::to_resources(&self.endpoints.now().general, cx.accepted());
        Box::pin(subscription::listen(cx, changes, to_resources))
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let endpoints = self.endpoints.now();
        declared::<ListPromptsRequestMethod>(endpoints.config.capabilities.prompts.is_some())?;
        single_page(page)?;
        Ok(ListPromptsResult::with_all_items(endpoints.prompts.clone())
            .with_ttl_ms(self.listing_ttl())
            .with_cache_scope(endpoints.scope))
    }

    fn get_prompt(
        &self,
        get: GetPromptRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<GetPromptResponse, ErrorData>> + Send {
        Box::pin(self.answer_get(get, cx))
    }

    fn complete(
        &self,
        complete: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CompleteResult, ErrorData>> + Send {
        Box::pin(self.answer_complete(complete, cx))
    }

    async fn set_level(
        &self,
        wish: SetLevelRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let is_declared = self.endpoints.now().logging && !dialogue::is_stateless(&cx);
        let session = self.session::<SetLevelRequestMethod>(is_declared)?;
        session.set_level(reports::level(wish.level));
        self.tell_wishes(session, session_id(&cx.extensions)).await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp treats a request whose parameters do not parse as a request of an unknown method.
        let endpoints = self.endpoints.now();
        let capabilities = &endpoints.config.capabilities;
        let is_stateless = dialogue::is_stateless(&cx);
        if capabilities::serve(capabilities, &request.method, is_stateless) {
            return Err(error::misshapen(&request));
        }
        Err(error::no_method(&request.method, is_stateless))
    }
}
