//! An endpoint as an MCP server. Besides the transports, the only file that names rmcp's types.

use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    CustomRequest, CustomResult, DiscoverResult, ErrorData, Implementation, ListToolsResult,
    MetaObject, PaginatedRequestParams, ProgressNotificationParam, ProgressToken,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::context::{Progress, ProgressSink};
use crate::endpoint::{Answer, Endpoint, Engine, Request};
use crate::identity::{Identity, Principal};
use crate::policy::Policy;
use crate::surface::{Card, Hints, Look, Looks};

/// How long a client may keep a listing: surfaces change only when the server restarts.
const LISTING_TTL_MS: u64 = 3_600_000;

/// Where a request's `_meta` carries its idempotency key.
const IDEMPOTENCY_KEY: &str = "toolwrit/idempotencyKey";
/// The same over HTTP, after the [draft] that others follow.
///
/// [draft]: https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
const IDEMPOTENCY_HEADER: &str = "idempotency-key";

/// Requests that rmcp hands over as unknown when their parameters do not parse.
const METHODS: [&str; 14] = [
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
];

/// Serves an authority under one policy. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Server {
    faces: Arc<Faces>,
    config: Arc<ServerConfig>,
    scope: CacheScope,
}

/// What clients see: most of them the same.
struct Faces {
    general: Face,
    clients: Vec<(String, Face)>,
}

struct Face {
    endpoint: Endpoint,
    tools: Vec<Tool>,
}

impl Face {
    fn new(engine: &Arc<Engine>, policy: &Policy, look: Look) -> Self {
        let Look { kind, split, profile } = look;
        let endpoint = Endpoint::new(engine.clone(), policy.clone(), kind, split, profile);
        let tools = endpoint.cards().iter().map(tool).collect();
        Self { endpoint, tools }
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
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut config = ServerConfig::new(capabilities).with_server_info(implementation);
        config.instructions = instructions(policy);
        let scope =
            if authority.roles.len() > 1 { CacheScope::Private } else { CacheScope::Public };
        Self { faces: Arc::new(faces), config: Arc::new(config), scope }
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

fn tool(card: &Card) -> Tool {
    let schema = card.input_schema.clone();
    let mut tool = Tool::new(card.name.clone(), card.description.clone(), schema)
        .with_annotations(annotations(card.hints));
    tool.title.clone_from(&card.title);
    tool.output_schema.clone_from(&card.output_schema);
    tool
}

/// The specification gives `destructiveHint` and `idempotentHint` meaning only on tools that write.
fn annotations(hints: Hints) -> ToolAnnotations {
    let annotations =
        ToolAnnotations::new().read_only(hints.read_only).open_world(hints.open_world);
    if hints.read_only {
        annotations
    } else {
        annotations.destructive(hints.destructive).idempotent(hints.idempotent)
    }
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
        let (_, client) = caller(&cx);
        let tools = self.face(client.as_deref()).tools.clone();
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LISTING_TTL_MS)
            .with_cache_scope(self.scope))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let token = cx.meta.get_progress_token();
        let reports = token.map(|token| Reports::to(cx.peer.clone(), token));
        let progress = reports.as_ref().map(|reports| reports.sink.clone());
        let (principal, client) = caller(&cx);
        let idempotency_key = idempotency_key(&cx);
        let endpoint = &self.face(client.as_deref()).endpoint;
        let request = Request { principal, client, idempotency_key, progress, cancellation: cx.ct };
        let arguments = call.arguments.unwrap_or_default();
        let answer = endpoint.call(&call.name, arguments, request).await;
        if let Some(reports) = reports {
            reports.end().await;
        }
        Ok(result(answer).into())
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

fn result(answer: Answer) -> CallToolResult {
    let mut content = vec![ContentBlock::text(answer.text)];
    let mut meta = None;
    if let Some(hint) = answer.migration {
        let mut object = MetaObject::default();
        object.0.insert("toolwrit/migration".to_owned(), hint.clone().into());
        meta = Some(object);
        content.push(ContentBlock::text(hint));
    }
    let mut result = if answer.is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = answer.structured;
    result.meta = meta;
    result
}

/// Who asks, and with which program. Over HTTP the credential tells who, and only the request itself
/// tells the program: there is no session that would have kept what `initialize` said.
fn caller(cx: &RequestContext<RoleServer>) -> (Principal, Option<Arc<str>>) {
    match cx.extensions.get::<Parts>() {
        Some(head) => {
            let identity = head.extensions.get::<Identity>().cloned().unwrap_or_default();
            let client = cx.meta.client_info().map(|client| client.name.into());
            (identity.principal, client)
        }
        None => (Principal::default(), cx.client_info().map(|client| client.name.into())),
    }
}

/// The key of the request: in its `_meta`, or over HTTP in the header of that name.
fn idempotency_key(cx: &RequestContext<RoleServer>) -> Option<Value> {
    let header = || {
        let value = cx.extensions.get::<Parts>()?.headers.get(IDEMPOTENCY_HEADER)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into())
    };
    cx.meta.get(IDEMPOTENCY_KEY).cloned().or_else(header)
}

/// A handler's progress on its way to the client, in order and before the result.
struct Reports {
    sink: ProgressSink,
    ended: CancellationToken,
    sending: JoinHandle<()>,
}

impl Reports {
    fn to(peer: Peer<RoleServer>, token: ProgressToken) -> Self {
        let (sink, mut reports) = mpsc::unbounded_channel::<Progress>();
        let ended = CancellationToken::new();
        let end = ended.clone();
        let sending = tokio::spawn(async move {
            loop {
                let report = tokio::select! {
                    report = reports.recv() => report,
                    () = end.cancelled(), if !reports.is_closed() => {
                        // What has been reported is still sent, but nothing is waited for.
                        reports.close();
                        continue;
                    }
                };
                let Some(report) = report else { break };
                let mut notification = ProgressNotificationParam::new(token.clone(), report.done);
                notification.total = report.total;
                notification.message = report.message;
                if peer.notify_progress(notification).await.is_err() {
                    break;
                }
            }
        });
        Self { sink, ended, sending }
    }

    /// Completes when everything reported has been sent. Blocking work that outlives its call may
    /// still hold the sink.
    async fn end(self) {
        self.ended.cancel();
        // A panic in it would be a defect of the SDK, and concerns reports alone.
        let _ = self.sending.await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::surface::{Card, Hints};

    /// Costs are measured on `Card::to_json`, so it must be what clients get, byte for byte.
    #[test]
    fn a_card_measures_what_is_sent() {
        let schema = serde_json::from_str(r#"{"type":"object","properties":{},"required":[]}"#);
        let schema = Arc::new(schema.unwrap());
        let changing =
            Hints { read_only: false, destructive: true, idempotent: false, open_world: true };
        let plain = Card {
            name: "vault_read".to_owned(),
            title: None,
            description: "Read a note.".to_owned(),
            input_schema: Arc::clone(&schema),
            output_schema: None,
            hints: Hints::LOOK,
        };
        let full = Card {
            title: Some("Read".to_owned()),
            output_schema: Some(schema),
            hints: changing,
            ..plain.clone()
        };
        for card in [plain, full] {
            let sent = serde_json::to_string(&super::tool(&card)).unwrap();
            assert_eq!(card.to_json().to_string(), sent);
        }
    }
}
