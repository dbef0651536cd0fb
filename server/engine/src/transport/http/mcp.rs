//! `/mcp`, `/mcp/{surface}`, `/mcp/{surface}/{focus}`: a message to one face, answered by rmcp.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use http_body_util::Full;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::TxJsonRpcMessage;

use super::faces::Faces;
use super::refusal::Refusal;
use super::{Limits, body};
use crate::identity::Identity;
use crate::transport::line::{Line, parse};

/// What is behind the paths below `/mcp`.
pub(super) struct Door {
    pub(super) faces: Faces,
    pub(super) limits: Limits,
}

pub(super) async fn handle(
    State(door): State<Arc<Door>>,
    request: Request,
) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let identity = head.extensions.get::<Identity>().cloned().unwrap_or_default();
    let path = head.uri.path().strip_prefix("/mcp").unwrap_or_default();
    let service = door.faces.find(path, &head.headers, &identity)?;
    let is_message = head.method == Method::POST;
    let body = if is_message { body::read(body, door.limits).await? } else { Bytes::new() };
    let request = Request::from_parts(head, Full::new(body.clone()));
    let response = service.handle(request).await;
    if is_message && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        // Also rmcp's word for a body that it cannot parse, for which JSON-RPC has an answer.
        match parse(&body) {
            Line::Bad(error, id) => return Ok(not_a_message(error, id)),
            Line::Nothing => {
                let error = ErrorData::parse_error("the body holds no message", None);
                return Ok(not_a_message(error, None));
            }
            Line::Message(_) => {}
        }
    }
    Ok(response.map(Body::new))
}

fn not_a_message(error: ErrorData, id: Option<RequestId>) -> Response {
    let message: TxJsonRpcMessage<RoleServer> = JsonRpcMessage::error(error, id);
    let body = serde_json::to_vec(&message).unwrap_or_default();
    let json = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (StatusCode::BAD_REQUEST, json, body).into_response()
}
