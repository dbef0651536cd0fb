//! Places of tasks.

use std::fmt;

use toolwrit_text::nearest;

use super::{BlockId, LISTED, LOOKED_AT, TargetError, line_number};
use crate::document::{Document, ListItem, TaskItem};
use crate::path::normal_form;

/// Longest text of a task that an error shows, in characters.
const SHOWN: usize = 80;

/// How a caller names one task of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskTarget {
    /// By the number of its line, from 1.
    Line(usize),
    /// By its block id.
    Block(BlockId),
    /// By its text, or a part of it, in any case.
    Text(String),
}

/// A task of a note, as errors show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPlace {
    /// The number of its line, from 1.
    pub line: usize,
    /// The start of its text.
    pub text: String,
}

impl fmt::Display for TaskPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: `{}`", self.line, self.text)
    }
}

impl TaskTarget {
    /// The one task that is meant. Of several with the text, those count that a change `applies` to, and of those the ones
    /// with exactly this text.
    ///
    /// # Errors
    /// `NoTask`, `SeveralTasks`, and for a block those of [`BlockId::find`].
    pub(crate) fn find(
        &self,
        document: &Document<'_>,
        applies: impl Fn(char) -> bool,
    ) -> Result<(ListItem, TaskItem), TargetError> {
        let found = match self {
            Self::Line(line) => find_on_line(document, *line),
            Self::Block(id) => document.item_of(id.find(document)?).copied(),
            Self::Text(text) => return find_by_text(document, text, applies),
        };
        let task = found.and_then(|item| item.task.map(|task| (item, task)));
        task.ok_or_else(|| self.missing_error(document))
    }

    fn missing_error(&self, document: &Document<'_>) -> TargetError {
        let tasks = document.items.iter().filter(|item| item.task.is_some()).take(LOOKED_AT);
        let mut near: Vec<(f64, TaskPlace)> = tasks
            .map(|item| {
                let place = to_place(document, item);
                let score = match self {
                    Self::Text(text) => nearest::similarity(&place.text, text),
                    #[expect(clippy::cast_precision_loss, reason = "a text has few lines")]
                    Self::Line(line) => -(place.line.abs_diff(*line) as f64),
                    Self::Block(_) => 0.0,
                };
                (score, place)
            })
            .collect();
        near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let near = near.into_iter().take(LISTED).map(|(_, place)| place).collect();
        TargetError::NoTask { target: self.to_string(), near }
    }
}

impl fmt::Display for TaskTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Block(id) => write!(f, "block `{id}`"),
            Self::Text(text) => write!(f, "text `{text}`"),
        }
    }
}

/// The last item that begins on a line: `- - [ ] x` are two.
fn find_on_line(document: &Document<'_>, line: usize) -> Option<ListItem> {
    let before = document.text.match_indices('\n').map(|(at, _)| at + 1);
    let start = [0].into_iter().chain(before).nth(line.checked_sub(1)?)?;
    let length = document.text[start..].find('\n').unwrap_or(document.text.len() - start);
    let mut on_line = document
        .items
        .iter()
        .filter(|item| item.task.is_some() && (start..start + length).contains(&item.span.start));
    on_line.next_back().copied()
}

fn find_by_text(
    document: &Document<'_>,
    text: &str,
    applies: impl Fn(char) -> bool,
) -> Result<(ListItem, TaskItem), TargetError> {
    let wanted = fold(text);
    let tasks = document.items.iter().filter_map(|item| Some((*item, item.task?)));
    let folded = |task: &TaskItem| fold(task.text.slice(document.text));
    let mut found: Vec<_> = tasks.filter(|(_, task)| folded(task).contains(&wanted)).collect();
    keep_if_any(&mut found, |(_, task)| applies(task.status));
    keep_if_any(&mut found, |(_, task)| folded(task) == wanted);
    match found[..] {
        [] => Err(TaskTarget::Text(text.to_owned()).missing_error(document)),
        [one] => Ok(one),
        _ => {
            let places = found.iter().take(LISTED).map(|(item, _)| to_place(document, item));
            Err(TargetError::SeveralTasks { text: text.to_owned(), places: places.collect() })
        }
    }
}

fn keep_if_any<T>(found: &mut Vec<T>, is_better: impl Fn(&T) -> bool) {
    if found.len() > 1 && found.iter().any(&is_better) {
        found.retain(is_better);
    }
}

fn fold(text: &str) -> String {
    normal_form(text.trim()).to_lowercase()
}

fn to_place(document: &Document<'_>, item: &ListItem) -> TaskPlace {
    let text = item.task.map_or("", |task| task.text.slice(document.text));
    let first = text.lines().next().unwrap_or_default();
    TaskPlace { line: line_number(document, item.span), text: first.chars().take(SHOWN).collect() }
}
