//! One row of the operation table per operation, and the texts that go with it.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::quote;
use toolwrit_manifest::{
    Alias, Deprecation, Effect, Example, Model, Operation, OperationId, Page, Shape, example,
    signature, wire,
};

use super::fields::{Fields, option};
use super::json;

/// Everything that the engine knows of an operation, the handler apart.
pub(super) fn row(model: &Model, fields: &mut Fields<'_>, id: OperationId) -> TokenStream {
    let operation = &model[id];
    let Operation { id, name, summary, .. } = operation;
    let Operation { idempotent, open_world, overwrites, select, confirm, dry_run, .. } = operation;
    let Operation { asks, tags, .. } = operation;
    let wire_name = wire_name(model, operation);
    let category = position(operation.category.index());
    let description = text(operation.description.as_deref());
    let effect = effect(operation.effect);
    let inputs = fields.table(&model.inputs(operation));
    let input_schema = wire::input_schema(model, operation);
    let returns = returns(model, operation);
    let signature = signature::signature(model, operation);
    let example = option(example::example(model, operation).map(|args| {
        let args = json(&args.into());
        quote!(#args)
    }));
    let examples = operation.examples.iter().map(self::example);
    let aliases = operation.aliases.iter().map(alias);
    let deprecated = option(operation.deprecated.as_ref().map(|old| deprecation(model, old)));
    let page = option(operation.page.map(page));
    let cache = option(operation.cache.map(duration));
    let timeout = duration(operation.timeout.unwrap_or(model.limits.timeout));
    let concurrency = option(operation.concurrency.map(|calls| quote!(#calls)));
    let result_bytes = operation.result_bytes.unwrap_or(model.limits.result_bytes);
    let requires = option(operation.requires.map(|provider| position(provider.index())));
    quote! {
        Operation {
            id: #id,
            name: #name,
            wire_name: #wire_name,
            category: #category,
            summary: #summary,
            description: #description,
            effect: #effect,
            idempotent: #idempotent,
            open_world: #open_world,
            overwrites: #overwrites,
            inputs: #inputs,
            input_schema: #input_schema,
            returns: #returns,
            signature: #signature,
            example: #example,
            examples: &[#(#examples),*],
            asks: &[#(#asks),*],
            tags: &[#(#tags),*],
            aliases: &[#(#aliases),*],
            deprecated: #deprecated,
            select: #select,
            page: #page,
            cache: #cache,
            timeout: #timeout,
            concurrency: #concurrency,
            result_bytes: #result_bytes,
            requires: #requires,
            confirm: #confirm,
            dry_run: #dry_run,
        }
    }
}

/// The name on the flat surface, the server's prefix included.
pub(super) fn wire_name(model: &Model, operation: &Operation) -> String {
    format!("{}{}", prefix(model), operation.wire_name)
}

/// What stands before every wire name.
pub(super) fn prefix(model: &Model) -> String {
    match model.server.prefix.as_str() {
        "" => String::new(),
        prefix => format!("{prefix}_"),
    }
}

/// An optional text.
pub(super) fn text(text: Option<&str>) -> TokenStream {
    option(text.map(|text| quote!(#text)))
}

/// A position in one of the tables. The language has far fewer of anything than 65,536.
pub(super) fn position(at: usize) -> TokenStream {
    let at = proc_macro2::Literal::usize_unsuffixed(at);
    quote!(#at)
}

fn effect(effect: Effect) -> TokenStream {
    match effect {
        Effect::Read => quote!(Effect::Read),
        Effect::Write => quote!(Effect::Write),
        Effect::Destroy => quote!(Effect::Destroy),
    }
}

fn returns(model: &Model, operation: &Operation) -> TokenStream {
    let Some(schema) = wire::output_schema(model, operation) else {
        return quote!(Returns::Text);
    };
    let shape = operation.returns.as_ref().map(|shape| model.resolve(shape));
    let is_object = matches!(shape, Some(Shape::Record(_) | Shape::Map(_)));
    let returns = if is_object { quote!(Object) } else { quote!(Wrapped) };
    quote!(Returns::#returns(#schema))
}

fn example(example: &Example) -> TokenStream {
    let args = json(&example.args.clone().into());
    let note = text(example.note.as_deref());
    quote!(Example { args: #args, note: #note })
}

fn alias(alias: &Alias) -> TokenStream {
    let name = &alias.name;
    let args = alias.args.iter().map(|(old, new)| quote!((#old, #new)));
    let set = alias.set.iter().map(|(name, value)| {
        let value = json(value);
        quote!((#name, #value))
    });
    quote!(Alias { name: #name, args: &[#(#args),*], set: &[#(#set),*] })
}

fn deprecation(model: &Model, deprecation: &Deprecation) -> TokenStream {
    let since = text(deprecation.since.as_deref());
    let replacement = text(deprecation.replacement.map(|id| model[id].id.as_str()));
    let note = text(deprecation.note.as_deref());
    quote! {
        Deprecation {
            since: #since,
            replacement: #replacement,
            note: #note,
        }
    }
}

fn page(page: Page) -> TokenStream {
    let Page { default, max } = page;
    quote!(Page { default: #default, max: #max })
}

fn duration(duration: Duration) -> TokenStream {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    quote!(Duration::new(#seconds, #nanos))
}
