//! The macro behind `toolwrit::authority!`. Authors reach it through the engine, `toolwrit`.
//!
//! There are three steps: `input` finds the manifest, `toolwrit_manifest` loads and checks it,
//! `expand` writes the Rust. `report` turns problems into compiler messages.
//!
//! The generated code has types, traits and calls, but no logic. A small named function for each operation keeps the
//! compile time linear. There is no derive of schemars, and one of serde only if the manifest asks for it: they
//! multiply the compile time of an author. `facade` replaces the path `::toolwrit`, and `tracking` makes cargo build
//! again when a file of the manifest changes.
#![warn(missing_docs)]

mod expand;
mod facade;
mod input;
mod message;
mod names;
mod report;
mod tracking;

use proc_macro::{Span, TokenStream};

/// Generates an MCP server's typed surface from a tool-authority manifest.
///
/// The path is relative to the file that holds the call, as with [`include_str!`].
///
/// ```ignore
/// toolwrit::authority!("../manifest/authority.yaml");
/// ```
///
/// The call expands to:
/// - `mod types`, the declared types;
/// - per category a module with a parameter struct and a result type per operation, and the trait
///   `Handlers` with one async method per operation;
/// - `Tools<H>`, which binds an application `H` that implements every `Handlers` trait.
///
/// A crate that uses the engine through another crate gives the engine's path, which starts with
/// that crate's name or with `crate`:
///
/// ```ignore
/// my_facade::toolwrit::authority!("../authority.yaml", crate = my_facade::toolwrit);
/// ```
///
/// Every mistake in the manifest is a compile error that shows the YAML's file, line and text.
/// After a change of a manifest file, cargo builds the crate again.
#[proc_macro]
pub fn authority(input: TokenStream) -> TokenStream {
    // The span of the path, because the call may be in a macro of another file.
    let place = input.clone().into_iter().next().map_or_else(Span::call_site, |first| first.span());
    let tokens = match input::parse(input.into(), place.local_file()) {
        Ok(call) => match toolwrit_manifest::load(&call.path) {
            Ok(authority) => report::accepted(&call, &authority),
            Err(problems) => report::refused(&call, &problems),
        },
        Err(message) => message,
    };
    tokens.into()
}
