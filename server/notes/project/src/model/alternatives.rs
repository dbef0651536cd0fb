//! Names as alternatives, for messages.

/// Names as alternatives: `a, b or c`.
pub(crate) fn join_alternatives(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}
