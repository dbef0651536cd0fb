//! The declared errors: a constructor for each.

use proc_macro2::TokenStream;
use quote::quote;
use toolwrit_manifest::{ErrorDef, Model};

use super::doc;
use crate::names;

/// The module of the constructors; empty if no errors are declared.
pub(super) fn module(model: &Model) -> Option<TokenStream> {
    let constructors = model.errors.iter().map(|error| {
        let about = doc(&error.summary);
        let name = names::constructor(error);
        let ErrorDef { name: code, retryable, .. } = error;
        let hint = hint(error);
        quote! {
            #about
            pub fn #name(message: impl ::std::convert::Into<::std::string::String>) -> ::toolwrit::Fault {
                ::toolwrit::generated::declared(#code, #hint, #retryable, message.into())
            }
        }
    });
    (!model.errors.is_empty()).then(|| {
        quote! {
            /// The errors that the manifest declares.
            #[allow(dead_code, rustdoc::all)]
            pub mod errors {
                #(#constructors)*
            }
        }
    })
}

fn hint(error: &ErrorDef) -> TokenStream {
    let none = || quote!(::std::option::Option::None);
    error.hint.as_ref().map_or_else(none, |hint| quote!(::std::option::Option::Some(#hint)))
}
