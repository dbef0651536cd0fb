use std::fmt;

use serde::Deserialize;
use serde_json::Number;

use super::{List, Path, Text};

/// JSON with slots for values. Values are inserted once, and never searched for further slots.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Template {
    /// The same value always.
    Literal(Literal),
    /// A whole value with its type.
    Value(Reference),
    /// An array.
    List(List<Template>),
    Object(List<Entry>),
}

/// A value without structure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Literal {
    Null,
    /// True or false.
    Boolean(bool),
    /// A whole number that a static table can have.
    Integer(i64),
    /// Any other number.
    Number(Number),
    Text(Text),
}

/// A member of an object, a parameter of a query, or a header.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Entry {
    pub name: Text,
    /// Whether the entry is left out if a value in it is absent. The nearest such entry around the value is.
    #[serde(default)]
    pub optional: bool,
    /// The value.
    pub value: Template,
}

/// Where a value comes from: `$move.to.name`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Reference {
    /// The whole value.
    pub root: Root,
    /// The part of it.
    #[serde(default)]
    pub path: Path,
}

/// A value with a name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Root {
    /// An argument of the call.
    Argument(Text),
    /// A setting that is not sensitive.
    Setting(Text),
    /// What an earlier step found.
    Step(Text),
}

impl Reference {
    /// Returns the JSON pointer of the argument; `None` if it is not one.
    pub(crate) fn pointer(&self) -> Option<String> {
        match &self.root {
            Root::Argument(name) => {
                Some(format!("/{}", name.replace('~', "~0").replace('/', "~1")))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Reference {
    /// Writes the reference as in a manifest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Root::Argument(name) | Root::Setting(name) | Root::Step(name)) = &self.root;
        write!(f, "${name}{}", self.path.to_string().trim_start_matches('$'))
    }
}
