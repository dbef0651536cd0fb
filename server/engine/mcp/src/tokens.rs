//! Counts what text costs a model, in o200k tokens.

/// Estimates the tokens, on the high side: JSON of tool listings runs at 4 to 5 bytes a token.
pub(crate) fn estimate(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// Counts the tokens; `None` without the feature `tokens`, which brings the vocabulary. The first call loads
/// it, which takes a noticeable moment.
#[cfg(feature = "tokens")]
#[expect(clippy::unnecessary_wraps, reason = "it is `None` without the feature")]
pub(crate) fn count(text: &str) -> Option<usize> {
    Some(toolwrit_tokens::count(text))
}

/// Returns `None`: this build has no vocabulary.
#[cfg(not(feature = "tokens"))]
pub(crate) fn count(_: &str) -> Option<usize> {
    None
}
