//! Calls the author's handler for a position in the operation table: one small named function per
//! operation. Closures in a table would take more than linear compile time.

use proc_macro2::TokenStream;
use quote::quote;
use toolwrit_manifest::{Model, Operation};

use crate::names;

/// The public struct that binds an application to the authority.
pub(super) fn tools() -> TokenStream {
    quote! {
        /// The authority's tools, with `H` as their handlers.
        #[allow(dead_code)]
        pub struct Tools<H>(H);
    }
}

/// The engine's traits for [`tools`].
pub(super) fn impls(model: &Model) -> TokenStream {
    let served =
        model.categories.iter().enumerate().filter(|(at, _)| {
            super::handled(model).any(|operation| operation.category.index() == *at)
        });
    let modules = served.map(|(_, category)| names::module(category));
    let handlers: Vec<_> = modules.map(|module| quote!(#module::Handlers)).collect();
    let bounds = quote!(::std::marker::Send + ::std::marker::Sync + 'static #(+ #handlers)*);
    let operations = || model.operations.iter().enumerate();
    let calls = operations().map(|(at, operation)| {
        let call = names::call(at);
        if model.is_handled(operation) { quote!(#call::<H>) } else { quote!(by_engine::<H>) }
    });
    let functions = operations()
        .filter(|(_, operation)| model.is_handled(operation))
        .map(|(at, operation)| call(model, at, operation));
    let bound = bound_providers(model);
    quote! {

        #(#functions)*

        impl<H: #bounds> Tools<H> {
            const CALLS: &'static [for<'a> fn(
                &'a H,
                &'a Context,
                ArgValues,
            ) -> RunningHandler<'a>] = &[#(#calls),*];
        }

        impl<H: #bounds> Toolset for Tools<H> {
            fn authority(&self) -> Authority {
                AUTHORITY.clone()
            }

            fn call<'a>(
                &'a self,
                operation: usize,
                cx: &'a Context,
                arguments: ArgValues,
            ) -> RunningHandler<'a> {
                Self::CALLS[operation](&self.0, cx, arguments)
            }
        }

        impl<H: ::toolwrit::App #(+ #handlers)*> ::toolwrit::generated::Tools for Tools<H> {
            type App = H;

            fn compiled_authority() -> &'static Authority {
                &AUTHORITY
            }

            #bound

            fn new(app: H) -> Self {
                Self(app)
            }

            fn app(&self) -> &H {
                &self.0
            }
        }
    }
}

/// The providers to which operations are bound, if there are any.
fn bound_providers(model: &Model) -> Option<TokenStream> {
    let is_bound = model.providers.iter().any(|provider| provider.binding.is_some());
    is_bound.then(|| {
        quote! {
            fn bound_providers(
                settings: ::toolwrit::generated::ProviderTables,
            ) -> ::toolwrit::generated::Vec<
                ::toolwrit::generated::Arc<dyn ::toolwrit::generated::Supervised>,
            > {
                // Needs the feature `bindings` of the crate toolwrit.
                ::toolwrit::generated::bound_providers(AUTHORITY.tables(), settings)
            }
        }
    })
}

/// The function that runs one operation.
fn call(model: &Model, at: usize, operation: &Operation) -> TokenStream {
    let call = names::call(at);
    let module = names::module(&model[operation.category]);
    let method = names::method(operation);
    let params = names::params(operation);
    let inputs = model.handler_inputs(operation);
    let fields = inputs.iter().map(|field| names::member(&field.name));
    let arguments = if inputs.is_empty() { quote!(_) } else { quote!(mut arguments) };
    quote! {
        fn #call<'a, H: #module::Handlers>(
            app: &'a H,
            cx: &'a Context,
            #arguments: ArgValues,
        ) -> RunningHandler<'a> {
            let p = #module::#params { #(#fields: arguments.take(),)* };
            RunningHandler::new(Box::new(app.#method(cx, p)))
        }
    }
}
