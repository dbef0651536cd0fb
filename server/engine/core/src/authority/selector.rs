//! Sets of operations, as flags, environment variables and configurations name them.

use toolwrit_text::wildcard::matches;

use super::{Effect, Joining, Operation, Tables};

/// A set of operations, as written in flags and environment variables: `*`, `vault`, `vault.*`,
/// `plugin.dataview.*`, `vault.bulk_*`, `vault.read`, `effect:write`, `tag:bulk`, `category:vault`.
#[derive(Debug, Clone, PartialEq)]
pub enum Selector {
    /// Every operation.
    All,
    /// The operations of the category with this name.
    Category(String),
    /// The operations whose ids begin with these segments: a category, and the start of their names.
    Group(String),
    /// The operation with this id, or with this older id.
    Operation(String),
    /// The operations whose ids, or older ids, have this form: each `*` stands for any text.
    Pattern(String),
    /// The operations with an effect.
    Effect(Effect),
    /// The operations with a tag.
    Tag(String),
}

impl Selector {
    /// Parses a selector; `None` if the text is none. An operation that a category with a provider of its own may have later
    /// can be named before it joins. Does not search for similar names, so that it is cheap enough for every word of a query.
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
        category(text.strip_suffix(".*").unwrap_or(text))
            .or_else(group)
            .or_else(|| {
                let index = usize::from(tables.lookup(text)?.operation);
                Some(Selector::Operation(tables.operations[index].id.clone()))
            })
            .or_else(|| Self::unresolved(tables, text))
    }

    /// A pattern, or the id of an operation that may join.
    fn unresolved(tables: &Tables, text: &str) -> Option<Self> {
        let before = text.rsplit_once('.')?.0;
        let named = if !text.contains('*') {
            Self::Operation(text.to_owned())
        } else if !before.contains('*') {
            Self::Pattern(text.to_owned())
        } else {
            return None;
        };
        let holds = open_category(tables, text).is_some()
            || tables.operations.iter().any(|operation| named.matches(operation));
        holds.then_some(named)
    }

    /// Whether this group may have operations that a provider adds to a category.
    fn may_match(&self, tables: &Tables, joining: Joining) -> bool {
        let category = &tables.categories[usize::from(joining.category)].name;
        let provider = &tables.providers[usize::from(joining.provider)].name;
        matches!(self, Self::Group(segments) if *segments == format!("{category}.{provider}"))
    }

    /// Returns the effects of operations that join by a rule, of those that the selector matches; one bit each, in the order of
    /// [`Effect`]. With `whole`, only of those that it matches whatever their names are.
    pub(crate) fn joining_effects(&self, tables: &Tables, joining: Joining, whole: bool) -> u8 {
        let category = &tables.categories[usize::from(joining.category)].name;
        let is_within = |id: &str| id.split_once('.').is_some_and(|(of, _)| of == category);
        let is_matched = match self {
            Self::All => true,
            Self::Effect(effect) => return 1 << (*effect as u8),
            Self::Category(name) => name == category,
            Self::Group(_) => self.may_match(tables, joining),
            Self::Operation(id) | Self::Pattern(id) => !whole && joining.whole && is_within(id),
            Self::Tag(_) => false,
        };
        if is_matched { ALL_EFFECTS } else { 0 }
    }

    /// Whether the set contains the operation.
    pub fn matches(&self, operation: &Operation) -> bool {
        let mut older = operation.aliases.iter().map(|alias| alias.name.as_str());
        match self {
            Self::All => true,
            Self::Category(name) => {
                // An id begins with its category.
                let rest = operation.id.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.starts_with('.'))
            }
            Self::Group(segments) => {
                let rest = operation.id.strip_prefix(segments.as_str());
                rest.is_some_and(|rest| rest.starts_with(['.', ':']))
            }
            Self::Operation(id) => operation.id == *id || older.any(|name| name == id),
            Self::Pattern(pattern) => {
                matches(pattern, &operation.id) || older.any(|name| matches(pattern, name))
            }
            Self::Effect(effect) => operation.effect == *effect,
            Self::Tag(tag) => operation.tags.contains(tag),
        }
    }
}

/// The bits of all effects.
pub(crate) const ALL_EFFECTS: u8 = 0b111;

/// Returns the category of an id, if a provider alone decides which operations the category has.
pub(crate) fn open_category<'a>(tables: &Tables, id: &'a str) -> Option<&'a str> {
    let (category, name) = id.split_once('.')?;
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control());
    let is_open = tables.joining.iter().any(|joining| {
        joining.whole && tables.categories[usize::from(joining.category)].name == category
    });
    (is_name && is_open).then_some(category)
}
