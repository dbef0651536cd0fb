//! The row of each operation in the operation table, with its texts.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use toolwrit_manifest::{
    Alias, ArgumentPath, Begins, Builtin, Deprecation, EachItem, Effect, Example, Mapping, Model,
    Operation, OperationId, PageSizes, Returns, Served, Task, TaskSupport, example, signature,
    wire,
};

use super::discovery;
use super::fields::{Fields, option};
use super::json;

/// Everything that the engine knows of an operation, except its handler. Default values are left
/// out, because most entries have them and each line lengthens the author's build.
pub(super) fn row(model: &Model, fields: &mut Fields<'_>, id: OperationId) -> TokenStream {
    let operation = &model[id];
    let Operation { id, name, summary, .. } = operation;
    let wire_name = model.wire_name(operation);
    let category = position(operation.category.index());
    let effect = effect(operation.effect);
    let inputs = fields.table(&model.inputs(operation));
    let input_schema = wire::input_schema(model, operation);
    let returns = returns(model, operation);
    let signature = signature::signature(model, operation);
    let result_bytes = model.result_bytes(operation);
    let served = served(operation);
    let more = more(model, operation);
    quote! {
        Operation {
            id: #id,
            name: #name,
            wire_name: #wire_name,
            category: #category,
            summary: #summary,
            effect: #effect,
            inputs: #inputs,
            input_schema: #input_schema,
            returns: #returns,
            signature: #signature,
            result_bytes: #result_bytes,
            #served
            #more
            ..Operation::BARE
        }
    }
}

