//! Reports characters that models read but people cannot see.

use toolwrit_text::hidden::hidden_characters;

use crate::diagnostics::{Place, Problem, Report};

/// Reports hidden characters anywhere in a file, also in keys and comments.
pub(crate) fn in_text(file: usize, text: &str, report: &mut Report) {
    let (mut line, mut start) = (1, 0);
    for (at, c) in hidden_characters(text) {
        line += text[start..at].matches('\n').count();
        start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let column = text[start..at].chars().count() + 1;
        report.push(hidden(Place { file, line, column, length: 1 }, c));
    }
}

/// Reports the first hidden character in a value whose source text does not contain it, because it is
/// written as an escape.
pub(crate) fn in_escapes(value: &str, source: &str, place: Place, report: &mut Report) {
    if let Some((_, c)) = hidden_characters(value).next()
        && !source.contains(c)
    {
        report.push(hidden(place, c));
    }
}

fn hidden(place: Place, c: char) -> Problem {
    Problem::error(place, format!("hidden character U+{:04X}", u32::from(c)))
        .expected("visible text")
        .help("remove it: people cannot see it, but models read it")
}
