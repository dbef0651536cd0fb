//! An endpoint as an MCP server. Besides the transports, the only room that names rmcp's types.

mod caller;
mod dialogue;
mod progress;
mod tasks;
mod tool;

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CustomRequest,
    CustomResult, DiscoverResult, ErrorData, GetTaskParams, GetTaskResult, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;

use crate::endpoint::{Answer, Endpoint, Engine, Request};
use crate::policy::Policy;
use crate::surface::{Look, Looks};
use caller::{caller, idempotency_key, trace};
use dialogue::Earlier;
use progress::Reports;

/// How long a client may keep a listing: surfaces change only when the server restarts.
const LISTING_TTL_MS: u64 = 3_600_000;
/// The same where operations need providers, which come and go.
const CHANGING_TTL_MS: u64 = 60_000;

/// Requests that rmcp hands over as unknown when their parameters do not parse.
const METHODS: [&str; 17] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

/// Serves an authority under one policy. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Server {
    faces: Arc<Faces>,
    config: Arc<ServerConfig>,
    scope: CacheScope,
    /// Some operation may go on as a task.
    has_tasks: bool,
}

/// What clients see: most of them the same.
struct Faces {
    general: Face,
    clients: Vec<(String, Face)>,
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
    pub(crate) fn new(engine: &Arc<Engine>, policy: &Policy, looks: &Looks) -> Self {
        let face = |look| Face::new(engine, policy, look);
        let clients = looks.clients.iter().map(|(name, look)| (name.clone(), face(*look)));
        let faces = Faces { general: face(looks.general), clients: clients.collect() };
        let authority = policy.authority;
        let server = &authority.server;
        let mut implementation = Implementation::new(server.name, server.version);
        implementation.title = server.title.map(str::to_owned);
        let has_tasks = authority.operations.iter().any(|operation| operation.task.is_some());
        let capabilities = ServerCapabilities::builder().enable_tools();
        let capabilities =
            if has_tasks { capabilities.enable_tasks().build() } else { capabilities.build() };
        let mut config = ServerConfig::new(capabilities).with_server_info(implementation);
        config.instructions = instructions(policy);
        let scope =
            if authority.roles.len() > 1 { CacheScope::Private } else { CacheScope::Public };
        Self { faces: Arc::new(faces), config: Arc::new(config), scope, has_tasks }
    }

    /// What the program of this name sees.
    fn face(&self, client: Option<&str>) -> &Face {
        let own = client.and_then(|client| {
            self.faces.clients.iter().find(|(name, _)| name.eq_ignore_ascii_case(client))
        });
        own.map_or(&self.faces.general, |(_, face)| face)
    }
}

/// What the model is told about the server as a whole, in its role.
fn instructions(policy: &Policy) -> Option<String> {
    let server = policy.authority.server.instructions;
    let parts: Vec<&str> = server.into_iter().chain(policy.persona()).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        (*self.config).clone()
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
        if page.is_some_and(|page| page.cursor.is_some()) {
            return Err(ErrorData::invalid_params("tools/list has a single page: no cursor", None));
        }
        let (principal, client) = caller(&cx);
        let endpoint = &self.face(client.as_deref()).endpoint;
        let listing = endpoint.listing();
        endpoint.sent(&principal, &listing);
        let changes = !endpoint.policy.authority.providers.is_empty();
        let tools = listing.cards().iter().map(tool::tool).collect();
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(if changes { CHANGING_TTL_MS } else { LISTING_TTL_MS })
            .with_cache_scope(self.scope))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (principal, client) = caller(&cx);
        let idempotency_key = idempotency_key(&cx);
        let endpoint = &self.face(client.as_deref()).endpoint;
        let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = call;
        let arguments = arguments.unwrap_or_default();
        let request =
            Request { principal, client, idempotency_key, trace: trace(&cx), ..Request::default() };
        let operation = if self.has_tasks { endpoint.operation(&name, &arguments) } else { None };
        if let Some(operation) = tasks::wanted(&cx, operation)? {
            let endpoint = endpoint.clone();
            let work = tasks::Work { endpoint, tool: name.into_owned(), arguments, request };
            return Ok(match tasks::begin(&cx, operation, work) {
                Ok(task) => task.into(),
                Err(fault) => tool::result(Answer::failure(&fault)).into(),
            });
        }
        let earlier = Earlier { responses: input_responses, state: request_state };
        let means = || json!(["tools/call", name, arguments]);
        let (dialogue, rounds) = dialogue::open(&cx, &request.principal, earlier, means)?;
        let reports = cx.meta.get_progress_token().map(|token| Reports::to(cx.peer, token));
        let progress = reports.as_ref().map(|reports| reports.sink.clone());
        let request = Request { dialogue, progress, cancellation: cx.ct, ..request };
        let mut answer = endpoint.call(&name, arguments, request).await;
        if let Some(reports) = reports {
            reports.end().await;
        }
        match (rounds, answer.pending.take()) {
            (Some(rounds), Some(pending)) => Ok(rounds.required(pending)?.into()),
            _ => Ok(tool::result(answer).into()),
        }
    }

    async fn get_task(
        &self,
        task: GetTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::state(&caller(&cx).0, &task.task_id).map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        task: UpdateTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::answer(&caller(&cx).0, &task.task_id, task.input_responses)
    }

    async fn cancel_task(
        &self,
        task: CancelTaskParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel(&caller(&cx).0, &task.task_id)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if METHODS.contains(&request.method.as_str()) {
            let message = format!("the parameters of {} do not have its shape", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }
}
