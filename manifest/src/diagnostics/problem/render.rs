//! A problem as a block of text in the manner of rustc.

use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

use super::Problem;
use crate::diagnostics::source::{Place, Sources};

/// Lines wider than this many columns are cut to a window around the caret.
const WINDOW: usize = 120;
/// How much of a long line is shown before the caret.
const LEAD: usize = 40;

pub(super) fn render(problem: &Problem, sources: &Sources) -> String {
    let mut out = format!("{}: {}", problem.severity.as_str(), problem.message);
    let gutter = problem.place.map_or(1, |place| place.line.to_string().len());
    match problem.place {
        Some(place) => show_place(&mut out, problem, place, gutter, sources),
        None => {
            if let Some(expected) = &problem.expected {
                line(&mut out, gutter, &format!("= expected {expected}"));
            }
        }
    }
    if let Some((note, place)) = &problem.note {
        line(&mut out, gutter, &format!("= note: {note} {}", address(*place, sources)));
    }
    if let Some(help) = &problem.help {
        line(&mut out, gutter, &format!("= help: {help}"));
    }
    out
}

fn show_place(out: &mut String, problem: &Problem, place: Place, gutter: usize, sources: &Sources) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', gutter));
    out.push_str("--> ");
    out.push_str(&address(place, sources));
    let text = sources
        .get(place)
        .and_then(|source| source.text.lines().nth(place.line.saturating_sub(1)))
        .unwrap_or_default();
    let SourceLine { text, indent, carets } = excerpt(text, place);
    line(out, gutter, "|");
    // A write to a string cannot fail.
    let _ = write!(out, "\n{:gutter$} |", place.line);
    if !text.is_empty() {
        let _ = write!(out, " {text}");
    }
    let expected = problem.expected.as_ref().map(|text| format!(" expected {text}"));
    let marker = format!("| {:indent$}{:^<carets$}", "", "");
    line(out, gutter, &(marker + &expected.unwrap_or_default()));
}

fn line(out: &mut String, gutter: usize, text: &str) {
    let _ = write!(out, "\n{:gutter$} {text}", "");
}

fn address(place: Place, sources: &Sources) -> String {
    let path = sources.get(place).map_or("?", |source| source.path.as_str());
    format!("{path}:{}:{}", place.line, place.column)
}

/// The part of a line that is shown, with the caret's position in terminal columns.
struct SourceLine {
    text: String,
    indent: usize,
    carets: usize,
}

fn excerpt(text: &str, place: Place) -> SourceLine {
    let text = text.trim_end();
    let cells: Vec<(String, usize)> = text.chars().map(cell).collect();
    let start = (place.column - 1).min(cells.len());
    let end = (start + place.length).min(cells.len());
    let total = width(&cells);
    let (from, to) = if total <= WINDOW {
        (0, cells.len())
    } else {
        let from = fit(cells[..start].iter().rev(), LEAD, start, |start, n| start - n);
        (from, fit(cells[from..].iter(), WINDOW, from, |from, n| from + n))
    };
    let mut shown = String::new();
    if from > 0 {
        shown.push('…');
    }
    shown.extend(cells[from..to].iter().map(|(text, _)| text.as_str()));
    if to < cells.len() {
        shown.push('…');
    }
    let end = end.clamp(start.min(to), to);
    SourceLine {
        text: shown,
        indent: usize::from(from > 0) + width(&cells[from..start.min(to)]),
        carets: width(&cells[start.min(end)..end]).max(1),
    }
}

/// Moves `start` by as many cells as fit into `columns`.
fn fit<'a>(
    cells: impl Iterator<Item = &'a (String, usize)>,
    columns: usize,
    start: usize,
    step: impl Fn(usize, usize) -> usize,
) -> usize {
    let mut used = 0;
    let count = cells
        .take_while(|(_, width)| {
            used += width;
            used <= columns
        })
        .count();
    step(start, count)
}

fn width(cells: &[(String, usize)]) -> usize {
    cells.iter().map(|(_, width)| width).sum()
}

/// A character as shown, and its columns. Invisible and control characters are shown as escapes.
fn cell(c: char) -> (String, usize) {
    match c {
        '\t' => ("    ".to_owned(), 4),
        _ => match c.width() {
            Some(width) if width > 0 => (c.to_string(), width),
            _ => {
                let text = c.escape_unicode().to_string();
                let width = text.len();
                (text, width)
            }
        },
    }
}
