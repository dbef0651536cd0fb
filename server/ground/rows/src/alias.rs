//! Older names of operations, and how the arguments of their calls are translated.

use serde::{Deserialize, Serialize};

/// An older name of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alias {
    /// The older name.
    pub name: String,
    /// How to translate the arguments of its calls.
    pub mapping: Mapping,
}

/// How older arguments become current ones; by default they stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Mapping {
    /// Older parameters whose members are parameters.
    pub flatten: Vec<String>,
    /// Older parameters, or places inside them, that no longer have an effect.
    pub ignore: Vec<ArgumentPath>,
    /// Older parameter names, and where their values belong.
    pub args: Vec<(String, ArgumentPath)>,
    /// Older values, and the current ones as JSON text.
    pub values: Vec<(ArgumentPath, Vec<(String, String)>)>,
    /// Values that the older name fixes, as JSON text.
    pub set: Vec<(ArgumentPath, String)>,
    /// Older parameters that are lists.
    pub each: Vec<EachItem>,
}

impl Mapping {
    /// Whether arguments stay as they are.
    pub fn is_same(&self) -> bool {
        let Self { flatten, ignore, args, values, set, each } = self;
        flatten.is_empty()
            && ignore.is_empty()
            && args.is_empty()
            && values.is_empty()
            && set.is_empty()
            && each.is_empty()
    }
}

/// How each item of an older list becomes an item of a current one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EachItem {
    /// The older parameter.
    pub from: String,
    /// The current list. Items are added to its end.
    pub into: ArgumentPath,
    /// Where in the current item an older item belongs that is not an object.
    pub item: Option<ArgumentPath>,
    /// Where in the current item an identifier belongs that is made from the item and its position.
    pub id: Option<ArgumentPath>,
    /// How the fields of an older item become those of a current one.
    pub mapping: Mapping,
}

/// A parameter, or a place inside one: the keys that lead to it. A key of digits is the position of an item in a
/// list.
pub type ArgumentPath = Vec<String>;
