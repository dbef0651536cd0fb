//! Reads resources, gets the messages of prompts, and completes their arguments.

use rmcp::model::{
    ArgumentInfo, ClientRequest, CompleteRequest, CompleteRequestParams, CompletionContext,
    GetPromptRequest, GetPromptRequestParams, ReadResourceRequest, ReadResourceRequestParams,
    Reference, ServerResult,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::result::{escaped_parts, fits};
use super::{blocks, custom, failed};
use crate::failure::{Failure, Result};
use toolwrit_text::shorten::visible_line;

/// Values of one completion.
const MAX_VALUES: usize = 100;
/// Length limit of a value, in characters.
const MAX_TEXT: usize = 500;

/// An argument of a resource or a prompt for which values are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Completion<'a> {
    /// What it belongs to.
    pub of: Completed<'a>,
    /// The name of the argument.
    pub argument: &'a str,
    /// What is typed so far.
    pub value: &'a str,
    /// The other arguments so far.
    pub arguments: &'a Map<String, Value>,
}

/// What an argument belongs to.
#[derive(Debug, Clone, Copy)]
pub enum Completed<'a> {
    /// The template of a resource.
    Resource(&'a str),
    /// The name of a prompt.
    Prompt(&'a str),
}

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

/// The request for values of an argument.
pub(crate) fn complete(wanted: &Completion<'_>) -> ClientRequest {
    let of = match wanted.of {
        Completed::Resource(uri) => Reference::for_resource(uri),
        Completed::Prompt(name) => Reference::for_prompt(name),
    };
    let argument = ArgumentInfo::new(wanted.argument, wanted.value);
    let filled = wanted.arguments.iter();
    let filled =
        filled.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    let filled = CompletionContext::with_arguments(filled.collect());
    let params = CompleteRequestParams::new(of, argument).with_context(filled);
    ClientRequest::CompleteRequest(CompleteRequest::new(params))
}

/// The values that can be named as they are.
pub(crate) fn values(result: ServerResult, what: &str) -> Result<Vec<String>> {
    match result {
        ServerResult::CompleteResult(result) => {
            let values = result.completion.values.into_iter().take(MAX_VALUES);
            Ok(values.filter(|value| visible_line(value, MAX_TEXT) == *value).collect())
        }
        other => Err(failed::unexpected(&other, what)),
    }
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
        other => match custom(&other).and_then(blocks::messages) {
            Some(messages) => parts(&messages, what),
            None => Err(failed::unexpected(&other, what)),
        },
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
