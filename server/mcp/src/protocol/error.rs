//! Failures where MCP has no result for them, as with resources and prompts: errors of JSON-RPC,
//! with the same account in their data.

use rmcp::model::{ErrorCode, ErrorData};
use serde_json::Value;

use toolwrit_core::fault::{Code, Fault};

/// The error of a request that named something by this key and value.
pub(super) fn error(fault: &Fault, named: (&str, &str)) -> ErrorData {
    let code = match fault.code() {
        Code::NotFound | Code::ToolNotFound if named.0 == "uri" => ErrorCode::RESOURCE_NOT_FOUND,
        Code::Internal
        | Code::Timeout
        | Code::Cancelled
        | Code::UpstreamError
        | Code::LimitExceeded => ErrorCode::INTERNAL_ERROR,
        _ => ErrorCode::INVALID_PARAMS,
    };
    let mut data = fault.to_json();
    data[named.0] = Value::from(named.1);
    ErrorData::new(code, fault.message().to_owned(), Some(data))
}

/// The error of a request whose task broke off.
pub fn broken_off() -> ErrorData {
    ErrorData::internal_error("the request broke off", None)
}
