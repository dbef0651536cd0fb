//! Compiled expressions.

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use super::CaseSensitivity;

/// Largest compiled form in bytes. It bounds memory and time.
const COMPILED_LIMIT: usize = 1024 * 1024;

/// Compiles an expression in which `^` and `$` match at the ends of a line.
pub(super) fn expression(source: &str, case: CaseSensitivity) -> Result<Regex, regex::Error> {
    let mut builder = RegexBuilder::new(source);
    builder.case_insensitive(case == CaseSensitivity::Insensitive).multi_line(true).crlf(true);
    compiled(&mut builder)
}

/// Compiles within the size limit.
pub(super) fn compiled(builder: &mut RegexBuilder) -> Result<Regex, regex::Error> {
    builder.size_limit(COMPILED_LIMIT).dfa_size_limit(COMPILED_LIMIT).build()
}

/// The syntax tree of a valid expression, read with the same settings as by [`expression`].
pub(super) fn parsed(source: &str, case: CaseSensitivity) -> Option<Hir> {
    let mut parser = ParserBuilder::new();
    parser.case_insensitive(case == CaseSensitivity::Insensitive).multi_line(true).crlf(true);
    parser.build().parse(source).ok()
}
