//! What a tool says and its operation does not.

use std::collections::BTreeMap;
use std::fmt;

/// Kinds of loss, with the places that have them.
#[derive(Default)]
pub(crate) struct Losses(BTreeMap<Loss, Vec<String>>);

/// What was lost or altered.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loss {
    /// A union, or a schema without a type.
    Union,
    /// An enum whose values are not all strings, or would share a name in Rust.
    Enum,
    /// A keyword of JSON Schema.
    Keyword(String),
    /// A text that is longer than the language allows.
    Text,
    /// A name that is spelt differently.
    Name,
    /// The title of a tool.
    Title,
    /// Another member of a tool.
    Member(String),
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Union => f.write_str("unions, which became `json`"),
            Self::Enum => f.write_str("enums, whose values now stand in the description"),
            Self::Keyword(keyword) => write!(f, "`{keyword}` of schemas"),
            Self::Text => f.write_str("texts cut to 1,024 characters"),
            Self::Name => f.write_str("parameters and fields renamed to lower case with `_`"),
            Self::Title => f.write_str("titles, where the summary comes from the description"),
            Self::Member(member) => write!(f, "`{member}` of tools"),
        }
    }
}

impl Losses {
    pub(crate) fn add(&mut self, loss: Loss, place: &str) {
        self.0.entry(loss).or_default().push(place.to_owned());
    }
}

/// A list item for each kind, with its first places.
impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// So many places are named.
        const NAMED: usize = 3;
        for (loss, places) in &self.0 {
            let named = places.iter().take(NAMED).map(|place| format!("`{place}`"));
            let more = if places.len() > NAMED { ", .." } else { "" };
            let named = named.collect::<Vec<_>>().join(", ");
            writeln!(f, "- {} {loss}: {named}{more}", places.len())?;
        }
        Ok(())
    }
}
