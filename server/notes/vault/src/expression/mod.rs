//! Regular expressions: compiled, and the words that they require.

mod required;

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind, Literal};

pub(crate) use required::RequiredWords;

/// Whether upper and lower case differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseSensitivity {
    /// `a` and `A` differ.
    Sensitive,
    /// `a` and `A` are the same.
    Insensitive,
}

/// Largest compiled form in bytes. It bounds memory and time.
const COMPILED_LIMIT: usize = 1024 * 1024;

/// Compiles an expression in which `^` and `$` match at the ends of a line.
pub(crate) fn compile(source: &str, case: CaseSensitivity) -> Result<Regex, regex::Error> {
    let mut builder = RegexBuilder::new(source);
    builder.case_insensitive(case == CaseSensitivity::Insensitive).multi_line(true).crlf(true);
    build_limited(&mut builder)
}

/// Compiles within the size limit.
fn build_limited(builder: &mut RegexBuilder) -> Result<Regex, regex::Error> {
    builder.size_limit(COMPILED_LIMIT).dfa_size_limit(COMPILED_LIMIT).build()
}

/// The text of an expression that matches one text only.
pub(crate) fn plain_text(source: &str) -> Option<String> {
    match parse(source, CaseSensitivity::Sensitive)?.into_kind() {
        HirKind::Literal(Literal(bytes)) => String::from_utf8(bytes.into_vec()).ok(),
        _ => None,
    }
}

/// The syntax tree of a valid expression, read with the same settings as by [`compile`].
fn parse(source: &str, case: CaseSensitivity) -> Option<Hir> {
    let mut parser = ParserBuilder::new();
    parser.case_insensitive(case == CaseSensitivity::Insensitive).multi_line(true).crlf(true);
    parser.build().parse(source).ok()
}
