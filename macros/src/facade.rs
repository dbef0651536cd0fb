//! Replaces the path of the engine. The expansion uses `::toolwrit`; authors who use the engine through
//! another crate name its path there.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::quote;

/// Replaces `::toolwrit` in the code with another path.
pub(crate) fn redirect(code: TokenStream, engine: &TokenStream) -> TokenStream {
    let mut found = Vec::new();
    for token in code {
        match token {
            TokenTree::Ident(name) if name == "toolwrit" && is_rooted(&found) => {
                found.truncate(found.len() - 2);
                found.extend(engine.clone());
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), redirect(group.stream(), engine));
                inner.set_span(group.span());
                found.push(inner.into());
            }
            other => found.push(other),
        }
    }
    found.into_iter().collect()
}

/// Whether an absolute path begins after these tokens: they end in `::` without a segment before
/// it.
fn is_rooted(tokens: &[TokenTree]) -> bool {
    let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ':');
    match tokens {
        [before @ .., first, second] if is_colon(first) && is_colon(second) => {
            !matches!(before.last(), Some(TokenTree::Ident(segment)) if !is_keyword(segment))
        }
        _ => false,
    }
}

/// Whether an absolute path can follow a word, as in `use ::toolwrit`.
fn is_keyword(word: &Ident) -> bool {
    ["use", "for", "impl", "as", "in", "dyn", "mut", "const"].iter().any(|known| word == known)
}

/// A path as an absolute one, which the expansion can use inside its modules; `None` if it is
/// relative or not a path.
pub(crate) fn absolute(path: TokenStream) -> Option<TokenStream> {
    let mut expects_segment = true;
    let mut tokens = path.clone().into_iter().peekable();
    let is_plain = match tokens.peek()? {
        TokenTree::Ident(first) if first == "self" || first == "super" => return None,
        TokenTree::Ident(first) => first != "crate" && first != "$crate",
        TokenTree::Punct(_) => {
            let colons = tokens.by_ref().take(2).map(|token| token.to_string());
            if !colons.eq([":", ":"].map(str::to_owned)) {
                return None;
            }
            false
        }
        _ => return None,
    };
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(_) if expects_segment => expects_segment = false,
            TokenTree::Punct(first) if first.as_char() == ':' && !expects_segment => {
                let second = tokens.next();
                if !matches!(second, Some(TokenTree::Punct(p)) if p.as_char() == ':') {
                    return None;
                }
                expects_segment = true;
            }
            _ => return None,
        }
    }
    (!expects_segment).then(|| if is_plain { quote!(::#path) } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> TokenStream {
        text.parse().unwrap()
    }

    #[test]
    fn every_path_of_the_engine_is_redirected_and_nothing_else() {
        let code =
            "use ::toolwrit::generated::Box; fn f(x: &::toolwrit::Context) -> a::toolwrit::B {}";
        let found = redirect(read(code), &read("crate::facade"));
        let expected = "use crate::facade::generated::Box; fn f(x: &crate::facade::Context) -> a::toolwrit::B {}";
        // Spacing depends on the origin of the tokens.
        assert_eq!(found.to_string().replace(' ', ""), expected.replace(' ', ""));
    }

    #[test]
    fn a_path_is_absolute_or_refused() {
        for (given, expected) in [
            ("facade::engine", "::facade::engine"),
            ("::facade", "::facade"),
            ("crate::facade::toolwrit", "crate::facade::toolwrit"),
        ] {
            let found = absolute(read(given)).unwrap().to_string();
            assert_eq!(found, read(expected).to_string(), "{given}");
        }
        for bad in ["", "::", "self::a", "super::a", "a::", "a:b", "a<b>", "a::\"b\"", "a b", "7"] {
            assert!(absolute(read(bad)).is_none(), "{bad}");
        }
    }
}
