//! The row of each operation.

use toolwrit_rows::{Deprecation, Example, Operation, PageSizes, Returns, Served};

use super::aliases::alias;
use super::search::analysis;
use super::{fields, json, position};
use crate::model::{self, Model, OperationId};
use crate::{example, signature, wire};

/// Everything that the engine knows of an operation.
pub(super) fn operation(model: &Model, id: OperationId) -> Operation {
    let own = &model[id];
    let example = example::example(model, own);
    Operation {
        id: own.id.clone(),
        name: own.name.clone(),
        wire_name: model.wire_name(own),
        category: position(own.category.index()),
        summary: own.summary.clone(),
        description: own.description.clone(),
        effect: own.effect,
        is_assumed: false,
        idempotent: own.idempotent,
        open_world: own.uses_network(),
        is_world_assumed: own.open_world.is_none(),
        overwrites: own.overwrites,
        inputs: fields::table(model, &model.inputs(own)),
        input_schema: wire::input_schema(model, own),
        returns: returns(model, own),
        returns_tool_result: false,
        served: served(&own.served),
        signature: signature::signature(model, own),
        example: example.map(|args| json(&args.into())),
        examples: own.examples.iter().map(manifest_example).collect(),
        analysis: analysis(model, own),
        asks: own.asks.clone(),
        tags: own.tags.clone(),
        aliases: own.aliases.iter().map(alias).collect(),
        deprecated: own.deprecated.as_ref().map(|old| deprecation(model, old)),
        select: own.select,
        page: own.page.map(page),
        cache: own.cache.map(|cache| cache.period),
        shared_cache: own.cache.is_some_and(|cache| cache.shared),
        invalidates: own.invalidates.iter().map(|id| position(id.index())).collect(),
        timeout: own.timeout,
        retry: own.retry,
        concurrency: own.concurrency,
        result_bytes: model.result_bytes(own),
        requires: own.requires.map(|provider| position(provider.index())),
        errors: own.errors.iter().map(|id| position(id.index())).collect(),
        confirm: own.confirm,
        dry_run: own.dry_run,
        task: own.task,
        builtin: own.builtin,
        binding: own.binding.as_ref().map(|binding| json(&binding.table)),
        is_dynamic: false,
    }
}

fn returns(model: &Model, own: &model::Operation) -> Returns {
    let schema = wire::output_schema(model, own).unwrap_or_default();
    match &own.returns {
        model::Returns::Text => Returns::Text,
        model::Returns::Content => Returns::Content,
        model::Returns::Resource => Returns::Resource,
        model::Returns::Messages => Returns::Messages,
        model::Returns::Value(_) if model.returns_object(own) => Returns::Object(schema),
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
