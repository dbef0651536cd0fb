//! Writes a checked model as Rust: types, traits and calls, without logic, and its rows as bytes. All names are
//! absolute paths, or imported by one where there is only code of the engine, so nothing in the author's crate can
//! change their meaning.

mod category;
mod dispatch;
mod errors;
#[cfg(test)]
mod tests;
mod types;
mod usage;

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use toolwrit_manifest::{BindingKind, Model, Operation};

use crate::tracking::Tracked;

/// The whole expansion: the items that authors use, then a block of items for the engine. `rows` are those of the
/// model as bytes.
pub(crate) fn expand(model: &Model, rows: &[u8], files: &[Tracked]) -> TokenStream {
    let types = types::module(model);
    let categories = categories(model);
    let errors = errors::module(model);
    let tools = dispatch::tools();
    let mentions = files.iter().map(Tracked::mention);
    let impls = dispatch::impls(model);
    let rows = Literal::byte_string(rows);
    quote! {
        #types
        #(#categories)*
        #errors
        #tools
        #(#mentions)*
        const _: () = {
            #[allow(unused_imports)]
            use ::toolwrit::generated::{
                ArgValues, Authority, Box, by_engine, Context, LazyLock, read_authority,
                RunningHandler, Toolset,
            };
            #impls
            static AUTHORITY: LazyLock<Authority> =
                LazyLock::new(|| read_authority(ROWS, ::std::env!("CARGO_PKG_VERSION")));
            static ROWS: &[u8] = #rows;
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
        let operations = handled(model).filter(|operation| operation.category.index() == at);
        (category, operations.collect::<Vec<_>>())
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
