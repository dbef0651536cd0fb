//! The caller and the metadata of a request: client program, request id, idempotency key, trace.

use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{Implementation, NumberOrString};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::STATELESS;
use toolwrit_core::caller::origin::Origin;
use toolwrit_core::caller::principal::Identity;
use toolwrit_core::caller::sender::{ClientInfo, RequestId};
use toolwrit_core::caller::trace_parent::TraceParent;
use toolwrit_core::json::unique::Repeated;
use toolwrit_text::numbers::WrittenNumbers;

/// The key in `_meta` that holds the idempotency key.
const IDEMPOTENCY_KEY: &str = "toolwrit/idempotencyKey";
/// The HTTP header that holds it, as in the IETF [draft].
///
/// [draft]: https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
const IDEMPOTENCY_HEADER: &str = "idempotency-key";

/// Returns the caller's identity, over HTTP from the credential, and the client program. The program is
/// `None` if neither the request nor `initialize` names it.
pub(super) fn caller(cx: &RequestContext<RoleServer>) -> (Identity, Option<ClientInfo>) {
    let head = cx.extensions.get::<Parts>();
    let identity = head.and_then(|head| head.extensions.get::<Identity>().cloned());
    // If a stateless request names no program, rmcp fills in its own name.
    let is_placeholder = |name: &str| head.is_some() && name == Implementation::default().name;
    let client = client(cx).filter(|client| !is_placeholder(client.name()));
    (identity.unwrap_or_default(), client)
}

fn client(cx: &RequestContext<RoleServer>) -> Option<ClientInfo> {
    let client = |told: &Implementation| ClientInfo::new(&told.name, &told.version);
    match cx.peer.peer_info() {
        // `client_info` would find the same, but copies everything that the client sent in `initialize`.
        Some(told) if cx.meta.is_empty() && told.protocol_version < STATELESS => {
            Some(client(&told.client_info))
        }
        _ => cx.client_info().map(|told| client(&told)),
    }
}

/// Returns where the request comes from: its caller and client program, its id and its trace.
pub(super) fn origin(
    cx: &RequestContext<RoleServer>,
    identity: Identity,
    client: Option<ClientInfo>,
) -> Origin {
    let Identity { principal, attributes, .. } = identity;
    Origin { principal, attributes, client, request_id: Some(request_id(cx)), trace: trace(cx) }
}

/// Returns the JSON-RPC id of the request.
fn request_id(cx: &RequestContext<RoleServer>) -> RequestId {
    match &cx.id {
        NumberOrString::Number(number) => RequestId::Number(*number),
        NumberOrString::String(text) => RequestId::Text(text.clone()),
    }
}

/// Returns the idempotency key of the request, from `_meta` or from the HTTP header.
pub(super) fn idempotency_key(cx: &RequestContext<RoleServer>) -> Option<Value> {
    let header = || {
        let value = cx.extensions.get::<Parts>()?.headers.get(IDEMPOTENCY_HEADER)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into())
    };
    cx.meta.get(IDEMPOTENCY_KEY).cloned().or_else(header)
}

/// Returns the key that the transport found repeated in the request's arguments.
pub(super) fn repeated(cx: &RequestContext<RoleServer>) -> Option<Repeated> {
    let of_head = || cx.extensions.get::<Parts>()?.extensions.get::<Repeated>();
    cx.extensions.get::<Repeated>().or_else(of_head).cloned()
}

/// Returns the numbers of the request's arguments as the transport read them.
pub(super) fn numbers(cx: &RequestContext<RoleServer>) -> WrittenNumbers {
    let of_head = || cx.extensions.get::<Parts>()?.extensions.get::<WrittenNumbers>();
    cx.extensions.get::<WrittenNumbers>().or_else(of_head).cloned().unwrap_or_default()
}

/// Returns the trace that the request belongs to, from `_meta` or from the HTTP header.
fn trace(cx: &RequestContext<RoleServer>) -> Option<TraceParent> {
    if let Some(trace_parent) = cx.meta.get(TraceParent::KEY) {
        return TraceParent::parse(trace_parent.as_str()?);
    }
    let headers = &cx.extensions.get::<Parts>()?.headers;
    TraceParent::parse(headers.get(TraceParent::KEY)?.to_str().ok()?)
}
