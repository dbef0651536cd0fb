//! MCP resources, prompts and cookbooks: what clients get beyond the fields of their operations.

use toolwrit_rows::{Cookbook, Prompt, Resource};

use super::position;
use crate::model::{CookbookId, Model, OperationId, PromptId, ResourceId};

pub(super) fn resource(model: &Model, id: ResourceId) -> Resource {
    let resource = &model[id];
    Resource {
        name: resource.name.clone(),
        uri: resource.uri.clone(),
        title: resource.title.clone(),
        description: None,
        mime_type: resource.mime_type.clone(),
        subscribe: resource.subscribe,
        operation: found(model.reader_of(id)),
    }
}

pub(super) fn prompt(model: &Model, id: PromptId) -> Prompt {
    let prompt = &model[id];
    Prompt {
        name: prompt.name.clone(),
        title: prompt.title.clone(),
        description: None,
        arguments: None,
        template: prompt.template().map(str::to_owned),
        operation: found(model.renderer_of(id)),
    }
}

pub(super) fn cookbook(model: &Model, id: CookbookId) -> Cookbook {
    let cookbook = &model[id];
    let prompt = model.prompt_of(id).and_then(|prompt| model.renderer_of(prompt));
    Cookbook {
        name: cookbook.name.clone(),
        summary: cookbook.summary.clone(),
        text: cookbook.text.clone(),
        operations: cookbook.operations.iter().map(|id| position(id.index())).collect(),
        prompt: found(prompt),
    }
}

/// The position of the operation of a resource or a prompt, each of which has one.
fn found(operation: Option<OperationId>) -> u16 {
    position(operation.map_or(usize::MAX, OperationId::index))
}
