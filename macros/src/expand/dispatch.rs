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
        pub struct Tools<H>(H);
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
            const CALLS: &'static [for<'a> fn(
                &'a H,
                &'a ::toolwrit::Context,
                ::toolwrit::generated::Slots,
            ) -> ::toolwrit::generated::Running<'a>] = &[#(#calls),*];
        }

        impl<H: #bounds> ::toolwrit::generated::Toolset for Tools<H> {
            fn authority(&self) -> &'static ::toolwrit::generated::Authority {
                &AUTHORITY
            }

            fn call<'a>(
                &'a self,
                operation: usize,
                cx: &'a ::toolwrit::Context,
                arguments: ::toolwrit::generated::Slots,
            ) -> ::toolwrit::generated::Running<'a> {
                Self::CALLS[operation](&self.0, cx, arguments)
            }
        }

        impl<H: ::toolwrit::App #(+ #handlers)*> ::toolwrit::generated::Tools for Tools<H> {
            type App = H;

            const AUTHORITY: &'static ::toolwrit::generated::Authority = &AUTHORITY;

            fn new(app: H) -> Self {
                Self(app)
            }
        }
    }
}

/// The function that runs one operation, in the module of its category.
pub(super) fn call(operation: &Operation) -> TokenStream {
    let call = names::call(operation);
    let method = names::method(operation);
    let run = if operation.returns.is_some() { quote!(json) } else { quote!(text) };
    quote! {
        pub(super) fn #call<'a, H: Handlers>(
            app: &'a H,
            cx: &'a ::toolwrit::Context,
            arguments: ::toolwrit::generated::Slots,
        ) -> ::toolwrit::generated::Running<'a> {
            let slot = ::toolwrit::generated::Slot::Record(arguments);
            let p = ::toolwrit::generated::FromSlot::from_slot(slot);
            ::toolwrit::generated::#run(app.#method(cx, p))
        }
    }
}
