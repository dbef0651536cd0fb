//! The way from a position in the operation table to the author's handler: one small named function
//! per operation. Closures in a table would cost more than linear compile time.

use proc_macro2::TokenStream;
use quote::quote;
use toolwrit_manifest::{Model, Operation};

use crate::names;

/// The public struct that binds an application to the authority.
pub(super) fn tools() -> TokenStream {
    quote! {
        /// The authority's tools, carried out by `H`.
        #[allow(dead_code)]
        pub struct Tools<H>(::toolwrit::generated::Arc<H>);
    }
}

/// The engine's traits for [`tools`].
pub(super) fn impls(model: &Model) -> TokenStream {
    let served = model.categories.iter().enumerate().filter(|(at, _)| {
        model.operations.iter().any(|operation| operation.category.index() == *at)
    });
    let modules = served.map(|(_, category)| names::module(category));
    let handlers: Vec<_> = modules.map(|module| quote!(#module::Handlers)).collect();
    let bounds = quote!(::std::marker::Send + ::std::marker::Sync + 'static #(+ #handlers)*);
    let calls = model.operations.iter().map(|operation| {
        let module = names::module(&model[operation.category]);
        let call = names::call(operation);
        quote!(#module::#call::<H>)
    });
    quote! {
        impl<H: #bounds> Tools<H> {
            const CALLS: &'static [fn(
                ::toolwrit::generated::Arc<H>,
                ::toolwrit::Context,
                ::toolwrit::generated::Slots,
            ) -> ::toolwrit::generated::Running] = &[#(#calls),*];
        }

        impl<H: #bounds> ::toolwrit::generated::Toolset for Tools<H> {
            fn authority(&self) -> &'static ::toolwrit::generated::Authority {
                &AUTHORITY
            }

            fn call(
                &self,
                operation: usize,
                cx: ::toolwrit::Context,
                arguments: ::toolwrit::generated::Slots,
            ) -> ::toolwrit::generated::Running {
                Self::CALLS[operation](::toolwrit::generated::Arc::clone(&self.0), cx, arguments)
            }
        }

        impl<H: ::toolwrit::App #(+ #handlers)*> ::toolwrit::generated::Tools for Tools<H> {
            type App = H;

            const AUTHORITY: &'static ::toolwrit::generated::Authority = &AUTHORITY;

            fn new(app: H) -> Self {
                Self(::toolwrit::generated::Arc::new(app))
            }
        }
    }
}

/// The function that runs one operation, in the module of its category.
pub(super) fn call(operation: &Operation) -> TokenStream {
    let call = names::call(operation);
    let method = names::method(operation);
    let reply = if operation.returns.is_some() { quote!(json) } else { quote!(Text) };
    quote! {
        pub(super) fn #call<H: Handlers>(
            app: ::toolwrit::generated::Arc<H>,
            cx: ::toolwrit::Context,
            arguments: ::toolwrit::generated::Slots,
        ) -> ::toolwrit::generated::Running {
            ::std::boxed::Box::pin(async move {
                let slot = ::toolwrit::generated::Slot::Record(arguments);
                let p = ::toolwrit::generated::FromSlot::from_slot(slot);
                let result = app.#method(&cx, p).await;
                result.map(::toolwrit::generated::Reply::#reply)
            })
        }
    }
}
