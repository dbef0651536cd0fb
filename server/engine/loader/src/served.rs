//! MCP resources, prompts and cookbooks: what clients get beyond the fields of their operations.

use toolwrit_core::authority::{Cookbook, Prompt, Resource};
use toolwrit_manifest::{CookbookId, OperationId, PromptId, ResourceId};

use crate::rows::{Rows, position};

impl<'a> Rows<'_, 'a> {
    pub(crate) fn resource(&self, id: ResourceId) -> Resource<'a> {
        let own = &self.model[id];
        Resource {
            name: self.arena.text(&own.name),
            uri: self.arena.text(&own.uri),
            title: self.optional(own.title.as_deref()),
            description: None,
            mime_type: self.optional(own.mime_type.as_deref()),
            subscribe: own.subscribe,
            operation: found(self.model.reader_of(id)),
        }
    }

    pub(crate) fn prompt(&self, id: PromptId) -> Prompt<'a> {
        let own = &self.model[id];
        Prompt {
            name: self.arena.text(&own.name),
            title: self.optional(own.title.as_deref()),
            description: None,
            arguments: None,
            template: self.optional(own.template()),
            operation: found(self.model.renderer_of(id)),
        }
    }

    pub(crate) fn cookbook(&self, id: CookbookId) -> Cookbook<'a> {
        let own = &self.model[id];
        let prompt = self.model.prompt_of(id).and_then(|prompt| self.model.renderer_of(prompt));
        Cookbook {
            name: self.arena.text(&own.name),
            summary: self.arena.text(&own.summary),
            text: self.arena.text(&own.text),
            operations: self.arena.list(own.operations.iter().map(|id| position(id.index()))),
            prompt: found(prompt),
        }
    }
}

/// The position of the operation of a resource or a prompt, each of which has one.
fn found(operation: Option<OperationId>) -> u16 {
    position(operation.map_or(usize::MAX, OperationId::index))
}
