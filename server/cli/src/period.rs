//! Lengths of time, as people write them.

use std::time::Duration;

use jiff::SignedDuration;

/// Reads a length of time such as `500ms`, `30s`, `2m` or `1h`.
///
/// # Errors
/// What is no length of time, or no longer than nothing.
pub(super) fn period(text: &str) -> Result<Duration, String> {
    let parsed: Option<SignedDuration> = text.parse().ok();
    let period = parsed.and_then(|parsed| Duration::try_from(parsed).ok());
    period
        .filter(|period| !period.is_zero())
        .ok_or_else(|| format!("`{text}` is no period; expected one such as 500ms, 30s, 2m or 1h"))
}
