//! Faults as JSON-RPC errors, for methods whose results cannot express a failure, such as `resources/read`.
//! The error's data holds the same fault as a failed tool call.

use rmcp::model::{CustomRequest, ErrorCode, ErrorData};
use serde_json::Value;

use super::STATELESS;
use toolwrit_core::fault::{Code, Fault};
use toolwrit_text::shorten;

/// Converts the fault of a request that named something with this key and value.
pub(super) fn error(fault: &Fault, named: (&str, &str)) -> ErrorData {
    let code = match fault.code() {
        Code::NotFound | Code::ToolNotFound if named.0 == "uri" => ErrorCode::RESOURCE_NOT_FOUND,
        Code::Internal
        | Code::Timeout
        | Code::Cancelled
        | Code::UpstreamError
        | Code::UpstreamForbidden
        | Code::LimitExceeded => ErrorCode::INTERNAL_ERROR,
        _ => ErrorCode::INVALID_PARAMS,
    };
    let mut data = fault.to_json();
    data[named.0] = Value::from(named.1);
    ErrorData::new(code, fault.message().to_owned(), Some(data))
}

/// Returns the error for a method that the server does not have, or not for this client.
pub(super) fn no_method(method: &str, is_stateless: bool) -> ErrorData {
    let name = shorten::name(method);
    let mut message = format!("there is no method `{name}`");
    if is_stateless && matches!(method, "initialize" | "ping") {
        message = format!("{message} in revision {STATELESS}");
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

/// Returns the error for parameters that do not parse. Names those that are missing.
pub(super) fn misshapen(request: &CustomRequest) -> ErrorData {
    let required: &[&str] = match request.method.as_str() {
        "initialize" => &["protocolVersion", "capabilities", "clientInfo"],
        "tools/call" | "prompts/get" => &["name"],
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => &["uri"],
        "completion/complete" => &["ref", "argument"],
        _ => &[],
    };
    let has = |name: &str| request.params.as_ref().is_some_and(|params| params.get(name).is_some());
    let missing: Vec<String> =
        required.iter().filter(|name| !has(name)).map(|name| format!("`{name}`")).collect();
    let mut message = format!("the parameters of `{}` do not have the right shape", request.method);
    if !missing.is_empty() {
        message = format!("{message}; missing: {}", missing.join(", "));
    }
    ErrorData::invalid_params(message, None)
}

/// Returns the error for a request whose task panicked or was aborted.
pub fn broken_off() -> ErrorData {
    ErrorData::internal_error("the request was aborted by an error in the server", None)
}
