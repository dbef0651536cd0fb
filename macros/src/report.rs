//! Reports problems through the compiler. Stable Rust has no spans in other files, so a message
//! contains the place in the YAML and points at the path in the call.

use std::path::PathBuf;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use toolwrit_manifest::{Authority, Problem, Problems, Severity, Sources};

use crate::expand;
use crate::facade;
use crate::input::MacroCall;
use crate::message::message;
use crate::tracking::Tracked;

/// The expansion of a valid manifest, with its warnings.
pub(crate) fn accepted(call: &MacroCall, authority: &Authority) -> TokenStream {
    let sources = authority.sources();
    // The version is that of the author's crate, which the expansion reads.
    let rows = toolwrit_rows::encode(&toolwrit_manifest::rows::tables(authority, ""));
    let code = expand::expand(authority, &rows, &files(sources));
    let requirements = expand::requirements(authority);
    let code = located(call, quote!(#code #requirements));
    let warnings =
        authority.warnings().iter().map(|problem| compiler_message(call, problem, sources));
    quote!(#code #(#warnings)*)
}

/// The problems of an invalid manifest, with all code that can still be generated, so that the
/// compiler does not report its absence too.
pub(crate) fn refused(call: &MacroCall, problems: &Problems) -> TokenStream {
    let sources = problems.sources();
    let messages = problems.iter().map(|problem| compiler_message(call, problem, sources));
    let files = files(sources);
    let code = match problems.salvage() {
        // Its code does not compile, so that nothing reads its rows.
        Some(model) => expand::expand(model, &[], &files),
        None => expand::nothing(&files),
    };
    let code = located(call, code);
    quote!(#(#messages)* #code)
}

/// Replaces the path of the engine if the call names another one.
fn located(call: &MacroCall, code: TokenStream) -> TokenStream {
    match &call.engine {
        Some(engine) => facade::redirect(code, engine),
        None => code,
    }
}

fn compiler_message(call: &MacroCall, problem: &Problem, sources: &Sources) -> TokenStream {
    let text = problem.render(sources);
    // The compiler adds this word itself.
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    match problem.severity() {
        Severity::Error => message(call.span, text),
        Severity::Warning => warning(call.span, text),
    }
}

/// A compiler warning, made by using a deprecated constant with the given reason. Stable Rust has
/// no other way to warn from a procedural macro.
fn warning(span: Span, text: &str) -> TokenStream {
    let used = quote_spanned!(span=> MANIFEST);
    quote! {
        const _: () = {
            #[deprecated(note = #text)]
            const MANIFEST: () = ();
            #used
        };
    }
}

fn files(sources: &Sources) -> Vec<Tracked> {
    // Without a current directory, paths stay relative, and the compiler reports those that it cannot open.
    Tracked::all(sources, &std::env::current_dir().unwrap_or_else(|_| PathBuf::new()))
}
