//! Places in a note that a caller can name: a heading by its path, or a block by its id.

use std::fmt;

use toolwrit_text::nearest;
use unicode_normalization::UnicodeNormalization as _;

use crate::document::{Block, Document, Heading, Span};
use crate::path::normal_form;

/// Most names suggested for a missing target.
const SUGGESTIONS: usize = 5;
/// Most names compared for suggestions.
const LOOKED_AT: usize = 5_000;
/// Longest name suggested, in bytes.
const LONGEST: usize = 1_000;
/// Most places listed when a name is ambiguous.
const LISTED: usize = 10;
/// Separates the headings of a path in text.
const SEPARATOR: &str = "::";

/// The headings from the top of a note to a section: `Plan::Week 1::Monday`.
///
/// Each heading comes below the one before it, at any level. Headings are compared without
/// surrounding white space and in any Unicode normal form. If a path leads nowhere, `::` may also
/// be part of a heading: `Rust::std::vec` leads to `std::vec` below `Rust`. A list of headings
/// leaves no such doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadingPath {
    headings: Vec<String>,
    separators: Separators,
}

/// What separates the headings of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separators {
    /// They are items of a list.
    BetweenHeadings,
    /// `::`, which may also be part of a heading.
    InHeadings,
}

/// The id of a block, without `^`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockId(String);

/// A target that is not exactly one place in the note. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// A heading path or block id that no note can have.
    #[error("`{given}` is not a valid target: {expected}")]
    Malformed {
        /// As given.
        given: String,
        /// What is expected.
        expected: &'static str,
    },
    /// The note has no such place.
    #[error("there is no {kind} `{name}` in the note{}", suggest(near))]
    Missing {
        /// `heading`, `block` or `property`.
        kind: &'static str,
        /// The name as asked for.
        name: String,
        /// Existing names, the nearest first, at most five.
        near: Vec<String>,
    },
    /// The note has no line of that number.
    #[error("there is no line {line}; the note has {lines}")]
    BeyondEnd {
        /// The line asked for.
        line: usize,
        /// How many lines the note has.
        lines: usize,
    },
    /// The note has several such places.
    #[error(
        "there are several {kind}s `{name}`, on lines {}; make their names differ",
        list_lines(lines)
    )]
    Ambiguous {
        /// `heading` or `block`.
        kind: &'static str,
        /// The name as asked for.
        name: String,
        /// The numbers of the first ten lines with it, from 1.
        lines: Vec<usize>,
    },
}

fn suggest(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; there is `{}`", near.join("`, `")) }
}

fn list_lines(lines: &[usize]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
}

impl TargetError {
    /// The error for a missing `name`, with suggestions from the existing names.
    pub(crate) fn missing_error(kind: &'static str, name: &str, there: Vec<String>) -> Self {
        let last = |path: &str| path.rsplit(SEPARATOR).next().unwrap_or_default().to_owned();
        let score = |candidate: &String| {
            nearest::similarity(candidate, name)
                .max(nearest::similarity(&last(candidate), &last(name)))
        };
        let there = there.into_iter().take(LOOKED_AT);
        let mut near: Vec<_> = there.map(|name| (score(&name), name)).collect();
        near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        near.dedup_by(|(_, a), (_, b)| a == b);
        let near = near.into_iter().take(SUGGESTIONS).map(|(_, name)| name).collect();
        Self::Missing { kind, name: name.to_owned(), near }
    }
}

impl HeadingPath {
    /// A path of headings, the outermost first.
    ///
    /// # Errors
    /// `Malformed` if there is no heading or one is empty.
    pub fn new(headings: &[impl AsRef<str>]) -> Result<Self, TargetError> {
        let headings: Vec<String> =
            headings.iter().map(|heading| normal_form(heading.as_ref().trim())).collect();
        if headings.is_empty() || headings.iter().any(String::is_empty) {
            let expected = "expected at least one heading, none of them empty";
            return Err(TargetError::Malformed { given: headings.join(SEPARATOR), expected });
        }
        Ok(Self { headings, separators: Separators::BetweenHeadings })
    }

