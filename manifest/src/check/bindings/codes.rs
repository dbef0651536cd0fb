//! The codes of failures.

use toolwrit_words::Code;

use crate::check::names::lookup::DeclaredNames;
use crate::diagnostics::Report;
use crate::yaml::Text;

/// Codes of the engine that an answer of an API may have.
pub(crate) const OF_ANSWERS: [&str; 11] = [
    "VALIDATION_ERROR",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "CONFLICT",
    "TIMEOUT",
    "LIMIT_EXCEEDED",
    "RESULT_TOO_LARGE",
    "UPSTREAM_ERROR",
    "UPSTREAM_FORBIDDEN",
    "PROVIDER_UNAVAILABLE",
    "INVALID_PATH",
];

/// Checks a code; `None` if it is unknown, which is reported.
pub(super) fn code<'a>(
    code: &'a Text,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Option<&'a str> {
    let name = code.value.as_str();
    if OF_ANSWERS.contains(&name) || lookup.errors.position(name).is_some() {
        return Some(name);
    }
    if Code::built_in(name).is_some() {
        let message =
            format!("`{name}` is reported only by the engine, and not for an answer of an API");
        report.unknown_word(code.place, message, name, &OF_ANSWERS);
    } else {
        let known = OF_ANSWERS.into_iter().chain(lookup.errors.iter());
        report.unknown_reference(code.place, "error", name, known);
    }
    None
}
