//! Reads resources, and gets the messages of prompts.

use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, ReadResourceRequest,
    ReadResourceRequestParams, ServerResult,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::failed;
use super::result::{escaped_parts, fits};
use crate::failure::{Failure, Result};

/// The request for the contents of a resource.
pub(crate) fn read(uri: &str) -> ClientRequest {
    let params = ReadResourceRequestParams::new(uri);
    ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
}

/// The request for the messages of a prompt.
pub(crate) fn get(name: &str, arguments: &Map<String, Value>) -> ClientRequest {
    let params = GetPromptRequestParams::new(name).with_arguments(arguments.clone());
    ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
}

/// The contents of a resource, as JSON of MCP.
pub(crate) fn contents(result: ServerResult, what: &str) -> Result<Vec<Value>> {
    match result {
        ServerResult::ReadResourceResult(result) => parts(&result.contents, what),
        other => Err(failed::unexpected(&other, what)),
    }
}

/// The messages of a prompt, as JSON of MCP.
pub(crate) fn messages(result: ServerResult, what: &str) -> Result<Vec<Value>> {
    match result {
        ServerResult::GetPromptResult(result) => parts(&result.messages, what),
        other => Err(failed::unexpected(&other, what)),
    }
}

fn parts(parts: &impl Serialize, what: &str) -> Result<Vec<Value>> {
    let Ok(Value::Array(parts)) = serde_json::to_value(parts) else {
        return Err(Failure::upstream(format!("{what} is not JSON.")));
    };
    if !fits(&parts) {
        return Err(failed::too_large());
    }
    Ok(parts.into_iter().map(escaped_parts).collect())
}
