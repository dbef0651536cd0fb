//! Regular expressions of JavaScript.

use regex::{Captures, Regex, RegexBuilder};

/// Largest compiled expression in bytes (1 MiB).
const SIZE_LIMIT: usize = 1024 * 1024;

/// How an expression is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    /// A regular expression that may match anywhere.
    Anywhere,
    /// A word, in any case, that has no letter, digit or `_` beside it.
    Word,
}

/// Compiles an expression.
pub(crate) fn compile(pattern: Pattern, text: &str) -> Result<Regex, String> {
    let expression = match pattern {
        Pattern::Anywhere => translate(text),
        Pattern::Word => format!(r"(?i)(?-u:\b){}(?-u:\b)", regex::escape(text)),
    };
    RegexBuilder::new(&expression).size_limit(SIZE_LIMIT).build().map_err(|error| {
        let reason = match error {
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            error => error.to_string().lines().last().unwrap_or_default().trim().to_owned(),
        };
        format!("`{text}` is not a supported regular expression: {reason}")
    })
}

/// The expression in the syntax of the library. In JavaScript, `\d`, `\w` and `\b` mean ASCII, and `[` in a
/// class is a character.
fn translate(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_class = false;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('d') => out.push_str(if in_class { "0-9" } else { "[0-9]" }),
                Some('D') => out.push_str("[^0-9]"),
                Some('w') => out.push_str(if in_class { "0-9A-Za-z_" } else { "[0-9A-Za-z_]" }),
                Some('W') => out.push_str("[^0-9A-Za-z_]"),
                Some('b') if !in_class => out.push_str(r"(?-u:\b)"),
                Some('B') if !in_class => out.push_str(r"(?-u:\B)"),
                Some('/') => out.push('/'),
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            '[' if in_class => out.push_str(r"\["),
            '[' => {
                in_class = true;
                out.push('[');
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            '&' | '~' if in_class => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// A replacement in the syntax of JavaScript: `$1`, `$&`, `$<name>`, `$$`.
pub(crate) fn expand(replacement: &str, found: &Captures<'_>, out: &mut String) {
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let group = |index: usize| found.get(index).map_or("", |group| group.as_str());
        let number = |digits: usize| {
            let index: usize = after.get(..digits)?.parse().ok()?;
            (1..found.len()).contains(&index).then_some((index, digits))
        };
        if let Some(after) = after.strip_prefix('$') {
            out.push('$');
            rest = after;
        } else if let Some(after) = after.strip_prefix('&') {
            out.push_str(group(0));
            rest = after;
        } else if let Some((index, digits)) = number(2).or_else(|| number(1)) {
            out.push_str(group(index));
            rest = &after[digits..];
        } else if let Some(name) =
            after.strip_prefix('<').and_then(|after| Some(&after[..after.find('>')?]))
        {
            out.push_str(found.name(name).map_or("", |group| group.as_str()));
            rest = &after[name.len() + 2..];
        } else {
            out.push('$');
            rest = after;
        }
    }
    out.push_str(rest);
}
