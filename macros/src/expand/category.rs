//! A category's module: the structs of its operations, the trait that an author implements, and
//! the functions that call it.

use proc_macro2::TokenStream;
use quote::quote;
use toolwrit_manifest::{Category, Model, Operation, Returns};

use super::doc;
use super::types::{GeneratedTypes, serde_import};
use super::usage::TypeUsage;
use crate::names;

/// The module of one category, given its operations.
pub(super) fn module(model: &Model, category: &Category, operations: &[&Operation]) -> TokenStream {
    let about = doc(&category.summary);
    let module = names::module(category);
    let handlers = handlers(category, operations);
    let structs = structs(model, operations);
    let serde = serde_import(model);
    quote! {
        #about
        #[allow(missing_docs, rustdoc::all)]
        pub mod #module {
            #serde
            #handlers
            #(#structs)*
        }
    }
}

/// The parameters and the result of each operation.
fn structs(model: &Model, operations: &[&Operation]) -> Vec<TokenStream> {
    let declared = names::types();
    let mut types = GeneratedTypes::new(model, quote!(super::#declared::));
    for operation in operations {
        let params = names::params(operation);
        let about = format!("Parameters of `{}`.", operation.id);
        types.structure(&params, &model.handler_inputs(operation), Some(&about), TypeUsage::INPUT);
        let result = names::result(operation);
        let about = format!("Result of `{}`.", operation.id);
        match &operation.returns {
            Returns::Value(shape) => types.define(&result, shape, Some(&about), TypeUsage::OUTPUT),
            Returns::Text => types.alias(&result, &quote!(::std::string::String), &about),
            Returns::Content => types.alias(&result, &quote!(::toolwrit::Content), &about),
            Returns::Resource => {
                types.alias(&result, &quote!(::toolwrit::ResourceContents), &about);
            }
            Returns::Messages => types.alias(&result, &quote!(::toolwrit::PromptMessages), &about),
        }
    }
    types.items
}

fn handlers(category: &Category, operations: &[&Operation]) -> TokenStream {
    let about = doc(&format!("The handlers of the category `{}`.", category.name));
    let module = names::module(category);
    let message = format!("`{{Self}}` does not handle the category `{}`", category.name);
    let label = format!("needs `impl {module}::Handlers for {{Self}}`");
    let note = format!(
        "write `impl {module}::Handlers for {{Self}} {{}}` and let the compiler name the methods"
    );
    let methods = operations.iter().map(|operation| method(operation));
    quote! {
        #about
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        pub trait Handlers: ::std::marker::Send + ::std::marker::Sync + 'static {
            #(#methods)*
        }
    }
}

fn method(operation: &Operation) -> TokenStream {
    let about = match &operation.description {
        Some(description) => doc(&format!("{}\n\n{description}", operation.summary)),
        None => doc(&operation.summary),
    };
    let method = names::method(operation);
    let params = names::params(operation);
    let result = names::result(operation);
    let handler = if operation.page.is_some() {
        quote!(::toolwrit::generated::Paged<#result>)
    } else {
        quote!(::std::future::Future<Output = ::toolwrit::Result<#result>>)
    };
    quote! {
        #about
        fn #method(
            &self,
            cx: &::toolwrit::Context,
            p: #params,
        ) -> impl #handler + ::std::marker::Send;
    }
}
