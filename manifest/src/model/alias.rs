//! Older names of operations.

use std::fmt;

use serde_json::{Map, Value};

/// An older name of an operation, unique among all names of the authority.
#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    /// The older name; or `name(parameter: value)`, a name in calls with this argument, and `name(parameter)`, in calls with this
    /// parameter.
    pub name: String,
    /// How to translate the arguments of its calls.
    pub mapping: Mapping,
}

impl Alias {
    /// The name of the tool that callers call, and the parameter and the value on which the older name depends.
    pub fn call(&self) -> (&str, Option<(&str, &str)>) {
        let split = self.name.strip_suffix(')').and_then(|name| name.split_once('('));
        match split {
            Some((tool, argument)) => (tool, argument.split_once(": ")),
            None => (&self.name, None),
        }
    }
}

/// How older arguments become current ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mapping {
    /// Older parameters whose members are parameters.
    pub flatten: Vec<String>,
    /// Older parameters, or places inside them, that no longer have an effect.
    pub ignore: Vec<ArgumentPath>,
    /// Older parameters of which only some values are accepted.
    pub harmless: Vec<Harmless>,
    /// Parameters, older or current, whose texts are JSON.
    pub parse: Vec<String>,
    /// Older parameter names, and where their values belong.
    pub args: Vec<(String, ArgumentPath)>,
    /// Older values, and the current ones.
    pub values: Vec<(ArgumentPath, Map<String, Value>)>,
    /// Values that the older name fixes.
    pub set: Vec<(ArgumentPath, Value)>,
    /// Older parameters that are lists.
    pub each: Vec<EachItem>,
}

/// An older parameter of which only some values are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harmless {
    /// The older parameter.
    pub name: String,
    /// The values that change nothing.
    pub values: Vec<String>,
    /// What to do instead of sending another value.
    pub hint: String,
}

/// How each item of an older list becomes an item of a current one.
#[derive(Debug, Clone, PartialEq)]
pub struct EachItem {
    /// The older parameter.
    pub from: String,
    /// The current list. Items are added to its end.
    pub into: ArgumentPath,
    /// Where in the current item an older item belongs that is not an object.
    pub item: Option<ArgumentPath>,
    /// Where in the current item an identifier belongs that is made from the item and its position.
    pub id: Option<ArgumentPath>,
    /// How the fields of an older item become those of a current one. Has no `each` of its own.
    pub mapping: Mapping,
}

/// A parameter, or a place inside one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentPath(Vec<String>);

impl ArgumentPath {
    /// Parses the name of a parameter, or a JSON pointer (RFC 6901) such as `/data/status`.
    pub(crate) fn parse(text: &str) -> Self {
        Self(match text.strip_prefix('/') {
            Some(keys) => {
                keys.split('/').map(|key| key.replace("~1", "/").replace("~0", "~")).collect()
            }
            None => vec![text.to_owned()],
        })
    }

    /// The keys that lead to it, the parameter's name first. A key of digits is the position of an item in a
    /// list. Never empty.
    pub fn keys(&self) -> &[String] {
        &self.0
    }

    /// Whether one of them contains the other.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(key, other_key)| key == other_key)
    }
}

impl fmt::Display for ArgumentPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [name] if !name.starts_with('/') => f.write_str(name),
            keys => keys
                .iter()
                .try_for_each(|key| write!(f, "/{}", key.replace('~', "~0").replace('/', "~1"))),
        }
    }
}
