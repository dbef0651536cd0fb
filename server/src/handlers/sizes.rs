//! Sizes and counts, which are signed integers in parameters and results.

/// Converts a size or a count for a result. The largest integer stands for larger ones, which do not occur.
pub(super) fn to_integer(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// Converts a parameter that the manifest declares to be at least 0.
pub(super) fn to_size(count: i64) -> usize {
    usize::try_from(count).unwrap_or_default()
}

/// Returns the bytes of a text as JSON.
pub(super) fn json_size(text: &str) -> usize {
    #[expect(clippy::expect_used, reason = "every text is JSON")]
    serde_json::to_string(text).expect("the text can be written as JSON").len()
}
