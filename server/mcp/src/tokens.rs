//! What text costs a model, in o200k tokens.

/// A quick estimate that errs on the high side: JSON of tool listings runs at 4 to 5 bytes a token.
pub(crate) fn estimate(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// The real count; none without the feature `tokens`, which brings the vocabulary. Loading it takes
/// a noticeable moment, once.
#[cfg(feature = "tokens")]
#[expect(clippy::unnecessary_wraps, reason = "there is none without the features")]
pub(crate) fn count(text: &str) -> Option<usize> {
    Some(tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len())
}

/// See above.
#[cfg(not(feature = "tokens"))]
pub(crate) fn count(_: &str) -> Option<usize> {
    None
}
