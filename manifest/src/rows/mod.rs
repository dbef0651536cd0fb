//! The rows of an authority, from its checked model. The macro embeds them in an author's crate, and a server that
//! loads a manifest makes them when it starts. There is a file for each kind of rows.

mod access;
mod aliases;
mod fields;
mod merged;
mod operations;
mod search;
mod served;
mod server;

use std::sync::Arc;

use serde_json::Value;
use toolwrit_rows::{Budget, Name, Source, Tables};

use crate::authority::Authority;
use crate::diagnostics::{self, Sources};
use crate::model::{Model, OperationName};

/// Makes the rows of a manifest. `version` is that of the program that serves it.
pub fn tables(manifest: &Authority, version: &str) -> Tables {
    let model: &Model = manifest;
    let budget = &model.budget;
    let verbs = Arc::new(search::verbs(model));
    let mut tables = Tables {
        server: server::server(model, version),
        budget: Budget { flat: budget.flat, dispatch: budget.dispatch, meta: budget.meta },
        concurrency: model.limits.concurrency,
        timeout: model.limits.timeout,
        session_calls: model.limits.session_calls,
        categories: model.categories.iter().map(server::category).collect(),
        operations: model
            .operation_ids()
            .map(|id| operations::operation(model, id, &verbs).into())
            .collect(),
        merged_tools: model.merged.iter().map(|tool| merged::merged(model, tool)).collect(),
        removed_tools: model.removed.iter().map(merged::removed).collect(),
        joining: model.joining().map(server::joining).collect(),
        names: model.operation_names().into_iter().map(name).collect(),
        focus: model.focus_ids().map(|id| access::focus_mode(model, id)).collect(),
        roles: model.role_ids().map(|id| access::role(model, id)).collect(),
        policy: access::policy(model),
        contexts: model.contexts.iter().map(|context| access::context(model, context)).collect(),
        verbs: model.verbs.iter().map(search::verb).collect(),
        gaps: model.gaps.iter().map(search::gap).collect(),
        providers: model.providers.iter().map(server::provider).collect(),
        errors: model.errors.iter().map(server::error).collect(),
        resources: model.resource_ids().map(|id| served::resource(model, id)).collect(),
        prompts: model.prompt_ids().map(|id| served::prompt(model, id)).collect(),
        cookbooks: model.cookbook_ids().map(|id| served::cookbook(model, id)).collect(),
        sources: sources(manifest.sources()),
    };
    tables.share_patterns();
    tables
}

fn name(OperationName { name, operation, alias }: OperationName) -> Name {
    Name { name, operation: position(operation.index()), alias: alias.map(position) }
}

fn sources(sources: &Sources) -> Arc<[Source]> {
    let row = |(path, source): (&str, &diagnostics::Source)| Source {
        path: path.to_owned(),
        text: source.text.clone(),
    };
    sources.beside_root().map(row).collect()
}

/// A position in one of the tables. The language allows far fewer than 65,536 entries.
fn position(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}

/// A value as JSON text.
fn json(value: &Value) -> String {
    value.to_string()
}
