//! `completion/complete` in rmcp's types.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};
use serde_json::{Map, Value};

use super::error::error;
use crate::endpoint::{self, Endpoint, Request};

pub(super) async fn complete(
    endpoint: &Endpoint,
    asked: CompleteRequestParams,
    request: Request,
) -> Result<CompleteResult, ErrorData> {
    let reference = match asked.r#ref {
        Reference::Prompt(prompt) => endpoint::Reference::Prompt(prompt.name),
        Reference::Resource(resource) => endpoint::Reference::Resource(resource.uri),
        _ => {
            return Err(ErrorData::invalid_params(
                "the type of `ref` is unknown: expected `ref/prompt` or `ref/resource`",
                None,
            ));
        }
    };
    let filled = asked.context.and_then(|context| context.arguments).unwrap_or_default();
    let filled: Map<String, Value> =
        filled.into_iter().map(|(name, value)| (name, value.into())).collect();
    let argument = asked.argument;
    let found =
        endpoint.complete(&reference, &argument.name, &argument.value, filled, request).await;
    let found = found.map_err(|fault| error(&fault, ("argument", &argument.name)))?;
    let (total, has_more) = (u32::try_from(found.total).ok(), found.has_more());
    let info = CompletionInfo::with_pagination(found.values, total, has_more);
    info.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
}
