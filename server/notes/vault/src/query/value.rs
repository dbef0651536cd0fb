//! The form in which the index stores frontmatter.

use std::cell::Cell;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;

use crate::path::fold;

/// The values of a note or of a nested map, by folded key. Of keys with the same spelling the last
/// wins, as in JSON.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct PropertyValues(Box<[(Box<str>, PropertyValue)]>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum PropertyValue {
    Null,
    Bool(bool),
    Number(f64),
    Text(FoldedText),
    List(#[serde(deserialize_with = "deserialize_nested")] Box<[PropertyValue]>),
    Map(#[serde(deserialize_with = "deserialize_nested")] PropertyValues),
}

/// How deeply loaded values may be nested. Each level uses stack space.
const DEPTH: usize = 128;

/// Reads a value one level deeper.
fn deserialize_nested<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    values: D,
) -> Result<T, D::Error> {
    thread_local! {
        static LEVEL: Cell<usize> = const { Cell::new(0) };
    }
    if LEVEL.get() >= DEPTH {
        return Err(D::Error::custom("values are nested too deeply"));
    }
    LEVEL.set(LEVEL.get() + 1);
    let read = T::deserialize(values);
    LEVEL.set(LEVEL.get() - 1);
    read
}

/// Text in the form in which it is compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FoldedText(Box<str>);

impl FoldedText {
    pub(super) fn folded(&self) -> &str {
        &self.0
    }
}

impl PropertyValues {
    pub(crate) fn new<'a>(entries: impl IntoIterator<Item = (&'a String, &'a Json)>) -> Self {
        let entries = entries.into_iter();
        Self(entries.map(|(key, value)| (fold(key).into(), PropertyValue::new(value))).collect())
    }

    /// Replaces a value with a list of texts.
    pub(crate) fn set<'a>(&mut self, key: &str, texts: impl Iterator<Item = &'a str>) {
        let list = texts.map(|text| PropertyValue::Text(FoldedText(fold(text).into()))).collect();
        let others = std::mem::take(&mut self.0).into_iter().filter(|(other, _)| **other != *key);
        self.0 = others.chain([(key.into(), PropertyValue::List(list))]).collect();
    }

    /// The value at a path of folded keys.
    pub(super) fn get(&self, path: &[String]) -> Option<&PropertyValue> {
        let (first, rest) = path.split_first()?;
        let (_, value) = self.0.iter().rev().find(|(key, _)| **key == **first)?;
        match value {
            value if rest.is_empty() => Some(value),
            PropertyValue::Map(map) => map.get(rest),
            _ => None,
        }
    }
}

impl PropertyValue {
    fn new(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => number.as_f64().map_or(Self::Null, Self::Number),
            Json::String(text) => Self::Text(FoldedText(fold(text).into())),
            Json::Array(list) => Self::List(list.iter().map(Self::new).collect()),
            Json::Object(map) => Self::Map(PropertyValues::new(map)),
        }
    }
}
