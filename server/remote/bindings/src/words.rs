//! The words of a command. A value is one word or a part of one, whatever it contains.

use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::model::{Reference, TextPart, Word};
use crate::render::{Absent, RenderError, Scope};

const EXPECTED: &str = "a text that does not begin with `-`";

/// Inserts values into words.
///
/// # Errors
/// `VALIDATION_ERROR` if a value would be an option, or cannot stand in a word.
pub(super) fn words(words: &[Word], scope: &Scope<'_>) -> Result<Vec<String>> {
    let mut rendered = Vec::new();
    for word in words {
        let (one, is_optional) = match word {
            Word::Text { optional, parts } => {
                (text(parts, scope).map(|word| vec![word]), *optional)
            }
            Word::Values { optional, value } => (values(value, scope), *optional),
            Word::Option { name, optional, value } => (option(name, value, scope), *optional),
        };
        match one {
            Err(RenderError::Absent(_)) if is_optional => {}
            one => rendered.extend(one?),
        }
    }
    Ok(rendered)
}

fn text(parts: &[TextPart], scope: &Scope<'_>) -> std::result::Result<String, RenderError> {
    let mut word = String::new();
    for part in parts {
        match part {
            TextPart::Text(text) => word.push_str(text),
            TextPart::Value(reference) => {
                word.push_str(&scalar(&scope.value(reference)?, reference, scope)?);
            }
        }
    }
    match parts.first() {
        Some(TextPart::Value(reference)) => Ok(no_option(word, reference)?),
        _ => Ok(word),
    }
}

fn values(
    reference: &Reference,
    scope: &Scope<'_>,
) -> std::result::Result<Vec<String>, RenderError> {
    let words = items(scope, reference)?;
    let words = words.iter().map(|item| no_option(scalar(item, reference, scope)?, reference));
    Ok(words.collect::<Result<_>>()?)
}

fn option(
    name: &str,
    reference: &Reference,
    scope: &Scope<'_>,
) -> std::result::Result<Vec<String>, RenderError> {
    let mut words = Vec::new();
    for item in items(scope, reference)? {
        if item == Value::Bool(false) {
            continue;
        }
        words.push(name.to_owned());
        if item != Value::Bool(true) {
            words.push(no_option(scalar(&item, reference, scope)?, reference)?);
        }
    }
    Ok(words)
}

/// The items of a list, or a value alone.
fn items(scope: &Scope<'_>, reference: &Reference) -> std::result::Result<Vec<Value>, Absent> {
    Ok(match scope.value(reference)? {
        Value::Array(items) => items,
        value => vec![value],
    })
}

fn scalar(value: &Value, reference: &Reference, scope: &Scope<'_>) -> Result<String> {
    let text = scope.text(value).filter(|text| !text.contains('\0'));
    text.ok_or_else(|| refused(reference, "a text without NUL, a number or a boolean", value))
}

/// Refuses a word that a program would take for an option.
fn no_option(word: String, reference: &Reference) -> Result<String> {
    if word.starts_with('-') {
        return Err(refused(reference, EXPECTED, &word.into()));
    }
    Ok(word)
}

fn refused(reference: &Reference, expected: &str, value: &Value) -> Box<Failure> {
    Failure::validation(format!("The value of `{reference}` cannot be a word of a command."))
        .at_argument(reference)
        .expecting(expected)
        .got(value)
}
