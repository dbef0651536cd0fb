//! Queries and forms.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::{RenderError, Scope};
use crate::failure::{Failure, Result};
use crate::model::{ListStyle, Parameter, Template};

/// Everything but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes a text for any part of a URL or form.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Renders parameters as `a=1&b=2`.
pub(super) fn encoded(
    parameters: &[Parameter],
    scope: &Scope<'_>,
) -> std::result::Result<String, RenderError> {
    let mut pairs = Vec::new();
    for parameter in parameters {
        let Some(value) = scope.entry(&parameter.entry)? else { continue };
        add(parameter, &value, scope, &mut pairs)?;
    }
    Ok(pairs.join("&"))
}

fn add(
    parameter: &Parameter,
    value: &Value,
    scope: &Scope<'_>,
    pairs: &mut Vec<String>,
) -> Result<()> {
    let name = encode(&parameter.entry.name);
    let refused = |expected| scope.refused(&parameter.entry.value, expected);
    let Value::Array(items) = value else {
        // Null has no spelling in a query.
        if !value.is_null() {
            let text = scope.text(value).ok_or_else(|| refused("a value without structure"))?;
            pairs.push(format!("{name}={}", encode(&text)));
        }
        return Ok(());
    };
    let texts: Option<Vec<String>> = items.iter().map(|item| scope.text(item)).collect();
    let texts = texts.ok_or_else(|| refused("a list of values without structure"))?;
    match parameter.style {
        ListStyle::Repeat => {
            pairs.extend(texts.iter().map(|text| format!("{name}={}", encode(text))));
        }
        ListStyle::Brackets => {
            pairs.extend(texts.iter().map(|text| format!("{name}%5B%5D={}", encode(text))));
        }
        ListStyle::Comma => {
            if texts.iter().any(|text| text.contains(',')) {
                return Err(comma(&parameter.entry.value, scope));
            }
            let texts: Vec<String> = texts.iter().map(|text| encode(text)).collect();
            pairs.push(format!("{name}={}", texts.join(",")));
        }
    }
    Ok(())
}

/// An item with a comma would become two items.
fn comma(template: &Template, scope: &Scope<'_>) -> Box<Failure> {
    scope.refused(template, "a list of texts without commas")
}
