//! Names that a `?` after them makes optional.

/// Returns the name without the `?`, and whether it has one.
pub(in crate::check) fn split_optional(name: &str) -> (&str, bool) {
    match name.strip_suffix('?') {
        Some(name) => (name, true),
        None => (name, false),
    }
}
