//! Ids of entities.

use std::fmt;
use std::str::FromStr;

use toolwrit_text::shorten;

use super::alternatives::join_alternatives;
use super::kind::EntityKind;

/// The id of an entity in its workspace: `T-001`, or `T-001.2` for a part of it.
///
/// Ids are ordered by kind and number. `t-1` is another spelling of `T-001`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityId {
    kind: EntityKind,
    prefix: Prefix,
    number: u32,
    /// The numbers after the dots; 0 where there is none.
    parts: [u16; 3],
}

/// The letters before the number of an id, and the digits that the number has at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Prefix {
    /// ASCII, filled up with zeros.
    letters: [u8; Prefix::LONGEST],
    digits: u8,
}

/// How the ids of a workspace are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IdScheme {
    /// The prefixes, the first of a kind being that of new entities.
    prefixes: Vec<(EntityKind, Prefix)>,
    /// Other spellings of prefixes.
    spellings: Vec<(Prefix, (EntityKind, Prefix))>,
}

/// A text that is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no id; expected {expected}")]
pub struct InvalidId {
    /// The text, shortened.
    pub text: String,
    /// The first id of each kind.
    pub expected: String,
}

impl Prefix {
    const LONGEST: usize = 16;

    /// The prefix of an id such as `T-001`. An id without a number has `digits`.
    pub(crate) fn of_example(example: &str, digits: u8) -> Option<Self> {
        let (letters, number) = example.trim().split_once('-').unwrap_or((example.trim(), ""));
        let is_number = number.len() <= 9 && number.bytes().all(|byte| byte.is_ascii_digit());
        let digits = u8::try_from(number.len()).ok().filter(|given| *given > 0).unwrap_or(digits);
        is_number.then(|| Self::new(letters, digits))?
    }

    fn new(letters: &str, digits: u8) -> Option<Self> {
        let is_word = !letters.is_empty()
            && letters.len() <= Self::LONGEST
            && letters.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_word.then(|| {
            let mut filled = [0; Self::LONGEST];
            filled[..letters.len()].copy_from_slice(letters.as_bytes());
            Self { letters: filled, digits }
        })
    }

    pub(crate) fn digits(self) -> u8 {
        self.digits
    }

    fn matches(self, letters: &str) -> bool {
        self.as_str().eq_ignore_ascii_case(letters)
    }

    fn as_str(&self) -> &str {
        let length = self.letters.iter().position(|byte| *byte == 0).unwrap_or(Self::LONGEST);
        std::str::from_utf8(&self.letters[..length]).unwrap_or_default()
    }
}

impl Default for IdScheme {
    fn default() -> Self {
        let prefix = |kind: EntityKind| Some((kind, Prefix::new(kind.prefix(), 3)?));
        let prefixes = EntityKind::ALL.into_iter().filter_map(prefix).collect();
        Self { prefixes, spellings: Vec::new() }
    }
}

impl IdScheme {
    /// Gives a kind other prefixes. The ones before remain other spellings of the first.
    pub(crate) fn set_prefixes(&mut self, kind: EntityKind, prefixes: &[Prefix]) {
        let Some(&first) = prefixes.first() else { return };
        let (before, others): (Vec<_>, Vec<_>) =
            self.prefixes.drain(..).partition(|(known, _)| *known == kind);
        self.prefixes = others;
        self.prefixes.extend(prefixes.iter().map(|prefix| (kind, *prefix)));
        self.spellings.extend(before.into_iter().map(|(_, prefix)| (prefix, (kind, first))));
    }

    /// The prefix of new entities.
    pub(crate) fn prefix(&self, kind: EntityKind) -> Option<Prefix> {
        self.prefixes.iter().find(|(known, _)| *known == kind).map(|(_, prefix)| *prefix)
    }

    /// The id of a new entity with this number; `None` if it is zero or too large.
    pub(crate) fn id(&self, kind: EntityKind, number: u32) -> Option<EntityId> {
        let prefix = self.prefix(kind)?;
        let is_valid = (1..=EntityId::LARGEST).contains(&number);
        is_valid.then_some(EntityId { kind, prefix, number, parts: [0; 3] })
    }

    /// Parses an id.
    ///
    /// # Errors
    /// [`InvalidId`]
    pub(crate) fn parse(&self, text: &str) -> Result<EntityId, InvalidId> {
        self.parse_id(text)
            .ok_or_else(|| InvalidId { text: shorten::name(text), expected: self.describe_ids() })
    }

    fn parse_id(&self, text: &str) -> Option<EntityId> {
        let (letters, numbers) = text.trim().split_once('-')?;
        let known = self.prefixes.iter().find(|(_, prefix)| prefix.matches(letters)).copied();
        let other = || self.spellings.iter().find(|(prefix, _)| prefix.matches(letters));
        let (kind, prefix) = known.or_else(|| other().map(|(_, meant)| *meant))?;
        let mut numbers = numbers.split('.');
        let are_digits =
            |text: &str| text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = numbers.next().filter(|text| are_digits(text))?.parse().ok()?;
        let mut parts = [0; 3];
        for (place, text) in numbers.enumerate() {
            let part = parts.get_mut(place)?;
            *part = text.parse().ok().filter(|number| *number > 0 && are_digits(text))?;
        }
        // Programs that do not fill up their numbers begin at zero.
        let least = u32::from(prefix.digits > 1);
        let is_valid = (least..=EntityId::LARGEST).contains(&number);
        is_valid.then_some(EntityId { kind, prefix, number, parts })
    }

    fn describe_ids(&self) -> String {
        let first = |(kind, prefix): &(EntityKind, Prefix)| EntityId {
            kind: *kind,
            prefix: *prefix,
            number: 1,
            parts: [0; 3],
        };
        let ids: Vec<String> = self.prefixes.iter().map(|known| first(known).to_string()).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        join_alternatives(&ids)
    }
}

impl EntityId {
    /// The largest number.
    pub(crate) const LARGEST: u32 = 999_999_999;

    pub fn kind(self) -> EntityKind {
        self.kind
    }

    pub fn number(self) -> u32 {
        self.number
    }

    pub(crate) fn prefix(self) -> Prefix {
        self.prefix
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { prefix, number, parts, .. } = self;
        write!(f, "{}-{number:0digits$}", prefix.as_str(), digits = usize::from(prefix.digits))?;
        parts.iter().filter(|part| **part > 0).try_for_each(|part| write!(f, ".{part}"))
    }
}

impl FromStr for EntityId {
    type Err = InvalidId;

    /// Parses an id of the usual scheme: `M-001`, `S-001`, `T-001`, `DEC-001`, `DOC-001`.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        IdScheme::default().parse(text)
    }
}
