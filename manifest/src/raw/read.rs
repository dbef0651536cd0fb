//! Reads nodes into typed values. All errors are reported, not only the first.

use toolwrit_text::nearest;

use crate::diagnostics::{Place, Problem, Report};
use crate::yaml::{Kind, Node, Text};

/// A value that can be read from a node.
pub(crate) trait FromNode: Sized {
    /// Reads a node that belongs to the key at `owner`. `None` if it is of the wrong kind, which is
    /// reported.
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self>;
}

/// Reports a node of the wrong kind.
pub(super) fn wrong_kind(node: &Node, owner: Place, expected: &str, report: &mut Report) {
    let place = match node.kind {
        Kind::Refused => return,
        // An empty value has no characters to point at.
        Kind::Null => owner,
        _ => node.place,
    };
    let message = format!("expected {expected}, found {}", node.found());
    report.push(Problem::error(place, message));
}

/// Reports a text that would be of the right kind without its quotes.
pub(super) fn quoted(node: &Node, expected: &str, report: &mut Report) {
    let message = format!("expected {expected}, found {}", node.found());
    report.push(Problem::error(node.place, message).help("remove the quotes"));
}

impl FromNode for Text {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        if let Kind::Text(text) = &node.kind {
            return Some(text.clone());
        }
        if let Kind::Boolean(_) | Kind::Number(_) = node.kind {
            report.push(
                Problem::error(node.place, format!("expected a string, found {}", node.found()))
                    .help("quote it"),
            );
        } else {
            wrong_kind(node, owner, "a string", report);
        }
        None
    }
}

/// A value that is not text, with its place.
#[derive(Debug, Clone)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) place: Place,
}

/// Any JSON value.
impl FromNode for Located<serde_json::Value> {
    fn from_node(node: &Node, owner: Place, _: &mut Report) -> Option<Self> {
        let place = if matches!(node.kind, Kind::Null) { owner } else { node.place };
        Some(Self { value: node.to_value()?, place })
    }
}

/// Keeps an entry of [`Entries`] whose value cannot be read.
impl<T: FromNode> FromNode for Option<T> {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        T::from_node(node, owner, report).map(Some)
    }
}

impl<T: FromNode> FromNode for Vec<T> {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        match &node.kind {
            Kind::Sequence(items) => Some(
                items.iter().filter_map(|item| T::from_node(item, item.place, report)).collect(),
            ),
            Kind::Text(text) => {
                report.push(
                    Problem::error(node.place, format!("expected a list, found {}", node.found()))
                        .help(format!("write `[{}]`", text.value)),
                );
                None
            }
            _ => {
                wrong_kind(node, owner, "a list", report);
                None
            }
        }
    }
}

/// A mapping with names as keys, in the order of the document.
#[derive(Debug, Clone)]
pub(crate) struct Entries<T>(pub(crate) Vec<Entry<T>>);

/// A name and its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry<T> {
    pub(crate) key: Text,
    pub(crate) value: T,
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// An entry whose value cannot be read keeps its name, so that references to it are not reported.
impl<T: FromNode + Default> FromNode for Entries<T> {
    fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
        let Kind::Mapping(entries) = &node.kind else {
            wrong_kind(node, owner, "a mapping", report);
            return None;
        };
        let read = |(key, node): &(Text, Node)| Entry {
            key: key.clone(),
            value: T::from_node(node, key.place, report).unwrap_or_default(),
        };
        Some(Self(entries.iter().map(read).collect()))
    }
}

/// A mapping with a fixed set of keys, while it is being read.
pub(super) struct MappingKeys<'a> {
    entries: &'a [(Text, Node)],
    owner: Place,
    what: &'static str,
    known: &'a [&'a str],
}

impl<'a> MappingKeys<'a> {
    /// Reports the keys that are not known.
    pub(super) fn from_node(
        node: &'a Node,
        owner: Place,
        what: &'static str,
        known: &'a [&'a str],
        report: &mut Report,
    ) -> Option<Self> {
        let Kind::Mapping(entries) = &node.kind else {
            wrong_kind(node, owner, "a mapping", report);
            return None;
        };
        for (key, _) in entries {
            if !known.contains(&key.value.as_str()) {
                let message = format!("unknown key `{}` in {what}", key.value);
                report.unknown_word(key.place, message, &key.value, known);
            }
        }
        Some(Self { entries, owner, what, known })
    }

    pub(super) fn read<T: FromNode>(&self, name: &str, report: &mut Report) -> Option<T> {
        let (key, node) = self.entries.iter().find(|(key, _)| key.value == name)?;
        T::from_node(node, key.place, report)
    }

    /// Reports that a key is missing, unless one of the others is there.
    pub(super) fn required(&self, name: &str, others: &[&str], report: &mut Report) {
        // Report a misspelt key once: as unknown, and not as missing too.
        let is_meant = |(key, _): &(Text, Node)| {
            let (key, is_known) = (key.value.as_str(), self.known.contains(&key.value.as_str()));
            let is = |name: &str| key == name || (!is_known && nearest::is_similar(key, name));
            is(name) || others.iter().any(|other| is(other))
        };
        if !self.entries.iter().any(is_meant) {
            report.push(
                Problem::error(self.owner, format!("{} needs `{name}`", self.what))
                    .help(format!("add `{name}: ..`")),
            );
        }
    }
}

/// Declares a mapping of the language once; its struct, its reader and, behind the feature
/// `schema`, its JSON Schema follow. All fields are options, because a value that cannot be read is
/// reported and left out; `[required]` makes the absence of the key itself a problem, `[required unless other]` only
/// if the other key is absent, too.
macro_rules! mapping {
    ($(
        $(#[$doc:meta])*
        $name:ident, $what:literal {
            $($(#[$field_doc:meta])* $field:ident: $type:ty $([$required:ident $(unless $other:ident)?])?,)*
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Default)]
        #[cfg_attr(
            feature = "schema",
            derive(schemars::JsonSchema),
            schemars(deny_unknown_fields)
        )]
        pub(crate) struct $name {
            $(
                $(#[$field_doc])*
                $(#[cfg_attr(feature = "schema", schemars($required))])?
                pub(crate) $field: Option<$type>,
            )*
        }

        impl $crate::raw::FromNode for $name {
            fn from_node(
                node: &$crate::yaml::Node,
                owner: $crate::diagnostics::Place,
                report: &mut $crate::diagnostics::Report,
            ) -> Option<Self> {
                let known = [$($crate::raw::read::key(stringify!($field))),*];
                let keys = $crate::raw::read::MappingKeys::from_node(node, owner, $what, &known, report)?;
                $($(
                    keys.$required(
                        $crate::raw::read::key(stringify!($field)),
                        &[$(stringify!($other))?],
                        report,
                    );
                )?)*
                Some(Self {
                    $($field: keys.read($crate::raw::read::key(stringify!($field)), report),)*
                })
            }
        }
    )*};
}
pub(super) use mapping;

/// The key of a field: its name without the mark of a raw identifier.
pub(super) fn key(field: &'static str) -> &'static str {
    field.strip_prefix("r#").unwrap_or(field)
}
