//! Finding tasks in notes.

use std::sync::LazyLock;

use regex::Regex;

use super::Vault;
use super::tasks::{TaskLine, split_line};
use crate::document::{Document, ListItem};
use crate::error::{Result, VaultError};
use crate::path::{Folder, VaultPath};
use crate::search::{Excerpt, Hit, SearchOptions, SearchResults, read_text};
use crate::storage::walk::{CancelCheck, LastFolder, files};

/// What each note with a task contains.
#[expect(clippy::expect_used, reason = "the expression is constant")]
static TASK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:[-*+]|[0-9][.)])[\s>]+\[[^\r\n]\]").expect("a valid expression")
});

/// A task that is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchedTask<'a> {
    /// The line on which it begins.
    pub line: TaskLine<'a>,
    /// The tags in its own text, without `#`.
    pub tags: Vec<&'a str>,
}

impl Vault {
    /// Finds the tasks in the notes in and below a folder that a test accepts, in the order of paths and lines.
    ///
    /// # Errors
    /// `NotFound` or `InvalidPath` if there is no such folder, `Cancelled`, `Io`.
    pub fn find_tasks(
        &self,
        is_wanted: &dyn Fn(&SearchedTask<'_>) -> bool,
        folder: &Folder,
        options: SearchOptions,
        cancel: CancelCheck<'_>,
    ) -> Result<SearchResults> {
        let (mut notes, left_out) = files(self.root(), folder, cancel)?;
        notes.retain(VaultPath::is_note);
        let mut results = SearchResults { left_out, ..SearchResults::default() };
        let mut folder = LastFolder::new(self.root());
        for path in notes {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            let text = folder.open(&path).and_then(|dir| read_text(dir, path.name()));
            let lines = text.map(|text| find_lines(&text, is_wanted));
            let Some(Some(lines)) = lines else {
                results.not_searched += 1;
                continue;
            };
            results.total_hits += lines.len();
            results.matching_files += usize::from(!lines.is_empty());
            let free = options.limit - results.hits.len();
            let shown = lines.into_iter().take(free.min(options.per_note.unwrap_or(usize::MAX)));
            let hit = |line| Hit { path: path.clone(), excerpt: Some(line) };
            results.hits.extend(shown.map(hit));
        }
        Ok(results)
    }
}

/// The lines of the tasks that are wanted; `None` if the note is too large to be parsed.
fn find_lines(text: &str, is_wanted: &dyn Fn(&SearchedTask<'_>) -> bool) -> Option<Vec<Excerpt>> {
    if !TASK.is_match(text) {
        return Some(Vec::new());
    }
    let document = Document::parse(text).ok()?;
    let wanted = |item: &&ListItem| {
        item.task.is_some_and(|task| {
            let line = split_line(text, item, task);
            let first = document.tags.partition_point(|tag| tag.span.start < item.span.start);
            let own = document.tags[first..].iter();
            let own = own.take_while(|tag| tag.span.start < item.span.end);
            is_wanted(&SearchedTask { line, tags: own.map(|tag| tag.name).collect() })
        })
    };
    let found = document.items.iter().filter(wanted);
    Some(found.map(|item| Excerpt::line_at(text, item.span.start)).collect())
}
