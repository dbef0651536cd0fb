//! Regular expressions.

use regex::RegexBuilder;

use crate::diagnostics::{Problem, Report};
use crate::model::Pattern;
use crate::yaml::Text;

/// Compiled size of a pattern, in bytes.
const MAX_PATTERN: usize = 1 << 20;

/// Compiles an expression within a size limit. Reports the explanation of the regex crate.
pub(in crate::check) fn pattern(text: &Text, report: &mut Report) -> Option<Pattern> {
    match RegexBuilder::new(&text.value).size_limit(MAX_PATTERN).build() {
        Ok(regex) => Some(Pattern(regex)),
        Err(fault) => {
            let explanation = fault.to_string();
            let reason = explanation.lines().last().unwrap_or_default();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason);
            report.push(
                Problem::error(text.place, format!("the pattern does not compile: {reason}"))
                    .expected("a regular expression in RE2 style")
                    .help("look-around and back-references are not supported"),
            );
            None
        }
    }
}
