//! Paths. A value stays within its segments, also for servers that decode a path before they split it.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::{RenderError, Scope, encode, scalar_text};
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
    "a text that can be one part of a path: not empty, not only dots, and without / \\ ? # %";

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
                let text = scalar_text(&value).unwrap_or_default();
                path.push_str(&encode(checked(&text, reference)?));
            }
            PathPart::Segments(reference) => {
                let value = scope.value(reference)?;
                let text = scalar_text(&value).unwrap_or_default();
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

/// Refuses what some servers take for more than a part of a segment. Encoding is not enough for them.
fn checked<'t>(text: &'t str, reference: &Reference) -> Result<&'t str> {
    let has_separator = |text: &str| {
        text.contains(|c: char| matches!(c, '/' | '\\' | '?' | '#' | '%') || c.is_control())
    };
    // Some servers remove what follows `;`, and spaces.
    let name = text.split(';').next().unwrap_or_default().trim();
    if !name.trim_matches(['.', ' ']).is_empty() && !has_separator(text) {
        return Ok(text);
    }
    Err(Failure::validation(format!("The value of `{reference}` cannot be part of a path."))
        .at_argument(reference)
        .expecting(EXPECTED)
        .got(&text.into()))
}
