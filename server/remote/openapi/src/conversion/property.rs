//! Schemas with what is written beside their types.

use serde_json::Value;

use crate::document::schema::Schema;
use crate::language::shape::Shape;
use crate::language::text;

const LONGEST_NAME: usize = 200;

/// A schema with what is written beside its type.
pub(crate) struct Property {
    pub(crate) shape: Shape,
    pub(crate) is_nullable: bool,
    pub(crate) description: Option<String>,
    pub(crate) default: Option<Value>,
    pub(crate) example: Option<Value>,
    pub(crate) is_sensitive: bool,
    /// It belongs only to values of the other direction.
    pub(crate) is_hidden: bool,
}

impl Property {
    /// Any value, of which nothing else is known.
    pub(crate) fn any() -> Self {
        Self {
            shape: Shape::Json,
            is_nullable: true,
            description: None,
            default: None,
            example: None,
            is_sensitive: false,
            is_hidden: false,
        }
    }
}

/// Whether the name of a field can be a key of the manifest.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= LONGEST_NAME
        && text::is_visible(name)
        && !(name.contains('"') && name.contains('\''))
}

/// The values of an enum that is not one in the manifest.
pub(crate) fn described_values(schema: &Schema<'_>) -> Option<String> {
    const MOST: usize = 10;
    const LONGEST: usize = 40;
    let values = schema.values()?;
    let word = |value: &&Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let words = values.iter().take(MOST).map(word);
    let words: Vec<String> =
        words.filter(|word| text::is_visible(word) && word.len() <= LONGEST).collect();
    let rest = if values.len() > MOST { ", …" } else { "" };
    (!words.is_empty()).then(|| format!("One of: {}{rest}.", words.join(", ")))
}
