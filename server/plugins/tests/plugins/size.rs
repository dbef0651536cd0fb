//! How much the slow tests do.

/// A number for every day, or the one for a run at night: with `TOOLWRIT_TESTS=full`.
pub(crate) fn number(quick: u32, full: u32) -> u32 {
    let is_full = std::env::var_os("TOOLWRIT_TESTS").is_some_and(|tests| tests == "full");
    if is_full { full } else { quick }
}
