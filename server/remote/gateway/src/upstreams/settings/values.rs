//! Values of settings, each with what was expected in its place.

use std::time::Duration;

use jiff::SignedDuration;
use serde_json::Value;
use toolwrit_core::authority::Effect;

/// Characters of the longest request.
const MAX_ASK: usize = 200;

/// The texts of a list, with what else is in it as JSON.
pub(super) fn texts(value: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        Value::Array(items) => items.iter().map(text).collect(),
        other => vec![text(other)],
    }
}

pub(super) fn duration(value: &Value) -> Result<Duration, String> {
    let text = texts(value).pop().unwrap_or_default();
    let parsed: Option<SignedDuration> = text.parse().ok();
    let period = parsed.and_then(|parsed| Duration::try_from(parsed).ok());
    period.filter(|period| !period.is_zero()).ok_or_else(|| {
        format!("`{text}` is not a positive duration; expected one such as 500ms, 30s, 2m or 1h")
    })
}

pub(super) fn effect(value: &Value) -> Result<Effect, String> {
    let found = Effect::ALL.into_iter().find(|effect| value.as_str() == Some(effect.as_str()));
    found.ok_or_else(|| {
        let text = texts(value).pop().unwrap_or_default();
        format!("`{text}` is not an effect; expected read, write or destroy")
    })
}

/// How users may ask for a tool.
pub(super) fn asks(value: &Value) -> Result<Vec<String>, String> {
    let asks = texts(value);
    if asks.is_empty() || asks.iter().any(|ask| ask.is_empty() || ask.chars().count() > MAX_ASK) {
        return Err(format!("expected texts of up to {MAX_ASK} characters"));
    }
    Ok(asks)
}
