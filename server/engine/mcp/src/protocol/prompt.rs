//! Prompts in rmcp's types.

use rmcp::model::{GetPromptResult, Prompt, PromptArgument};
use serde_json::{Map, Value};

use crate::endpoint::{Endpoint, Request};
use toolwrit_core::authority::{self, Field, Presence};
use toolwrit_core::dialogue::Interrupt;
use toolwrit_core::fault::Fault;

pub(super) fn prompts(endpoint: &Endpoint) -> Vec<Prompt> {
    let described = endpoint.prompts().map(|(row, operation)| {
        let arguments: Vec<PromptArgument> = match &row.arguments {
            Some(arguments) => arguments.iter().map(offered).collect(),
            None => operation.inputs.iter().map(argument).collect(),
        };
        let arguments = (!arguments.is_empty()).then_some(arguments);
        let description = row.description.as_ref().unwrap_or(&operation.summary);
        let mut prompt = Prompt::new(row.name.as_str(), Some(description), arguments);
        prompt.title.clone_from(&row.title);
        prompt
    });
    described.collect()
}

fn offered(row: &authority::PromptArgument) -> PromptArgument {
    let argument = PromptArgument::new(row.name.as_str()).with_required(row.required);
    match &row.description {
        None => argument,
        Some(description) => argument.with_description(description),
    }
}

fn argument(field: &Field) -> PromptArgument {
    let argument = PromptArgument::new(field.name.as_str());
    let argument = argument.with_required(field.presence == Presence::Required);
    match field.description.as_str() {
        "" => argument,
        description => argument.with_description(description),
    }
}

pub(super) async fn get(
    endpoint: &Endpoint,
    name: &str,
    arguments: Map<String, Value>,
    request: Request,
) -> Result<GetPromptResult, Interrupt> {
    let (description, messages) = endpoint.messages(name, arguments, request).await?;
    let messages = serde_json::from_value(messages);
    let messages = messages.map_err(|error| Fault::internal(error.to_string()))?;
    Ok(GetPromptResult::new(messages).with_description(description))
}
