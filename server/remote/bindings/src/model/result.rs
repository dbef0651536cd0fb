use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer};

use super::{List, Path, Reference, Text};

/// How a result is read from an answer. Only what is named here becomes part of the result.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ResultTable {
    /// Where the result is.
    pub read: Read,
    /// What it looks like.
    pub shape: Shape,
}

/// Where a value is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Read {
    /// In the body: at the first path where there is something other than null.
    Body(List<Path>),
    /// The whole body as text, which must be UTF-8. Only for a whole result: [`ResultTable::read`].
    Text,
    /// In a header of the answer, as text.
    Header(Text),
    /// In an argument, a setting or an earlier step.
    Reference(Reference),
}

/// What a value looks like.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Any JSON.
    Any,
    Text,
    /// One of these texts.
    Choice(List<Text>),
    /// A whole number.
    Integer,
    Number,
    /// True or false.
    Boolean,
    /// A list. The paths of its elements start at each element.
    List(Element),
    /// An object with any names, all of whose values look alike.
    Map(Element),
    /// An object with these fields.
    Object(List<Field>),
    /// A shape of [`super::Api::shapes`].
    Named(Text),
}

/// What the elements of a list look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    /// In a static table.
    Static(&'static Shape),
    /// In a table that is loaded at run time.
    Loaded(Arc<Shape>),
}

impl Deref for Element {
    type Target = Shape;

    fn deref(&self) -> &Shape {
        match self {
            Self::Static(shape) => shape,
            Self::Loaded(shape) => shape,
        }
    }
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Shape::deserialize(deserializer).map(|shape| Self::Loaded(Arc::new(shape)))
    }
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Field {
    /// Its name in the result.
    pub name: Text,
    /// Whether it may be missing.
    #[serde(default)]
    pub optional: bool,
    /// Where it is; `None` if it has the same name in the answer.
    #[serde(default)]
    pub read: Option<Read>,
    /// What it looks like.
    pub shape: Shape,
}

/// The shape of a type of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NamedShape {
    /// The name of the type.
    pub name: Text,
    pub shape: Shape,
}
