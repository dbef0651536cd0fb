//! An endpoint as an MCP server. Besides the transports, the only room that names rmcp's types.
#![expect(deprecated, reason = "clients of the older era still set a level for log messages")]

mod asked;
mod caller;
mod capabilities;
mod completion;
mod dialogue;
mod error;
mod fast_path;
mod handled;
mod prompt;
mod reports;
mod resource;
mod session;
mod subscription;
mod tasks;
mod tool;

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, ConstString, CustomRequest, CustomResult, DiscoverResult, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, Resource, ResourceTemplate,
    ServerCapabilities, ServerConfig, SetLevelRequestMethod, SetLevelRequestParams,
    SubscribeRequestMethod, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestMethod,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;

use crate::endpoint::{Endpoint, Engine};
use crate::savings::Savings;
use crate::surface::{Look, Looks};
use caller::caller;
pub use error::broken_off;
pub use fast_path::{FastPath, Setting, ToolCall};
use session::Session;
use subscription::Waiting;
use toolwrit_core::policy::Policy;
use toolwrit_core::sender::ClientInfo;

/// The first revision without sessions: its requests stand for themselves.
pub const STATELESS: ProtocolVersion = ProtocolVersion::V_2026_07_28;

/// How long a client may keep a listing: surfaces change only when the server restarts.
const LISTING_TTL_MS: u64 = 3_600_000;
/// The same where operations need providers, which come and go.
const CHANGING_TTL_MS: u64 = 60_000;

/// Serves an authority under one policy, to one client. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    engine: Arc<Engine>,
    /// Where the costs of listings are added up, if they are.
    savings: Option<Savings>,
    faces: Arc<Faces>,
    config: Arc<ServerConfig>,
    scope: CacheScope,
    logging: bool,
    /// Some operation may go on as a task.
    has_tasks: bool,
    waiting: Waiting,
    /// None where each request stands alone.
    session: Option<Session>,
}

/// What clients see: most of them the same.
struct Faces {
    general: Face,
    clients: Vec<(String, Face)>,
    resources: Vec<Resource>,
    templates: Vec<ResourceTemplate>,
    prompts: Vec<Prompt>,
}

struct Face {
    endpoint: Arc<Endpoint>,
}

impl Face {
    fn new(engine: &Arc<Engine>, policy: &Policy, look: Look) -> Self {
        let Look { kind, split, profile } = look;
        let endpoint = Endpoint::new(engine.clone(), policy.clone(), kind, split, profile);
        Self { endpoint: Arc::new(endpoint) }
    }
}

impl Server {
    /// An MCP server on this engine, under this policy.
    pub fn new(engine: &Arc<Engine>, policy: &Policy, looks: &Looks) -> Self {
        let face = |look| Face::new(engine, policy, look);
        let clients = looks.clients.iter().map(|(name, look)| (name.clone(), face(*look)));
        let clients = clients.collect();
        let general = face(looks.general);
        let endpoint = &general.endpoint;
        let logging = engine.authority().tables().server.logging;
        let mut operations = policy.tables().operations.iter().enumerate();
        let has_tasks = operations.any(|(at, own)| own.task.is_some() && policy.knows(at));
        let capabilities = capabilities::capabilities(endpoint, logging, has_tasks);
        let config = config(policy, capabilities);
        let (resources, templates) = (resource::resources(endpoint), resource::templates(endpoint));
        let prompts = prompt::prompts(endpoint);
        let several = policy.tables().roles.len() > 1;
        Self {
            engine: engine.clone(),
            savings: None,
            faces: Arc::new(Faces { general, clients, resources, templates, prompts }),
            config: Arc::new(config),
            scope: if several { CacheScope::Private } else { CacheScope::Public },
            logging,
            has_tasks,
            waiting: Waiting::default(),
            session: Some(Session::default()),
        }
    }

    /// The same, with what its tool listings cost added to the engine's account. To count tokens takes
    /// memory and, once, a noticeable moment.
    #[must_use]
    pub fn counting_listings(self) -> Self {
        Self { savings: Some(self.engine.savings().clone()), ..self }
    }

    /// The same for another client, which has its own wishes if it has a session.
    #[must_use]
    pub fn for_client(&self, in_session: bool) -> Self {
        let session = in_session.then(Session::default);
        Self { session, waiting: Waiting::default(), ..self.clone() }
    }

    /// Most calls that are at work or wait for their turn, whoever sent them.
    pub(crate) fn most_calls(&self) -> usize {
        self.engine.most_calls()
    }

    /// The session, for what only makes sense in one.
    fn session<M: ConstString>(&self, is_declared: bool) -> Result<&Session, ErrorData> {
        let session = self.session.as_ref().filter(|_| is_declared);
        session.ok_or_else(ErrorData::method_not_found::<M>)
    }

    /// What this program sees.
    fn face(&self, client: Option<&ClientInfo>) -> &Face {
        let own = client.and_then(|client| {
            self.faces.clients.iter().find(|(name, _)| name.eq_ignore_ascii_case(client.name()))
        });
        own.map_or(&self.faces.general, |(_, face)| face)
    }
}

fn config(policy: &Policy, capabilities: ServerCapabilities) -> ServerConfig {
    let server = &policy.tables().server;
    let mut implementation = Implementation::new(server.name, server.version);
    implementation.title = server.title.map(str::to_owned);
    let mut config = ServerConfig::new(capabilities).with_server_info(implementation);
    config.instructions = instructions(policy);
    config
}

