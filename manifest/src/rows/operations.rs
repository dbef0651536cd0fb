//! The row of each operation.

use std::sync::Arc;

use toolwrit_retrieval::Verbs;
use toolwrit_rows::{Deprecation, Example, Operation, PageSizes, Returns, Served};

use super::aliases::alias;
use super::search::analysis;
use super::{fields, json, position};
use crate::interface::{json_schema, signature};
use crate::model::{self, Model, OperationId};
use crate::values;

/// Everything that the engine knows of an operation.
pub(super) fn operation(model: &Model, id: OperationId, verbs: &Arc<Verbs>) -> Operation {
    let operation = &model[id];
    let example = values::example(model, operation);
    Operation {
        id: operation.id.clone(),
        name: operation.name.clone(),
        wire_name: model.wire_name(operation),
        category: position(operation.category.index()),
        summary: operation.summary.clone(),
        description: operation.description.clone(),
        effect: operation.effect,
        is_assumed: false,
        idempotent: operation.idempotent,
        open_world: operation.uses_network(),
        is_world_assumed: operation.open_world.is_none(),
        overwrites: operation.overwrites,
        inputs: fields::table(model, &model.inputs(operation)),
        input_schema: json_schema::input_schema(model, operation),
        returns: returns(model, operation),
        returns_tool_result: false,
        served: served(&operation.served),
        signature: signature::signature(model, operation),
        example: example.map(|args| json(&args.into())),
        examples: operation.examples.iter().map(manifest_example).collect(),
        analysis: analysis(model, operation, verbs),
        asks: operation.asks.clone(),
        tags: operation.tags.clone(),
        aliases: operation.aliases.iter().map(alias).collect(),
        deprecated: operation.deprecated.as_ref().map(|old| deprecation(model, old)),
        select: operation.select,
        page: operation.page.map(page),
        cache: operation.cache.map(|cache| cache.period),
        shared_cache: operation.cache.is_some_and(|cache| cache.shared),
        invalidates: operation.invalidates.iter().map(|id| position(id.index())).collect(),
        timeout: operation.timeout,
        retry: operation.retry,
        concurrency: operation.concurrency,
        result_bytes: model.result_bytes(operation),
        requires: operation.requires.map(|provider| position(provider.index())),
        errors: operation.errors.iter().map(|id| position(id.index())).collect(),
        confirm: operation.confirm,
        dry_run: operation.dry_run,
        task: operation.task,
        builtin: operation.builtin,
        binding: operation.binding.as_ref().map(|binding| json(&binding.table)),
        is_dynamic: false,
    }
}

fn returns(model: &Model, operation: &model::Operation) -> Returns {
    let schema = json_schema::output_schema(model, operation).unwrap_or_default();
    match &operation.returns {
        model::Returns::Text => Returns::Text,
        model::Returns::Content => Returns::Content,
        model::Returns::Resource => Returns::Resource,
        model::Returns::Messages => Returns::Messages,
        model::Returns::Value(_) if model.returns_object(operation) => Returns::Object(schema),
        model::Returns::Value(_) => Returns::Wrapped(schema),
    }
}

fn served(served: &model::Served) -> Served {
    match served {
        model::Served::Tool => Served::Tool,
        model::Served::Resource(id) => Served::Resource(position(id.index())),
        model::Served::Prompt(id) => Served::Prompt(position(id.index())),
        model::Served::Completion { of, argument } => {
            Served::Completion { of: position(of.index()), argument: argument.clone() }
        }
    }
}

fn manifest_example(example: &model::Example) -> Example {
    Example { args: json(&example.args.clone().into()), note: example.note.clone() }
}

fn deprecation(model: &Model, old: &model::Deprecation) -> Deprecation {
    let replacement = old.replacement.map(|id| model[id].id.clone());
    Deprecation { since: old.since.clone(), replacement, note: old.note.clone() }
}

fn page(page: model::PageSizes) -> PageSizes {
    PageSizes { default: page.default, max: page.max }
}
