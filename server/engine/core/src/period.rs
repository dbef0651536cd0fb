//! Parses durations.

use std::time::Duration;

use jiff::SignedDuration;

/// Parses a duration such as `500ms`, `30s`, `2m` or `1h`.
///
/// # Errors
/// If the text is not a duration, or the duration is not positive.
pub fn period(text: &str) -> Result<Duration, String> {
    let parsed: Option<SignedDuration> = text.parse().ok();
    let period = parsed.and_then(|parsed| Duration::try_from(parsed).ok());
    period.filter(|period| !period.is_zero()).ok_or_else(|| {
        format!("`{text}` is not a positive duration; expected one such as 500ms, 30s, 2m or 1h")
    })
}
