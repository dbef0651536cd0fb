use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::{List, Text};

/// A path in a JSON document: the part of RFC 9535 that needs no search. `$.a[0].b` and `$.items[*]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
pub struct Path(pub List<Segment>);

/// A step down. In JSON a text, a number, or null for [`Segment::Each`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(untagged)]
pub enum Segment {
    /// The member of an object.
    Name(Text),
    /// An element of an array.
    Index(usize),
    /// The elements of an array, or the values of an object. Only as the last segment.
    Each,
}

impl Path {
    /// The whole document.
    pub const ROOT: Self = Self(List::Borrowed(&[]));

    /// Returns what is there; a list if the path ends with [`Segment::Each`].
    pub(crate) fn select<'v>(&self, document: &'v Value) -> Option<Cow<'v, Value>> {
        match self.0.split_last() {
            Some((Segment::Each, above)) => elements(descend(above, document)?),
            _ => self.find(document).map(Cow::Borrowed),
        }
    }

    /// Returns the one value that is there.
    pub(crate) fn find<'v>(&self, document: &'v Value) -> Option<&'v Value> {
        descend(&self.0, document)
    }
}

fn descend<'v>(segments: &[Segment], document: &'v Value) -> Option<&'v Value> {
    segments.iter().try_fold(document, |at, segment| match segment {
        Segment::Name(name) => at.as_object()?.get(&**name),
        Segment::Index(index) => at.as_array()?.get(*index),
        Segment::Each => None,
    })
}

fn elements(value: &Value) -> Option<Cow<'_, Value>> {
    match value {
        Value::Array(_) => Some(Cow::Borrowed(value)),
        Value::Object(object) => Some(Cow::Owned(object.values().cloned().collect())),
        _ => None,
    }
}

impl Default for Path {
    /// [`Self::ROOT`].
    fn default() -> Self {
        Self::ROOT
    }
}

impl fmt::Display for Path {
    /// Writes the path as in a manifest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        self.0.iter().try_for_each(|segment| match segment {
            Segment::Name(name) => write!(f, ".{name}"),
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::Each => f.write_str("[*]"),
        })
    }
}
