//! Paths. A value stays within its segments, also for servers that decode a path before they split it.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

use super::{RenderError, Scope, encode};
use crate::failure::{Failure, Result};
use crate::model::{PathPart, Reference};

/// What is encoded in the text of a table: what cannot stand in a path.
const IN_TEXT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}');

const EXPECTED: &str =
    "a text that can be one part of a path: not empty, and without \\ and parts of dots only";

/// How often a server may decode a path.
const MOST_DECODED: usize = 4;

pub(super) fn path(
    parts: &[PathPart],
    scope: &Scope<'_>,
) -> std::result::Result<String, RenderError> {
    let mut path = String::new();
    for part in parts {
        match part {
            PathPart::Text(text) => path.extend(utf8_percent_encode(text, IN_TEXT)),
            PathPart::Value(reference) => {
                let value = scope.value(reference)?;
                path.push_str(&segment(&value, reference, scope)?);
            }
            PathPart::Segments(reference) => {
                let value = scope.value(reference)?;
                let text = scope.text(&value).unwrap_or_default();
                for (at, segment) in text.split('/').enumerate() {
                    let separator = if at == 0 { "" } else { "/" };
                    path.push_str(separator);
                    path.push_str(&encode(checked(segment, reference)?));
                }
            }
        }
    }
    Ok(path)
}

/// A value as a part of a segment; the items of a list with commas between them.
fn segment(value: &Value, reference: &Reference, scope: &Scope<'_>) -> Result<String> {
    let Value::Array(items) = value else {
        return Ok(encode(checked(&scope.text(value).unwrap_or_default(), reference)?));
    };
    let encoded = items.iter().map(|item| {
        let text = scope.text(item).unwrap_or_default();
        if text.contains(',') {
            return Err(refused(&text, reference, "a list of texts without commas"));
        }
        Ok(encode(checked(&text, reference)?))
    });
    let encoded: Vec<String> = encoded.collect::<Result<_>>()?;
    if encoded.is_empty() {
        return Err(refused("", reference, "a list that is not empty"));
    }
    Ok(encoded.join(","))
}

/// Refuses what some servers take for a way to another path. Encoding is not enough for them: they decode a path,
/// even more than once, before they remove segments of dots.
fn checked<'t>(text: &'t str, reference: &Reference) -> Result<&'t str> {
    let is_bad = |text: &str| {
        text.contains(|c: char| c == '\\' || c.is_control()) || text.split('/').any(has_only_dots)
    };
    let mut decoded = Cow::Borrowed(text);
    for _ in 0..MOST_DECODED {
        if is_bad(&decoded) || name(&decoded).is_empty() {
            break;
        }
        match percent_decode_str(&decoded).decode_utf8_lossy() {
            next if next == decoded => return Ok(text),
            next => decoded = next.into_owned().into(),
        }
    }
    Err(refused(text, reference, EXPECTED))
}

/// What is left of a segment. Some servers remove what follows `;`, and spaces.
fn name(segment: &str) -> &str {
    segment.split(';').next().unwrap_or_default().trim()
}

fn has_only_dots(segment: &str) -> bool {
    let name = name(segment);
    !name.is_empty() && name.trim_matches(['.', ' ']).is_empty()
}

fn refused(text: &str, reference: &Reference, expected: &str) -> Box<Failure> {
    Failure::validation(format!("The value of `{reference}` cannot be part of a path."))
        .at_argument(reference)
        .expecting(expected)
        .got(&text.into())
}
