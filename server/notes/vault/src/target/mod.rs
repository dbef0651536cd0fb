//! Places in a note that a caller can name: a heading by its path, a block by its id, or a task.

mod heading_path;
mod task;

use std::fmt;

use toolwrit_text::nearest;
use unicode_normalization::UnicodeNormalization as _;

use crate::document::{Block, Document, Heading, Span};

pub use heading_path::HeadingPath;
pub(crate) use heading_path::NewHeadings;
pub use task::{TaskPlace, TaskTarget};

/// Most names suggested for a missing target.
const SUGGESTIONS: usize = 5;
/// Most names compared for suggestions.
const LOOKED_AT: usize = 5_000;
/// Most places listed when a name is ambiguous.
const LISTED: usize = 10;
/// Separates the headings of a path in text.
const SEPARATOR: &str = "::";

/// The id of a block, without `^`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockId(String);

/// A target that is not exactly one place in the note. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// A heading path or block id that no note can have.
    #[error("`{given}` is not a valid target: {expected}")]
    Malformed {
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
    #[error("there are several {kind}s `{name}`{}", list_places(places))]
    Ambiguous {
        /// `heading` or `block`.
        kind: &'static str,
        /// The name as asked for.
        name: String,
        /// The first ten of them.
        places: Vec<EqualPlace>,
    },
    /// A heading that would be created, although the end of another path is the same.
    #[error(
        "there is no heading `{name}` at the top of the note, but there is `{}`; name that one, or give the new one as a list",
        there.join("`, `")
    )]
    Elsewhere {
        /// The name as asked for.
        name: String,
        /// The headings that may be meant.
        there: Vec<String>,
    },
    /// The note has no such task.
    #[error("there is no task at {target}{}", list_tasks("; the note has", near))]
    NoTask {
        /// How it was named.
        target: String,
        /// Existing tasks, the nearest first, at most ten.
        near: Vec<TaskPlace>,
    },
    /// Several tasks have the text.
    #[error("several tasks have the text `{text}`{}; name one by its line", list_tasks("", places))]
    SeveralTasks {
        /// The text as given.
        text: String,
        /// The first ten of them.
        places: Vec<TaskPlace>,
    },
}

fn list_tasks(intro: &str, tasks: &[TaskPlace]) -> String {
    let list: Vec<String> = tasks.iter().map(ToString::to_string).collect();
    if list.is_empty() { String::new() } else { format!("{intro}: {}", list.join(", ")) }
}

fn suggest(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; there is `{}`", near.join("`, `")) }
}

/// One of several places with the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EqualPlace {
    /// The number of its line, from 1.
    pub line: usize,
    /// A name that leads to it alone; `None` for blocks.
    pub name: Option<String>,
}

fn list_places(places: &[EqualPlace]) -> String {
    let describe = |place: &EqualPlace| match &place.name {
        Some(name) => format!("`{name}` on line {}", place.line),
        None => format!("line {}", place.line),
    };
    let list = places.iter().map(describe).collect::<Vec<_>>().join(", ");
    match places.first() {
        Some(EqualPlace { name: Some(_), .. }) => format!("; name one of them: {list}"),
        _ => format!(": {list}; make their names differ"),
    }
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
    heading.ok_or_else(|| heading_path::missing_error(document, subpath))
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
                Err(ambiguous_block_error(&self.0, document, spans))
            }
        }
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The number of the line on which a span starts, from 1.
fn line_number(document: &Document<'_>, span: Span) -> usize {
    document.text[..span.start].matches('\n').count() + 1
}

fn ambiguous_block_error(
    name: &str,
    document: &Document<'_>,
    spans: impl Iterator<Item = Span>,
) -> TargetError {
    let place = |span| EqualPlace { line: line_number(document, span), name: None };
    TargetError::Ambiguous {
        kind: "block",
        name: name.to_owned(),
        places: spans.map(place).collect(),
    }
}
