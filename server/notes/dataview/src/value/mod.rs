//! The values of expressions.

mod compare;
mod json;
mod link;
mod regexp;
mod text;
mod text_kind;

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use jiff::Zoned;

use super::datetime::Duration;

pub use link::{Link, LinkTarget};
pub use regexp::Regexp;
pub use text::Rendering;
pub use text_kind::TextKind;

pub(crate) use compare::{Paths, UnresolvedPaths, compare, sort_order};
pub(crate) use link::title;
pub(crate) use text::plain_text;

/// The name of a field.
pub(crate) type Name = Arc<str>;
/// An object with its own fields, in order.
pub(crate) type Map = IndexMap<Name, Value>;

/// A value of Dataview. Copies share their content.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// No value, as of a field that a note does not have.
    #[default]
    Null,
    /// `true` or `false`.
    Boolean(bool),
    Number(f64),
    Text(Arc<str>),
    /// Text that stands for something else; Dataview itself has none.
    Typed(TextKind, Arc<str>),
    /// A date with a time of day and a time zone.
    Date(Arc<Zoned>),
    /// A length of time.
    Duration(Arc<Duration>),
    /// A link to a file of the vault or to a part of it.
    Link(Arc<Link>),
    /// A link out of the vault.
    ExternalLink(Arc<ExternalLink>),
    /// A regular expression; Dataview itself has none.
    Regexp(Arc<Regexp>),
    /// Several values.
    List(Arc<[Value]>),
    /// Values by name.
    Object(Object),
}

/// A link out of the vault, as `elink` makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalLink {
    /// The address.
    pub url: Arc<str>,
    /// The text shown instead of the address.
    pub display: Arc<str>,
}

/// Values by name.
#[derive(Debug, Clone)]
pub enum Object {
    /// An object that stores its fields.
    Map(Arc<IndexMap<Arc<str>, Value>>),
    /// An object whose fields are computed when they are read, such as a note.
    Record(Arc<dyn Record>),
}

/// An object whose fields are computed when they are read.
pub trait Record: fmt::Debug + Send + Sync {
    /// The value of a field; `None` if there is no such field.
    fn get(&self, name: &str) -> Option<Value>;

    /// The names of all fields, in order.
    fn names(&self) -> Vec<Arc<str>>;

    /// What is shown of it where all fields would be too much, such as a link to a note.
    fn to_summary(&self) -> Value;

    /// The path of the file that it describes, if it describes one.
    fn file(&self) -> Option<&Arc<str>> {
        None
    }
}

impl Object {
    /// The value of a field; `None` if there is no such field.
    pub fn get(&self, name: &str) -> Option<Value> {
        match self {
            Self::Map(map) => map.get(name).cloned(),
            Self::Record(record) => record.get(name),
        }
    }

    /// Whether there is a field of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        match self {
            Self::Map(map) => map.contains_key(name),
            Self::Record(record) => record.get(name).is_some(),
        }
    }

    /// The names of all fields, in order.
    pub fn names(&self) -> Vec<Arc<str>> {
        match self {
            Self::Map(map) => map.keys().cloned().collect(),
            Self::Record(record) => record.names(),
        }
    }

    /// All fields, in order.
    pub fn entries(&self) -> Map {
        match self {
            Self::Map(map) => Map::clone(map),
            Self::Record(record) => {
                let value = |name: Name| record.get(&name).map(|value| (name, value));
                record.names().into_iter().filter_map(value).collect()
            }
        }
    }
}

impl Value {
    /// The name of its type, as `typeof` returns it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) | Self::Typed(..) => "string",
            Self::Date(_) => "date",
            Self::Duration(_) => "duration",
            Self::Link(_) => "link",
            Self::ExternalLink(_) => "widget",
            Self::Regexp(_) => "regexp",
            Self::List(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// Whether a condition with this value holds: it is not null, zero, empty or `false`.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Boolean(value) => *value,
            Self::Number(number) => *number != 0.0,
            Self::Text(text) | Self::Typed(_, text) => !text.is_empty(),
            Self::Date(date) => date.timestamp().as_millisecond() != 0,
            Self::Duration(duration) => duration.milliseconds() != 0.0,
            Self::Link(link) => !link.path.is_empty(),
            Self::ExternalLink(_) | Self::Regexp(_) => true,
            Self::List(values) => !values.is_empty(),
            Self::Object(Object::Map(map)) => !map.is_empty(),
            Self::Object(Object::Record(record)) => !record.names().is_empty(),
        }
    }

    /// What is shown of it: instead of an object with computed fields a part of them.
    pub(crate) fn to_summary(&self) -> Self {
        match self {
            Self::Object(Object::Record(record)) => record.to_summary(),
            other => other.clone(),
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn text(text: impl AsRef<str>) -> Self {
        Self::Text(Arc::from(text.as_ref()))
    }

    pub(crate) fn list(values: impl IntoIterator<Item = Self>) -> Self {
        Self::List(values.into_iter().collect())
    }

    pub(crate) fn map(map: Map) -> Self {
        Self::Object(Object::Map(Arc::new(map)))
    }

    pub(crate) fn date(date: Zoned) -> Self {
        Self::Date(Arc::new(date))
    }

    pub(crate) fn duration(duration: Duration) -> Self {
        Self::Duration(Arc::new(duration))
    }

    pub(crate) fn link(link: Link) -> Self {
        Self::Link(Arc::new(link))
    }

    /// The value with other links inside. Parts without links are shared.
    pub(crate) fn map_links(&self, change: &dyn Fn(&Arc<Link>) -> Option<Arc<Link>>) -> Self {
        match self {
            Self::Link(link) => Self::Link(change(link).unwrap_or_else(|| Arc::clone(link))),
            Self::List(values) if values.iter().any(Self::has_links) => {
                Self::list(values.iter().map(|value| value.map_links(change)))
            }
            Self::Object(Object::Map(map)) if map.values().any(Self::has_links) => {
                let changed =
                    |(name, value): (&Name, &Self)| (Arc::clone(name), value.map_links(change));
                Self::map(map.iter().map(changed).collect())
            }
            other => other.clone(),
        }
    }

    fn has_links(&self) -> bool {
        match self {
            Self::Link(_) => true,
            Self::List(values) => values.iter().any(Self::has_links),
            Self::Object(Object::Map(map)) => map.values().any(Self::has_links),
            _ => false,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}