    /// Parses `A::B`, or a JSON array of headings, in which a heading may contain `::`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        if let Ok(headings) = serde_json::from_str::<Vec<String>>(text) {
            return Self::new(&headings);
        }
        let path = Self::new(&text.split(SEPARATOR).collect::<Vec<_>>())?;
        Ok(Self { separators: Separators::InHeadings, ..path })
    }

    /// The headings, the outermost first.
    pub fn headings(&self) -> &[String] {
        &self.headings
    }

    /// The one heading of a note that the path leads to.
    ///
    /// # Errors
    /// `Missing` with the nearest paths, `Ambiguous` with the lines.
    pub fn find<'d, 'a>(&self, document: &'d Document<'a>) -> Result<&'d Heading<'a>, TargetError> {
        let mut found = self.find_all(document, Separators::BetweenHeadings);
        if found.is_empty() && self.separators == Separators::InHeadings {
            found = self.find_all(document, Separators::InHeadings);
        }
        match found[..] {
            [heading] => Ok(heading),
            [] => Err(missing_heading_error(document, &self.to_string())),
            _ => {
                let spans = found.iter().map(|heading| heading.span);
                Err(ambiguous_error("heading", &self.to_string(), document, spans))
            }
        }
    }

    /// The first headings that the path leads to.
    fn find_all<'d, 'a>(
        &self,
        document: &'d Document<'a>,
        separators: Separators,
    ) -> Vec<&'d Heading<'a>> {
        let leads = |path: &[&Heading<'_>]| {
            let texts = path.iter().map(|heading| heading.text);
            match separators {
                Separators::BetweenHeadings => self.is(texts),
                Separators::InHeadings => {
                    self.is(texts.flat_map(|text| text.split(SEPARATOR).map(str::trim)))
                }
            }
        };
        let paths = document.heading_paths().filter(|path| leads(path));
        paths.filter_map(|path| path.last().copied()).take(LISTED).collect()
    }

    /// Whether these are the headings of the path. Looks no further than to the first difference.
    fn is<'t>(&self, mut texts: impl Iterator<Item = &'t str>) -> bool {
        let mut names = self.headings.iter();
        let is_next = |text: &str| names.next().is_some_and(|name| text.nfc().eq(name.chars()));
        texts.all(is_next) && names.next().is_none()
    }

    /// The longest start of the path that leads to exactly one heading, if any, and the rest.
    pub(crate) fn find_deepest<'p, 'd, 'a>(
        &'p self,
        document: &'d Document<'a>,
    ) -> Result<(Option<&'d Heading<'a>>, &'p [String]), TargetError> {
        for length in (1..self.headings.len()).rev() {
            let start = Self { headings: self.headings[..length].to_vec(), ..*self };
            match start.find(document) {
                Ok(heading) => return Ok((Some(heading), &self.headings[length..])),
                Err(TargetError::Missing { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok((None, &self.headings))
    }
}

impl fmt::Display for HeadingPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headings.join(SEPARATOR))
    }
}

/// The heading that `A#B` in a link leads to. As in Obsidian, it is the first heading `B` below an
/// `A`, whatever is above them, between them, or has the same name.
///
/// # Errors
/// `Missing` with the nearest paths.
pub fn find_linked<'d, 'a>(
    document: &'d Document<'a>,
    subpath: &str,
) -> Result<&'d Heading<'a>, TargetError> {
    let (above, last) = subpath.rsplit_once('#').map_or((None, subpath), |(a, b)| (Some(a), b));
    let is =
        |heading: &Heading<'_>, name: &str| compared_chars(heading.text).eq(compared_chars(name));
    let found = document.heading_paths().find(|path| {
        let mut outer = path.iter();
        outer.next_back().is_some_and(|heading| is(heading, last))
            && above
                .iter()
                .flat_map(|above| above.split('#'))
                .all(|name| outer.any(|heading| is(heading, name)))
    });
    let heading = found.and_then(|path| path.last().copied());
    heading.ok_or_else(|| missing_heading_error(document, subpath))
}

/// A heading as links compare it: without case, and without the punctuation that links cannot have.
fn compared_chars(heading: &str) -> impl Iterator<Item = char> {
    let is_between =
        |c: char| c.is_whitespace() || c.is_ascii_punctuation() && !matches!(c, '-' | '_' | '\'');
    let words = heading.split(is_between);
    let words = words.filter(|word| !word.is_empty());
    let spaced = words.flat_map(|word| word.chars().chain([' ']));
    spaced.nfc().flat_map(char::to_lowercase)
}

/// The error for a heading that a note does not have.
fn missing_heading_error(document: &Document<'_>, name: &str) -> TargetError {
    let short = |path: &Vec<&Heading<'_>>| {
        path.iter().map(|heading| heading.text.len()).sum::<usize>() <= LONGEST
    };
    let there =
        document.heading_paths().filter(short).take(LOOKED_AT).map(|path| {
            path.iter().map(|heading| heading.text).collect::<Vec<_>>().join(SEPARATOR)
        });
    TargetError::missing_error("heading", name, there.collect())
}

impl BlockId {
    /// Parses an id, with or without a leading `^`.
    ///
    /// # Errors
    /// `Malformed` unless it consists of letters, digits and `-` (ASCII).
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        let id = text.trim();
        let id = id.strip_prefix('^').unwrap_or(id);
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if id.is_empty() || !id.bytes().all(allowed) {
            let expected = "a block id consists of letters, digits and `-`";
            return Err(TargetError::Malformed { given: text.to_owned(), expected });
        }
        Ok(Self(id.to_owned()))
    }

    /// The id without `^`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The one block of a note with this id.
    ///
    /// # Errors
    /// `Missing` with the nearest ids, `Ambiguous` with the lines.
    pub fn find<'d, 'a>(&self, document: &'d Document<'a>) -> Result<&'d Block<'a>, TargetError> {
        let mut found = document.blocks.iter().filter(|block| block.id == self.0);
        match (found.next(), found.next()) {
            (Some(block), None) => Ok(block),
            (None, _) => {
                let there = document.blocks.iter().map(|block| block.id.to_owned()).collect();
                Err(TargetError::missing_error("block", &self.0, there))
            }
            (Some(_), Some(_)) => {
                let blocks = document.blocks.iter().filter(|block| block.id == self.0);
                let spans = blocks.take(LISTED).map(|block| block.marker);
                Err(ambiguous_error("block", &self.0, document, spans))
            }
        }
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn ambiguous_error(
    kind: &'static str,
    name: &str,
    document: &Document<'_>,
    spans: impl Iterator<Item = Span>,
) -> TargetError {
    let line = |span: Span| document.text[..span.start].matches('\n').count() + 1;
    TargetError::Ambiguous { kind, name: name.to_owned(), lines: spans.map(line).collect() }
}