/// What the model is told about the server as a whole, in its role.
fn instructions(policy: &Policy) -> Option<String> {
    let server = policy.tables().server.instructions;
    let parts: Vec<&str> = server.into_iter().chain(policy.persona()).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Every listing is short enough for one page.
fn whole(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor) {
        Some(_) => Err(ErrorData::invalid_params("the list has a single page: no cursor", None)),
        None => Ok(()),
    }
}

/// Refuses a method whose capability the server does not declare.
fn declared<M: ConstString>(is_declared: bool) -> Result<(), ErrorData> {
    if is_declared { Ok(()) } else { Err(ErrorData::method_not_found::<M>()) }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        (*self.config).clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        if self.session.is_none() {
            capabilities::without_session(&mut result.capabilities);
        }
        cx.peer.set_peer_info(request);
        Ok(result)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(LISTING_TTL_MS)
            .with_cache_scope(self.scope))
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        whole(page)?;
        let (identity, client) = caller(&cx);
        let endpoint = &self.face(client.as_ref()).endpoint;
        let listing = endpoint.listing();
        if let Some(savings) = &self.savings {
            savings.add(&identity.principal, endpoint.cost(&listing).await);
        }
        let changes = !endpoint.policy.tables().providers.is_empty();
        let tools = listing.cards().iter().map(tool::tool).collect();
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(if changes { CHANGING_TTL_MS } else { LISTING_TTL_MS })
            .with_cache_scope(self.scope))
    }

    fn call_tool(
        &self,
        call: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + Send {
        let server = self.clone();
        self.run(async move { server.answer_call(call, cx).await })
    }

    async fn get_task(
        &self,
        task: GetTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::state(&caller(&cx).0.principal, &task.task_id).map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        task: UpdateTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::answer(&caller(&cx).0.principal, &task.task_id, task.input_responses)
    }

    async fn cancel_task(
        &self,
        task: CancelTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel(&caller(&cx).0.principal, &task.task_id)
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        declared::<ListResourcesRequestMethod>(self.config.capabilities.resources.is_some())?;
        whole(page)?;
        Ok(ListResourcesResult::with_all_items(self.faces.resources.clone())
            .with_ttl_ms(LISTING_TTL_MS)
            .with_cache_scope(self.scope))
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let is_declared = self.config.capabilities.resources.is_some();
        declared::<ListResourceTemplatesRequestMethod>(is_declared)?;
        whole(page)?;
        Ok(ListResourceTemplatesResult::with_all_items(self.faces.templates.clone())
            .with_ttl_ms(LISTING_TTL_MS)
            .with_cache_scope(self.scope))
    }

    fn read_resource(
        &self,
        read: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ReadResourceResponse, ErrorData>> + Send {
        let server = self.clone();
        self.run(async move { server.answer_read(read, cx).await })
    }

    async fn subscribe(
        &self,
        wish: SubscribeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let sends_news = capabilities::send_news(&self.config.capabilities);
        let session = self.session::<SubscribeRequestMethod>(sends_news)?;
        let endpoint = &self.faces.general.endpoint;
        if !endpoint.has_news(&wish.uri) {
            let data = json!({ "uri": wish.uri });
            return Err(ErrorData::resource_not_found("it sends no news", Some(data)));
        }
        session.subscribe(wish.uri, &self.engine.updates, cx.peer);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        wish: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let sends_news = capabilities::send_news(&self.config.capabilities);
        self.session::<UnsubscribeRequestMethod>(sends_news)?.unsubscribe(&wish.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        wanted: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        if !capabilities::send_news(&self.config.capabilities) {
            return None;
        }
        self.waiting.begin(&self.engine.updates);
        Some(subscription::granted(&self.faces.general.endpoint, wanted))
    }

    fn listen(
        &self,
        cx: SubscriptionContext,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send {
        Box::pin(subscription::listen(cx, self.waiting.take(&self.engine.updates)))
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        declared::<ListPromptsRequestMethod>(self.config.capabilities.prompts.is_some())?;
        whole(page)?;
        Ok(ListPromptsResult::with_all_items(self.faces.prompts.clone())
            .with_ttl_ms(LISTING_TTL_MS)
            .with_cache_scope(self.scope))
    }

    fn get_prompt(
        &self,
        get: GetPromptRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<GetPromptResponse, ErrorData>> + Send {
        let server = self.clone();
        self.run(async move { server.answer_get(get, cx).await })
    }

    fn complete(
        &self,
        complete: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CompleteResult, ErrorData>> + Send {
        let server = self.clone();
        self.run(async move { server.answer_complete(complete, cx).await })
    }

    async fn set_level(
        &self,
        wish: SetLevelRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let is_declared = self.logging && !dialogue::is_stateless(&cx);
        let session = self.session::<SetLevelRequestMethod>(is_declared)?;
        session.set_level(reports::level(wish.level));
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp hands over a request whose parameters do not parse as if its method were unknown.
        let capabilities = &self.config.capabilities;
        if capabilities::serve(capabilities, &request.method, dialogue::is_stateless(&cx)) {
            let message = format!("the parameters of {} do not have its shape", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }
}
