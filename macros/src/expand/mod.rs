//! A checked model as Rust: tables, types and calls, no logic. Everything is named by absolute
//! path, so nothing in the author's crate can change its meaning.

mod authority;
mod dispatch;
mod fields;
mod handlers;
mod operations;
mod policy;
mod types;
mod usage;

use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;
use toolwrit_manifest::{Model, OperationId};

use crate::names::Names;
use crate::tracking::Tracked;

/// The whole expansion: what an author names, then a block of what only the engine reaches.
pub(crate) fn expand(model: &Model, files: &[Tracked]) -> TokenStream {
    let names = Names::new(model);
    let types = types::module(model, &names);
    let categories = categories(model, &names);
    let tools = dispatch::tools();
    let calls = dispatch::calls(model, &names);
    let tables = authority::tables(model, &names, files);
    quote! {
        #types
        #(#categories)*
        #tools
        const _: () = {
            #calls
            #tables
        };
    }
}

/// What remains when a manifest cannot be read at all.
pub(crate) fn nothing(files: &[Tracked]) -> TokenStream {
    let tools = dispatch::tools();
    let mentions = files.iter().map(Tracked::mention);
    quote!(#tools #(#mentions)*)
}

/// The modules of the categories that have operations. An empty trait would have to be implemented
/// for nothing.
fn categories(model: &Model, names: &Names) -> Vec<TokenStream> {
    let categories = model.categories.iter().zip(names.categories()).enumerate();
    let modules = categories.filter_map(|(at, (category, module))| {
        let own = model.operation_ids().filter(|id| model[*id].category.index() == at);
        let operations: Vec<OperationId> = own.collect();
        (!operations.is_empty())
            .then(|| handlers::module(model, names, module, category, &operations))
    });
    modules.collect()
}

/// A doc comment, one line per line of the text.
fn doc(text: &str) -> TokenStream {
    let lines = text.trim_end().lines().map(|line| format!(" {line}"));
    quote!(#(#[doc = #lines])*)
}

/// A value as the JSON text that the tables hold.
fn json(value: &Value) -> String {
    value.to_string()
}
