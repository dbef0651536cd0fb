//! Sets of operations, as flags and environment variables name them.

use super::UnknownName;
use crate::authority::{Effect, Joining, Operation, Tables};

/// A set of operations, as written in flags and environment variables: `*`, `vault`, `vault.*`,
/// `plugin.dataview.*`, `vault.read`, `effect:write`, `tag:bulk`, `category:vault`.
#[derive(Debug, Clone, PartialEq)]
pub enum Selector {
    /// Every operation.
    All,
    /// The operations of the category with this name.
    Category(String),
    /// The operations whose ids begin with these segments: a category, and the start of their names.
    Group(String),
    /// The operation with this id.
    Operation(String),
    /// The operations with an effect.
    Effect(Effect),
    /// The operations with a tag.
    Tag(String),
}

impl Selector {
    /// Parses a selector.
    ///
    /// # Errors
    /// A name that the authority does not have.
    pub fn parse(tables: &Tables, text: &str) -> Result<Self, UnknownName> {
        Self::find(tables, text).ok_or_else(|| Self::unknown(tables, text))
    }

    /// Parses a selector; `None` if the text is none. Unlike [`Self::parse`] it does not search for similar
    /// names, so that it is cheap enough for every word of a query.
    pub fn find(tables: &Tables, text: &str) -> Option<Self> {
        let category = |name: &str| {
            let found = tables.categories.iter().find(|category| category.name == name);
            found.map(|category| Selector::Category(category.name.clone()))
        };
        if text == "*" {
            return Some(Selector::All);
        }
        if let Some((kind, value)) = text.split_once(':') {
            return match kind {
                "effect" => {
                    Effect::ALL.into_iter().find(|e| e.as_str() == value).map(Selector::Effect)
                }
                "tag" => tables
                    .operations
                    .iter()
                    .any(|operation| operation.tags.iter().any(|tag| tag == value))
                    .then(|| Selector::Tag(value.to_owned())),
                "category" => category(value),
                _ => None,
            };
        }
        let group = || {
            let group = Selector::Group(text.strip_suffix(".*")?.to_owned());
            let joins = tables.joining.iter().any(|joining| group.may_match(tables, *joining));
            let holds = joins || tables.operations.iter().any(|operation| group.matches(operation));
            holds.then_some(group)
        };
        category(text.strip_suffix(".*").unwrap_or(text)).or_else(group).or_else(|| {
            let index = usize::from(tables.lookup(text)?.operation);
            Some(Selector::Operation(tables.operations[index].id.clone()))
        })
    }

    /// Whether this group may have operations that a provider adds to a category.
    pub(super) fn may_match(&self, tables: &Tables, joining: Joining) -> bool {
        let category = &tables.categories[usize::from(joining.category)].name;
        let provider = &tables.providers[usize::from(joining.provider)].name;
        matches!(self, Selector::Group(segments) if *segments == format!("{category}.{provider}"))
    }

    fn unknown(tables: &Tables, text: &str) -> UnknownName {
        let categories = tables.categories.iter().map(|category| category.name.as_str());
        let ids = tables.operations.iter().map(|operation| operation.id.as_str());
        let fixed = ["*", "effect:read", "effect:write", "effect:destroy"];
        UnknownName::new("selector", text, fixed.into_iter().chain(categories).chain(ids))
    }

    /// Whether the set contains the operation.
    pub fn matches(&self, operation: &Operation) -> bool {
        match self {
            Selector::All => true,
            Selector::Category(name) => {
                // An id begins with its category.
                let rest = operation.id.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.starts_with('.'))
            }
            Selector::Group(segments) => {
                let rest = operation.id.strip_prefix(segments.as_str());
                rest.is_some_and(|rest| rest.starts_with(['.', ':']))
            }
            Selector::Operation(id) => operation.id == *id,
            Selector::Effect(effect) => operation.effect == *effect,
            Selector::Tag(tag) => operation.tags.contains(tag),
        }
    }
}
