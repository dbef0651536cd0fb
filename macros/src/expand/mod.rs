//! Writes a checked model as Rust: tables, types and calls, without logic. All names are absolute
//! paths, or imported by one where there are only tables, so nothing in the author's crate can
//! change their meaning.

mod authority;
mod category;
mod discovery;
mod dispatch;
mod errors;
mod fields;
mod merged;
mod operations;
mod policy;
#[cfg(test)]
mod tests;
mod types;
mod usage;

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;
use toolwrit_manifest::{BindingKind, Model, Operation};

use crate::tracking::Tracked;

/// The whole expansion: the items that authors use, then a block of items for the engine.
pub(crate) fn expand(model: &Model, files: &[Tracked]) -> TokenStream {
    let types = types::module(model);
    let categories = categories(model);
    let errors = errors::module(model);
    let tools = dispatch::tools();
    let impls = dispatch::impls(model);
    let tables = authority::tables(model, files);
    quote! {
        #types
        #(#categories)*
        #errors
        #tools
        const _: () = {
            #[allow(unused_imports)]
            use ::toolwrit::generated::{
                Alias, ArgValues, Authority, Begins, Box, Budget, Builtin, by_engine, Category,
                Context, Cookbook, DeclaredContext, DeclaredError, DeclaredProvider, Deprecation,
                Duration, EachItem, Effect, Example, Field, FocusMode, Joining, Mapping,
                MergedOperation, MergedTool, Name, None, Operation, PageSizes, Pattern, Presence,
                Prompt, RemovedTool, Resource, Returns, Role, RunningHandler,
                Served, ServerInfo, Sign, Some, Source, Tables, Task, TaskSupport,
                Toolset, Type,
            };
            #impls
            #tables
        };
    }
}

/// What a valid manifest needs of the engine: commands and MCP servers stop the build of a server without them.
pub(crate) fn requirements(model: &Model) -> TokenStream {
    let has = |kind: BindingKind| {
        let mut bindings = model.providers.iter().filter_map(|provider| provider.binding.as_ref());
        bindings.any(|binding| binding.kind == kind)
    };
    let commands =
        has(BindingKind::Command).then(|| quote!(::toolwrit::generated::requires_commands!();));
    let upstreams =
        has(BindingKind::Mcp).then(|| quote!(::toolwrit::generated::requires_upstreams!();));
    quote!(#commands #upstreams)
}

/// The expansion of a manifest that cannot be read.
pub(crate) fn nothing(files: &[Tracked]) -> TokenStream {
    let tools = dispatch::tools();
    let mentions = files.iter().map(Tracked::mention);
    quote!(#tools #(#mentions)*)
}

/// The modules of the categories that have handlers. Authors need not implement empty traits.
fn categories(model: &Model) -> Vec<TokenStream> {
    let categories = model.categories.iter().enumerate().map(|(at, category)| {
        let own = handled(model).filter(|operation| operation.category.index() == at);
        (category, own.collect::<Vec<_>>())
    });
    categories
        .filter(|(_, operations)| !operations.is_empty())
        .map(|(category, operations)| category::module(model, category, &operations))
        .collect()
}

/// The operations that an author writes a handler for.
fn handled(model: &Model) -> impl Iterator<Item = &Operation> {
    model.operations.iter().filter(|operation| model.is_handled(operation))
}

/// A doc comment with one line for each line of the text.
fn doc(text: &str) -> TokenStream {
    let lines = text.trim_end().lines().map(|line| format!(" {line}"));
    quote!(#(#[doc = #lines])*)
}

/// A value as JSON text for the tables.
fn json(value: &Value) -> String {
    value.to_string()
}
