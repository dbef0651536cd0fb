//! A category's module: the structs of its operations and the trait that an author implements.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use toolwrit_manifest::{Category, Model, Operation, OperationId};

use super::doc;
use super::types::Types;
use super::usage::Usage;
use crate::names::{Names, TYPES};

/// The module of one category, given its operations.
pub(super) fn module(
    model: &Model,
    names: &Names,
    module: &Ident,
    category: &Category,
    operations: &[OperationId],
) -> TokenStream {
    let declared = Ident::new(TYPES, Span::call_site());
    let scope = names.category_scope(operations);
    let mut types = Types::new(model, names, scope, quote!(super::#declared::));
    for id in operations {
        let (operation, own) = (&model[*id], names.operation(*id));
        let about = format!("Parameters of `{}`.", operation.id);
        types.record(&own.params, &model.inputs(operation), Some(&about), Usage::INPUT);
        let about = format!("Result of `{}`.", operation.id);
        match &operation.returns {
            Some(shape) => types.define(&own.result, shape, Some(&about), Usage::OUTPUT),
            None => types.text(&own.result, &about),
        }
    }
    let structs = types.items;
    let handlers = handlers(model, names, module, category, operations);
    let doc = doc(&category.summary);
    quote! {
        #doc
        #[allow(missing_docs, rustdoc::all)]
        pub mod #module {
            #handlers
            #(#structs)*
        }
    }
}

fn handlers(
    model: &Model,
    names: &Names,
    module: &Ident,
    category: &Category,
    operations: &[OperationId],
) -> TokenStream {
    let about = doc(&format!("What carries out the category `{}`.", category.name));
    let message = format!("`{{Self}}` does not handle the category `{}`", category.name);
    let label = format!("needs `impl {module}::Handlers for {{Self}}`");
    let note = format!(
        "write `impl {module}::Handlers for {{Self}} {{}}` and let the compiler name the methods"
    );
    let methods = operations.iter().map(|id| {
        let docs = method_docs(&model[*id]);
        let own = names.operation(*id);
        let (method, params, result) = (&own.method, &own.params, &own.result);
        quote! {
            #docs
            fn #method(
                &self,
                cx: &::toolwrit::Context,
                p: #params,
            ) -> impl ::std::future::Future<Output = ::toolwrit::Result<#result>> + ::std::marker::Send;
        }
    });
    quote! {
        #about
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        pub trait Handlers: ::std::marker::Send + ::std::marker::Sync + 'static {
            #(#methods)*
        }
    }
}

/// The summary, then the longer text as a paragraph of its own.
fn method_docs(operation: &Operation) -> TokenStream {
    match &operation.description {
        Some(description) => doc(&format!("{}\n\n{description}", operation.summary)),
        None => doc(&operation.summary),
    }
}
