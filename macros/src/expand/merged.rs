//! Tools that stand for several operations, and names of tools that are gone.

use proc_macro2::TokenStream;
use quote::quote;
use toolwrit_manifest::{MergedTool, Model, OperationId, RemovedTool};

use super::fields::option;
use super::operations::position;

/// The row of a merged tool.
pub(super) fn tool(model: &Model, tool: &MergedTool) -> TokenStream {
    let MergedTool { name, title, summary, by, operations } = tool;
    let name = format!("{}{name}", model.wire_prefix());
    let operations = operations.iter().map(|(value, id)| {
        let operation = position(id.index());
        quote!(MergedOperation { value: #value, operation: #operation })
    });
    quote! {
        MergedTool {
            name: #name,
            title: #title,
            summary: #summary,
            by: #by,
            operations: &[#(#operations),*],
        }
    }
}

/// The row of a removed tool.
pub(super) fn removed(tool: &RemovedTool) -> TokenStream {
    let RemovedTool { name, note, replacement } = tool;
    let replacement = option(replacement.map(|id: OperationId| position(id.index())));
    quote!(RemovedTool { name: #name, note: #note, replacement: #replacement })
}