/// The entries of a row without default values.
fn more(model: &Model, operation: &Operation) -> TokenStream {
    let Operation { idempotent, open_world, overwrites, select, confirm, dry_run, .. } = *operation;
    let example = example::example(model, operation).map(|args| {
        let args = json(&args.into());
        quote!(#args)
    });
    let entries = [
        ("description", operation.description.as_deref().map(|text| quote!(#text))),
        ("example", example),
        ("deprecated", operation.deprecated.as_ref().map(|old| deprecation(model, old))),
        ("page", operation.page.map(page)),
        ("cache", operation.cache.map(|cache| duration(cache.period))),
        ("timeout", operation.timeout.map(duration)),
        ("retry", operation.retry.map(|times| quote!(#times))),
        ("concurrency", operation.concurrency.map(|calls| quote!(#calls))),
        ("requires", operation.requires.map(|provider| position(provider.index()))),
        ("task", operation.task.map(task)),
        ("builtin", operation.builtin.map(builtin)),
        (
            "binding",
            operation
                .binding
                .as_ref()
                .map(|binding| json(&binding.table))
                .map(|table| quote!(#table)),
        ),
    ];
    let entries = entries.into_iter().map(|(key, value)| (key, value.map(|v| quote!(Some(#v)))));
    let lists = [
        ("examples", operation.examples.iter().map(self::example).collect()),
        ("asks", texts(&operation.asks)),
        ("tags", texts(&operation.tags)),
        ("invalidates", operation.invalidates.iter().map(|id| position(id.index())).collect()),
        ("errors", operation.errors.iter().map(|id| position(id.index())).collect()),
        ("aliases", operation.aliases.iter().map(alias).collect()),
    ];
    let lists = lists.into_iter().map(|(key, items): (_, Vec<TokenStream>)| {
        (key, (!items.is_empty()).then(|| quote!(&[#(#items),*])))
    });
    let flags = [
        ("idempotent", idempotent),
        ("open_world", operation.uses_network()),
        ("is_world_assumed", open_world.is_none()),
        ("overwrites", overwrites),
        ("select", select),
        ("confirm", confirm),
        ("dry_run", dry_run),
        ("shared_cache", operation.cache.is_some_and(|cache| cache.shared)),
    ];
    let flags = flags.into_iter().map(|(key, is_set)| (key, is_set.then(|| quote!(true))));
    entries
        .chain([("analysis", discovery::analysis(model, operation))])
        .chain(lists)
        .chain(flags)
        .filter_map(|(key, value)| value.map(|value| (format_ident!("{key}"), value)))
        .map(|(key, value)| quote!(#key: #value,))
        .collect()
}

fn texts(texts: &[String]) -> Vec<TokenStream> {
    texts.iter().map(|text| quote!(#text)).collect()
}

/// An optional text.
pub(super) fn text(text: Option<&str>) -> TokenStream {
    option(text.map(|text| quote!(#text)))
}

/// A position in one of the tables; the tables have far fewer than 65,536 entries.
pub(super) fn position(at: usize) -> TokenStream {
    let at = proc_macro2::Literal::usize_unsuffixed(at);
    quote!(#at)
}

/// The effect of an operation.
pub(super) fn effect(effect: Effect) -> TokenStream {
    match effect {
        Effect::Read => quote!(Effect::Read),
        Effect::Write => quote!(Effect::Write),
        Effect::Destroy => quote!(Effect::Destroy),
    }
}

fn task(task: Task) -> TokenStream {
    let support = match task.support {
        TaskSupport::Optional => quote!(TaskSupport::Optional),
        TaskSupport::Required => quote!(TaskSupport::Required),
    };
    let begins = match task.begins {
        Begins::AtOnce => quote!(Begins::AtOnce),
        Begins::ByHandler => quote!(Begins::ByHandler),
    };
    quote!(Task { support: #support, begins: #begins })
}

/// The operation of the engine.
fn builtin(builtin: Builtin) -> TokenStream {
    match builtin {
        Builtin::Introspect => quote!(Builtin::Introspect),
        Builtin::ListRoles => quote!(Builtin::ListRoles),
        Builtin::LoadRole => quote!(Builtin::LoadRole),
        Builtin::ListCookbooks => quote!(Builtin::ListCookbooks),
        Builtin::GetCookbook => quote!(Builtin::GetCookbook),
        Builtin::BatchGet => quote!(Builtin::BatchGet),
        Builtin::Metrics => quote!(Builtin::Metrics),
        Builtin::SeedTestData => quote!(Builtin::SeedTestData),
    }
}

fn returns(model: &Model, operation: &Operation) -> TokenStream {
    let schema = wire::output_schema(model, operation);
    match &operation.returns {
        Returns::Text => quote!(Returns::Text),
        Returns::Content => quote!(Returns::Content),
        Returns::Resource => quote!(Returns::Resource),
        Returns::Messages => quote!(Returns::Messages),
        Returns::Value(_) if model.returns_object(operation) => quote!(Returns::Object(#schema)),
        Returns::Value(_) => quote!(Returns::Wrapped(#schema)),
    }
}

/// How clients see it, if it is not a tool.
fn served(operation: &Operation) -> Option<TokenStream> {
    let served = match &operation.served {
        Served::Tool => return None,
        Served::Resource(id) => {
            let at = position(id.index());
            quote!(Resource(#at))
        }
        Served::Prompt(id) => {
            let at = position(id.index());
            quote!(Prompt(#at))
        }
        Served::Completion { of, argument } => {
            let of = position(of.index());
            quote!(Completion { of: #of, argument: #argument })
        }
    };
    Some(quote!(served: Served::#served,))
}

fn example(example: &Example) -> TokenStream {
    let args = json(&example.args.clone().into());
    let note = text(example.note.as_deref());
    quote!(Example { args: #args, note: #note })
}

fn alias(alias: &Alias) -> TokenStream {
    let Alias { name, mapping } = alias;
    let mapping = self::mapping(mapping);
    quote!(Alias { name: #name, mapping: #mapping })
}

/// Default values are left out, as in [`row`].
fn mapping(mapping: &Mapping) -> TokenStream {
    let Mapping { flatten, ignore, args, values, set, each } = mapping;
    let args = args.iter().map(|(old, now)| {
        let now = argument_path(now);
        quote!((#old, #now))
    });
    let values = values.iter().map(|(path, values)| {
        let path = argument_path(path);
        let values = values.iter().map(|(old, now)| {
            let now = json(now);
            quote!((#old, #now))
        });
        quote!((#path, &[#(#values),*]))
    });
    let set = set.iter().map(|(path, value)| {
        let (path, value) = (argument_path(path), json(value));
        quote!((#path, #value))
    });
    let lists: [(&str, Vec<TokenStream>); 6] = [
        ("flatten", texts(flatten)),
        ("ignore", ignore.iter().map(argument_path).collect()),
        ("args", args.collect()),
        ("values", values.collect()),
        ("set", set.collect()),
        ("each", each.iter().map(each_item).collect()),
    ];
    if lists.iter().all(|(_, items)| items.is_empty()) {
        return quote!(Mapping::SAME);
    }
    let rest = lists.iter().any(|(_, items)| items.is_empty()).then(|| quote!(..Mapping::SAME));
    let lists = lists.into_iter().filter(|(_, items)| !items.is_empty()).map(|(key, items)| {
        let key = format_ident!("{key}");
        quote!(#key: &[#(#items),*],)
    });
    quote!(Mapping { #(#lists)* #rest })
}

fn each_item(each: &EachItem) -> TokenStream {
    let EachItem { from, into, item, id, mapping } = each;
    let into = argument_path(into);
    let item = option(item.as_ref().map(argument_path));
    let id = option(id.as_ref().map(argument_path));
    let mapping = self::mapping(mapping);
    quote!(EachItem { from: #from, into: #into, item: #item, id: #id, mapping: #mapping })
}

fn argument_path(path: &ArgumentPath) -> TokenStream {
    let keys = path.keys();
    quote!(&[#(#keys),*])
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

fn page(page: PageSizes) -> TokenStream {
    let PageSizes { default, max } = page;
    quote!(PageSizes { default: #default, max: #max })
}

/// A duration.
pub(super) fn duration(duration: Duration) -> TokenStream {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    quote!(Duration::new(#seconds, #nanos))
}
