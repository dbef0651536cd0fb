//! Error messages of the compiler.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// Code that makes the compiler report `text` at `span`.
pub(crate) fn message(span: Span, text: &str) -> TokenStream {
    quote_spanned!(span=> ::std::compile_error! { #text })
}
