//! The arguments of `authority!(..)`, and the file that they name.

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Literal, Span, TokenStream, TokenTree};

use crate::facade;
use crate::message::message;

#[derive(Debug)]
pub(crate) struct MacroCall {
    /// The manifest's root file, relative to the compiler's directory or absolute.
    pub(crate) path: PathBuf,
    /// The path literal, where messages point.
    pub(crate) span: Span,
    /// The path of the engine, if it is not `::toolwrit`.
    pub(crate) engine: Option<TokenStream>,
}

/// Parses a call in a file. The error is a message for the compiler.
pub(crate) fn parse(input: TokenStream, file: Option<PathBuf>) -> Result<MacroCall, TokenStream> {
    let mut tokens = input.into_iter();
    let literal = tokens.next().and_then(literal);
    let literal = literal.ok_or_else(|| message(Span::call_site(), USAGE))?;
    let span = literal.span();
    let path = plain_string(&literal.to_string()).ok_or_else(|| message(span, USAGE))?;
    let engine = engine(&tokens.collect::<Vec<_>>()).map_err(|text| message(span, text))?;
    let path = match file {
        Some(file) => file.with_file_name(&path),
        // Editors expand without a file. Nearly all sources are in `src`.
        None => package().join("src").join(&path),
    };
    Ok(MacroCall { path, span, engine })
}

const USAGE: &str = "expected the path of a manifest, relative to this file, as one string without \
     escapes: `toolwrit::authority!(\"../manifest/authority.yaml\")`";

const ENGINE: &str = "expected only the engine's path after the path of the manifest, \
     by a crate's name or from `crate`: `, crate = my_facade::toolwrit`";

/// The literal, even if a declarative macro has wrapped it.
fn literal(token: TokenTree) -> Option<Literal> {
    match token {
        TokenTree::Literal(literal) => Some(literal),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            let mut inner = group.stream().into_iter();
            let first = inner.next()?;
            inner.next().is_none().then(|| literal(first))?
        }
        _ => None,
    }
}

/// The path in `, crate = path`, with or without a comma at the end.
fn engine(rest: &[TokenTree]) -> Result<Option<TokenStream>, &'static str> {
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
    let rest = match rest {
        [kept @ .., last] if is_comma(last) => kept,
        all => all,
    };
    match rest {
        [] => Ok(None),
        [comma, TokenTree::Ident(key), TokenTree::Punct(equals), path @ ..]
            if is_comma(comma) && key == "crate" && equals.as_char() == '=' =>
        {
            facade::absolute(path.iter().cloned().collect()).map(Some).ok_or(ENGINE)
        }
        _ => Err(ENGINE),
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

    fn refusal(call: &str) -> String {
        parse(call.parse().unwrap(), None).unwrap_err().to_string()
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in ["", "a", "(\"a\")", "7"] {
            let error = refusal(bad);
            assert!(error.contains("expected the path of a manifest"), "{bad}: {error}");
        }
    }

    #[test]
    fn only_the_path_of_the_engine_may_follow() {
        let engine = |call: &str| parse(call.parse().unwrap(), None).unwrap().engine;
        assert!(engine("\"a\"").is_none() && engine("\"a\",").is_none());
        let found = engine("\"a\", crate = crate::facade,").map(|path| path.to_string());
        assert_eq!(found.as_deref(), Some("crate :: facade"));
        for bad in ["\"a\" b", "\"a\", \"b\"", "\"a\", crate", "\"a\", crate =", "\"a\", path = a"]
        {
            let error = refusal(bad);
            assert!(error.contains("the engine's path"), "{bad}: {error}");
        }
    }
}
