//! What text costs a model, in o200k tokens.

/// A quick estimate that errs on the high side: JSON of tool listings runs at 4 to 5 bytes a token.
pub(crate) fn estimate(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// The real count. Loading the vocabulary takes a noticeable moment, once.
#[cfg(feature = "authoring")]
pub(crate) fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}
