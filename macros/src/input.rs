//! What stands between the parentheses of `authority!(..)`, and which file it means.

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Literal, Span, TokenStream, TokenTree};

use crate::report::message;

/// A call of the macro.
#[derive(Debug)]
pub(crate) struct Call {
    /// The manifest's root file, relative to the compiler's directory or absolute.
    pub(crate) path: PathBuf,
    /// The path literal, where messages point.
    pub(crate) span: Span,
}

/// Takes apart the call that stands in a file. The error is a message for the compiler.
pub(crate) fn parse(input: TokenStream, file: Option<PathBuf>) -> Result<Call, TokenStream> {
    let whole = Span::call_site();
    let literal = only_literal(input).ok_or_else(|| message(whole, USAGE))?;
    let span = literal.span();
    let path = plain_string(&literal.to_string()).ok_or_else(|| message(span, USAGE))?;
    let path = match file {
        Some(file) => file.with_file_name(&path),
        // Editors expand without a file; sources stand in `src` nearly always.
        None => package().join("src").join(&path),
    };
    Ok(Call { path, span })
}

const USAGE: &str = "expected the path of a manifest, relative to this file, as one string without \
     escapes: `toolwrit::authority!(\"../manifest/authority.yaml\")`";

/// The one literal of the call, also when a macro by example has wrapped it.
fn only_literal(input: TokenStream) -> Option<Literal> {
    let mut tokens = input.into_iter();
    match (tokens.next()?, tokens.next()) {
        (TokenTree::Literal(literal), None) => Some(literal),
        (TokenTree::Group(group), None) if group.delimiter() == Delimiter::None => {
            only_literal(group.stream())
        }
        _ => None,
    }
}

/// The text of a string literal that needs no unescaping.
fn plain_string(literal: &str) -> Option<String> {
    let raw = literal.strip_prefix('r').map(|raw| raw.trim_matches('#'));
    let inside = raw.unwrap_or(literal).strip_prefix('"')?.strip_suffix('"')?;
    (raw.is_some() || !inside.contains('\\')).then(|| inside.to_owned())
}

fn package() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| Path::new(".").to_owned(), PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_plain_string_is_a_path() {
        assert_eq!(plain_string("\"a/b.yaml\"").as_deref(), Some("a/b.yaml"));
        assert_eq!(plain_string("r#\"a\\b.yaml\"#").as_deref(), Some("a\\b.yaml"));
        for bad in ["\"a\\\\b\"", "b\"a\"", "1", "'a'", "c\"a\""] {
            assert_eq!(plain_string(bad), None, "{bad}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in ["", "a", "\"a\", \"b\"", "(\"a\")", "7"] {
            let tokens: TokenStream = bad.parse().unwrap();
            let error = parse(tokens, None).unwrap_err().to_string();
            assert!(error.contains("expected the path of a manifest"), "{bad}: {error}");
        }
    }
}
