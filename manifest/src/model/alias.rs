//! Older names of operations.

use std::fmt;

use serde_json::{Map, Value};

/// An older name of an operation, unique among all names of the authority, and how to translate the arguments
/// of its calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    /// The older name.
    pub name: String,
    /// Older parameters whose members are parameters.
    pub flatten: Vec<String>,
    /// Older parameter names, and where their values belong.
    pub args: Vec<(String, ArgumentPath)>,
    /// Older values, and the current ones.
    pub values: Vec<(ArgumentPath, Map<String, Value>)>,
    /// Values that the older name fixes.
    pub set: Vec<(ArgumentPath, Value)>,
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

    /// The keys that lead to it, the parameter's name first. Never empty.
    pub fn keys(&self) -> &[String] {
        &self.0
    }

    /// Whether one of them contains the other.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own == other)
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
