//! The way from a position in the operation table to the author's handler: one small named function
//! per operation. Closures in a table would cost more than linear compile time.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use toolwrit_manifest::{Model, OperationId};

use crate::names::{Names, TOOLS};

/// The public struct that binds an application to the authority.
pub(super) fn tools() -> TokenStream {
    let tools = tools_ident();
    quote! {
        /// The authority's tools, carried out by `H`.
        #[allow(dead_code)]
        pub struct #tools<H>(::toolwrit::generated::Arc<H>);
    }
}

/// The engine's traits for [`tools`], and the functions behind them.
pub(super) fn calls(model: &Model, names: &Names) -> TokenStream {
    let tools = tools_ident();
    let served = names.categories().iter().enumerate().filter(|(at, _)| {
        model.operations.iter().any(|operation| operation.category.index() == *at)
    });
    let handlers: Vec<_> = served.map(|(_, module)| quote!(#module::Handlers)).collect();
    let bounds = quote!(::std::marker::Send + ::std::marker::Sync + 'static #(+ #handlers)*);
    let functions = model.operation_ids().map(|id| function(model, names, id));
    let entries = model.operation_ids().map(|id| &names.operation(id).call);
    quote! {
        impl<H: #bounds> #tools<H> {
            const CALLS: &'static [fn(
                ::toolwrit::generated::Arc<H>,
                ::toolwrit::Context,
                ::toolwrit::generated::Slots,
            ) -> ::toolwrit::generated::Running] = &[#(#entries::<H>),*];
        }

        impl<H: #bounds> ::toolwrit::generated::Toolset for #tools<H> {
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

        impl<H: ::toolwrit::App #(+ #handlers)*> ::toolwrit::generated::Tools for #tools<H> {
            type App = H;

            const AUTHORITY: &'static ::toolwrit::generated::Authority = &AUTHORITY;

            fn new(app: H) -> Self {
                Self(::toolwrit::generated::Arc::new(app))
            }
        }

        #(#functions)*
    }
}

fn function(model: &Model, names: &Names, id: OperationId) -> TokenStream {
    let operation = &model[id];
    let module = &names.categories()[operation.category.index()];
    let (call, method) = (&names.operation(id).call, &names.operation(id).method);
    let reply = if operation.returns.is_some() { quote!(json) } else { quote!(Text) };
    quote! {
        fn #call<H: #module::Handlers>(
            app: ::toolwrit::generated::Arc<H>,
            cx: ::toolwrit::Context,
            arguments: ::toolwrit::generated::Slots,
        ) -> ::toolwrit::generated::Running {
            ::std::boxed::Box::pin(async move {
                let slot = ::toolwrit::generated::Slot::Record(arguments);
                let p = ::toolwrit::generated::FromSlot::from_slot(slot);
                let result = #module::Handlers::#method(&*app, &cx, p).await;
                result.map(::toolwrit::generated::Reply::#reply)
            })
        }
    }
}

fn tools_ident() -> Ident {
    Ident::new(TOOLS, Span::call_site())
}
