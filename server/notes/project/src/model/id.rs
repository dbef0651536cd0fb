//! Ids of entities.

use std::fmt;
use std::str::FromStr;

use toolwrit_text::shorten;

use super::kind::EntityKind;

/// The id of an entity in its workspace: `T-001`.
///
/// Ids are ordered by kind and number. `t-1` is another spelling of `T-001`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityId {
    kind: EntityKind,
    number: u32,
}

/// A text that is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no id; expected M-001, S-001, T-001, DEC-001 or DOC-001")]
pub struct InvalidId {
    /// The text, shortened.
    pub text: String,
}

impl EntityId {
    /// The largest number.
    pub(crate) const LARGEST: u32 = 999_999_999;

    /// The id with this number; `None` if the number is zero or too large.
    pub(crate) fn new(kind: EntityKind, number: u32) -> Option<Self> {
        (1..=Self::LARGEST).contains(&number).then_some(Self { kind, number })
    }

    pub fn kind(self) -> EntityKind {
        self.kind
    }

    pub fn number(self) -> u32 {
        self.number
    }

    /// Parses what refers to an entity: an id, or a link to the note with that name, as Obsidian writes it.
    ///
    /// # Errors
    /// [`InvalidId`]
    pub fn from_reference(text: &str) -> Result<Self, InvalidId> {
        let inner = text.trim().strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
        let Some(target) = inner else { return text.parse() };
        let target = target.split(['|', '#']).next().unwrap_or(target);
        let name = target.rsplit('/').next().unwrap_or(target);
        name.strip_suffix(".md").unwrap_or(name).parse()
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:03}", self.kind.prefix(), self.number)
    }
}

impl FromStr for EntityId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let parse = || {
            let (prefix, digits) = text.trim().split_once('-')?;
            let is_prefix = |kind: &EntityKind| kind.prefix().eq_ignore_ascii_case(prefix);
            let kind = EntityKind::ALL.into_iter().find(is_prefix)?;
            let are_digits = digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = if are_digits { digits.parse().ok()? } else { return None };
            Self::new(kind, number)
        };
        parse().ok_or_else(|| InvalidId { text: shorten::name(text) })
    }
}
