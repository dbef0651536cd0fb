//! Older names of operations, and how the arguments of their calls are translated.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Tables;

/// Longer values, in bytes, are not part of an older name.
const LONGEST_VARIANT: usize = 60;

/// An older name of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alias {
    /// The older name; or `name(parameter: value)`, a name in calls with this argument, and `name(parameter)`, in calls
    /// with this parameter.
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
    /// Older parameters of which only some values are accepted.
    pub harmless: Vec<Harmless>,
    /// Parameters, older or current, whose texts are JSON.
    pub parse: Vec<String>,
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
        let Self { flatten, ignore, harmless, parse, args, values, set, each } = self;
        flatten.is_empty()
            && ignore.is_empty()
            && harmless.is_empty()
            && parse.is_empty()
            && args.is_empty()
            && values.is_empty()
            && set.is_empty()
            && each.is_empty()
    }
}

/// An older parameter of which only some values are accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harmless {
    /// The older parameter.
    pub name: String,
    /// The values that change nothing.
    pub values: Vec<String>,
    /// What to do instead of sending another value.
    pub hint: String,
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

/// An older name that stands for another operation in calls with a certain argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OlderVariant {
    /// The name with the argument, as it is declared: `search_vault(queryType: dataview)`.
    pub name: String,
    /// The parameter of that argument, if its value is part of the name.
    pub parameter: Option<String>,
}

impl Tables {
    /// Finds what a name stands for in a call with these arguments; `None` if it has its usual meaning.
    pub fn older_variant(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Option<OlderVariant> {
        self.lookup(name)?;
        let is_declared = |variant: &str| {
            self.lookup(variant).is_some()
                || self.removed_tools.iter().any(|removed| removed.name == variant)
        };
        arguments.iter().find_map(|(parameter, value)| {
            let value = value.as_str().filter(|value| value.len() <= LONGEST_VARIANT);
            let exact = value.map(|value| format!("{name}({parameter}: {value})"));
            let exact = exact
                .filter(|variant| is_declared(variant))
                .map(|name| OlderVariant { name, parameter: Some(parameter.clone()) });
            let any = || {
                let name = format!("{name}({parameter})");
                is_declared(&name).then_some(OlderVariant { name, parameter: None })
            };
            exact.or_else(any)
        })
    }
}

/// A parameter, or a place inside one: the keys that lead to it. A key of digits is the position of an item in a
/// list.
pub type ArgumentPath = Vec<String>;
