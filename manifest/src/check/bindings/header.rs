//! Headers of requests that stand in a manifest.

use crate::diagnostics::{Place, Problem, Report};
use crate::yaml::Text;

/// Checks that a name can be that of a header; returns whether it can.
pub(super) fn name(name: &str, place: Place, report: &mut Report) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let is_name = !name.is_empty() && name.chars().all(is_token);
    if !is_name {
        report.push(Problem::error(place, format!("`{name}` is not the name of a header")));
    }
    is_name
}

/// Checks that a text can be the value of a header.
pub(super) fn value(name: &str, text: &Text, report: &mut Report) {
    if !text.value.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
        let message =
            format!("the value of the header `{name}` has a character that no header can have");
        let expected = "one line of ASCII characters without control characters";
        report.push(Problem::error(text.place, message).expected(expected));
    }
}
