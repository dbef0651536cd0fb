//! What the conversion of a tool to an operation loses.

use std::collections::BTreeMap;
use std::fmt;

/// Kinds of loss, with the affected places.
#[derive(Default)]
pub(crate) struct Losses(BTreeMap<Loss, Vec<String>>);

/// A part of a tool that was lost or altered.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loss {
    /// A union, or a schema without a type.
    Union,
    /// An enum whose values are not all strings, or would share a name in Rust.
    Enum,
    /// A keyword of JSON Schema.
    Keyword(String),
    /// A text that exceeds the limits of the language.
    Text,
    /// A name that is spelled differently.
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
        /// How many places are listed.
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
