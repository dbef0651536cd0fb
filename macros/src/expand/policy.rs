//! Policy as bit sets, computed at compile time so that the engine only tests bits.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use toolwrit_manifest::Model;
use toolwrit_manifest::policy::sets;

/// For each focus mode, then each role: the operations that both allow.
pub(super) fn table(model: &Model) -> TokenStream {
    let rows = model.focus_ids().map(|focus| {
        let roles = model.role_ids().map(|role| operations(&sets::of_both(model, focus, role)));
        quote!(&[#(#roles),*])
    });
    quote!(&[#(#rows),*])
}

/// A set of operations.
pub(super) fn operations(set: &[u64]) -> TokenStream {
    let words = set.iter().copied().map(Literal::u64_unsuffixed);
    quote!(&[#(#words),*])
}

/// Effects of operations that join at run time.
pub(super) fn joining(set: &[u8]) -> TokenStream {
    let bits = set.iter().copied().map(Literal::u8_unsuffixed);
    quote!(&[#(#bits),*])
}
