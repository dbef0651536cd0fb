//! The tables of an authority, and the rows that are not about a single operation.

use toolwrit_core::authority::{
    Arena, Budget, Category, DeclaredError, DeclaredProvider, Joining, Name, ServerInfo, Source,
    Tables,
};
use toolwrit_manifest::{self as manifest, OperationName};

use crate::fields::Fields;
use crate::rows::{Rows, position};

/// The tables of a manifest.
pub(crate) fn tables<'a>(
    manifest: &manifest::Authority,
    version: &str,
    arena: &'a Arena,
) -> Tables<'a> {
    let model: &manifest::Model = manifest;
    let rows = Rows { model, arena };
    let mut fields = Fields::new(rows);
    let operations = model.operation_ids().map(|id| rows.operation(&mut fields, id));
    let budget = &model.budget;
    Tables {
        server: rows.server(version),
        budget: Budget { flat: budget.flat, dispatch: budget.dispatch, meta: budget.meta },
        concurrency: model.limits.concurrency,
        timeout: model.limits.timeout,
        session_calls: model.limits.session_calls,
        categories: arena.list(model.categories.iter().map(|own| rows.category(own))),
        operations: arena.list(operations),
        merged_tools: arena.list(model.merged.iter().map(|tool| rows.merged(tool))),
        removed_tools: arena.list(model.removed.iter().map(|tool| rows.removed(tool))),
        joining: arena.list(model.joining().map(joining)),
        names: arena.list(model.operation_names().iter().map(|name| rows.name(name))),
        focus: arena.list(model.focus_ids().map(|id| rows.focus_mode(id))),
        roles: arena.list(model.role_ids().map(|id| rows.role(id))),
        policy: rows.policy(),
        contexts: arena.list(model.contexts.iter().map(|context| rows.context(context))),
        providers: arena.list(model.providers.iter().map(|own| rows.provider(own))),
        errors: arena.list(model.errors.iter().map(|error| rows.error(error))),
        resources: arena.list(model.resource_ids().map(|id| rows.resource(id))),
        prompts: arena.list(model.prompt_ids().map(|id| rows.prompt(id))),
        cookbooks: arena.list(model.cookbook_ids().map(|id| rows.cookbook(id))),
        sources: arena.list(manifest.sources().beside_root().map(|(path, source)| Source {
            path: arena.text(path),
            text: arena.text(&source.text),
        })),
    }
}

/// A provider that may add operations to a category.
fn joining(joining: manifest::Joining) -> Joining {
    Joining {
        category: position(joining.category.index()),
        provider: position(joining.provider.index()),
        most: joining.most,
        whole: false,
    }
}

impl<'a> Rows<'_, 'a> {
    fn server(&self, version: &str) -> ServerInfo<'a> {
        let server = &self.model.server;
        ServerInfo {
            name: self.arena.text(&server.name),
            title: self.optional(server.title.as_deref()),
            version: self.arena.text(version),
            instructions: self.optional(server.instructions.as_deref()),
            prefix: self.arena.text(&self.model.wire_prefix()),
            logging: server.logging,
        }
    }

    fn category(&self, category: &manifest::Category) -> Category<'a> {
        Category {
            name: self.arena.text(&category.name),
            title: self.arena.text(&category.title),
            summary: self.arena.text(&category.summary),
            keywords: self.texts(&category.keywords),
            wire_name: self.arena.text(&category.wire_name),
            direct: category.direct,
        }
    }

    fn name(&self, name: &OperationName) -> Name<'a> {
        Name {
            name: self.arena.text(&name.name),
            operation: position(name.operation.index()),
            alias: name.alias.map(position),
        }
    }

    fn provider(&self, provider: &manifest::Provider) -> DeclaredProvider<'a> {
        DeclaredProvider {
            name: self.arena.text(&provider.name),
            title: self.arena.text(&provider.title),
            summary: self.arena.text(&provider.summary),
            binding: provider.binding.as_ref().map(|binding| self.json(&binding.table)),
        }
    }

    fn error(&self, error: &manifest::ErrorDef) -> DeclaredError<'a> {
        DeclaredError {
            code: self.arena.text(&error.name),
            summary: self.arena.text(&error.summary),
            hint: self.optional(error.hint.as_deref()),
            retryable: error.retryable,
        }
    }
}
