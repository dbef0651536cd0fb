//! What is around the lines that a search has found.

use super::Vault;
use crate::document::Document;
use crate::error::{Result, VaultError};
use crate::search::{Hit, read_text, snippet};
use crate::storage::walk::{CancelCheck, LastFolder};

/// What is around a line of a note.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surroundings {
    /// The headings above it, the outermost first. For a heading, those above it.
    pub headings: Vec<String>,
    /// The line with the lines around it, shortened as in [`Excerpt`](crate::Excerpt).
    pub lines: Vec<String>,
}

impl Vault {
    /// Reads what is around each hit, in their order: headings, and `context` lines before and after it. Nothing is around a
    /// hit without a line, or one in a note that has changed so that it cannot be read.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn surroundings(
        &self,
        hits: &[Hit],
        context: usize,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<Surroundings>> {
        let mut folder = LastFolder::new(self.root());
        let mut all = Vec::with_capacity(hits.len());
        for of_note in hits.chunk_by(|a, b| a.path == b.path) {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            let path = &of_note[0].path;
            let has_lines = path.is_note() && of_note.iter().any(|hit| hit.excerpt.is_some());
            let dir = if has_lines { folder.open(path) } else { None };
            let text = dir.and_then(|dir| read_text(dir, path.name())).unwrap_or_default();
            let lines = of_note.iter().map(|hit| hit.excerpt.as_ref().map(|found| found.line));
            all.extend(look_around(&text, lines, context));
        }
        Ok(all)
    }
}

/// What is around the lines with these numbers.
fn look_around(
    text: &str,
    lines: impl Iterator<Item = Option<usize>>,
    context: usize,
) -> Vec<Surroundings> {
    let starts: Vec<usize> =
        [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let document = Document::parse(text).ok();
    let paths: Vec<(usize, Vec<&str>)> = document
        .iter()
        .flat_map(Document::heading_paths)
        .map(|path| {
            let start = path.last().map_or(0, |heading| heading.span.start);
            (start, path.into_iter().map(|heading| heading.text).collect())
        })
        .collect();
    let line_at = |number: usize| {
        let end = starts.get(number).map_or(text.len(), |next| next - 1);
        snippet(text[starts[number - 1]..end].trim_end_matches('\r'), 0)
    };
    let around = |number: Option<usize>| {
        let number = number.filter(|number| (1..=starts.len()).contains(number))?;
        let above = paths.partition_point(|(start, _)| *start < starts[number - 1]);
        let headings = paths[..above].last().map(|(_, path)| path.iter().map(|h| (*h).to_owned()));
        let first = number.saturating_sub(context).max(1);
        let last = number.saturating_add(context).min(starts.len());
        let lines = if context == 0 { Vec::new() } else { (first..=last).map(line_at).collect() };
        Some(Surroundings { headings: headings.into_iter().flatten().collect(), lines })
    };
    lines.map(|number| around(number).unwrap_or_default()).collect()
}
