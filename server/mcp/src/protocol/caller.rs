//! Who sends a request, and what they call it.

use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{Implementation, NumberOrString};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::STATELESS;
use toolwrit_core::principal::Identity;
use toolwrit_core::sender::{ClientInfo, RequestId};
use toolwrit_core::trace_parent::TraceParent;
use toolwrit_core::unique::Repeated;

/// Where a request's `_meta` carries its idempotency key.
const IDEMPOTENCY_KEY: &str = "toolwrit/idempotencyKey";
/// The same over HTTP, after the [draft] that others follow.
///
/// [draft]: https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
const IDEMPOTENCY_HEADER: &str = "idempotency-key";

/// Who asks, and with which program. Over HTTP the credential tells who. The program describes itself
/// in the request, or did so when the session began; without either it is not known.
pub(super) fn caller(cx: &RequestContext<RoleServer>) -> (Identity, Option<ClientInfo>) {
    let head = cx.extensions.get::<Parts>();
    let identity = head.and_then(|head| head.extensions.get::<Identity>().cloned());
    // Where a request stands for itself and names no program, the SDK puts its own name.
    let is_nobody = |name: &str| head.is_some() && name == Implementation::default().name;
    let client = client(cx).filter(|client| !is_nobody(client.name()));
    (identity.unwrap_or_default(), client)
}

fn client(cx: &RequestContext<RoleServer>) -> Option<ClientInfo> {
    let client = |told: &Implementation| ClientInfo::new(&told.name, &told.version);
    match cx.peer.peer_info() {
        // What `client_info` would find, too, in a copy of all that the client told of itself.
        Some(told) if cx.meta.is_empty() && told.protocol_version < STATELESS => {
            Some(client(&told.client_info))
        }
        _ => cx.client_info().map(|told| client(&told)),
    }
}

/// What the client calls the request.
pub(super) fn request_id(cx: &RequestContext<RoleServer>) -> RequestId {
    match &cx.id {
        NumberOrString::Number(number) => RequestId::Number(*number),
        NumberOrString::String(text) => RequestId::Text(text.clone()),
    }
}

/// The key of the request: in its `_meta`, or over HTTP in the header of that name.
pub(super) fn idempotency_key(cx: &RequestContext<RoleServer>) -> Option<Value> {
    let header = || {
        let value = cx.extensions.get::<Parts>()?.headers.get(IDEMPOTENCY_HEADER)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into())
    };
    cx.meta.get(IDEMPOTENCY_KEY).cloned().or_else(header)
}

/// The key that the transport found twice in the request's arguments.
pub(super) fn repeated(cx: &RequestContext<RoleServer>) -> Option<Repeated> {
    let of_head = || cx.extensions.get::<Parts>()?.extensions.get::<Repeated>();
    cx.extensions.get::<Repeated>().or_else(of_head).cloned()
}

/// The trace that the request belongs to: in its `_meta`, or over HTTP in the header of that name.
pub(super) fn trace(cx: &RequestContext<RoleServer>) -> Option<TraceParent> {
    if let Some(own) = cx.meta.get(TraceParent::KEY) {
        return TraceParent::parse(own.as_str()?);
    }
    let headers = &cx.extensions.get::<Parts>()?.headers;
    TraceParent::parse(headers.get(TraceParent::KEY)?.to_str().ok()?)
}
