//! Writing Markdown. Every text from a manifest passes through [`text`], [`paragraphs`], [`code`]
//! or [`code_block`], which escape it.

use std::fmt::Write;

/// Text on one line without markup. In `CommonMark`, a backslash before an ASCII punctuation
/// character removes its special meaning.
pub(crate) fn text(raw: &str) -> String {
    let mut escaped = String::with_capacity(raw.len() + raw.len() / 8);
    for (index, word) in raw.split_whitespace().enumerate() {
        if index > 0 {
            escaped.push(' ');
        }
        for c in word.chars() {
            if c.is_ascii_punctuation() {
                escaped.push('\\');
            }
            escaped.push(c);
        }
    }
    escaped
}

/// Text of several paragraphs, divided by empty lines.
pub(crate) fn paragraphs(raw: &str) -> String {
    let mut written = String::new();
    let mut lines = Vec::new();
    for line in raw.lines().chain([""]) {
        if !line.trim().is_empty() {
            lines.push(text(line));
        } else if !lines.is_empty() {
            written.push_str(&lines.join("\n"));
            written.push_str("\n\n");
            lines.clear();
        }
    }
    written
}

/// A short piece of code within a line.
pub(crate) fn code(raw: &str) -> String {
    if raw.trim().is_empty() {
        "<code>&nbsp;</code>".to_owned()
    } else {
        format!("<code>{}</code>", text(raw))
    }
}

/// Pieces of code separated by commas; a dash if there are none.
pub(crate) fn codes<'a>(raw: impl IntoIterator<Item = &'a str>) -> String {
    or_dash(raw.into_iter().map(code).collect::<Vec<_>>().join(", "))
}

/// The text of an empty cell.
pub(crate) fn or_dash(cell: String) -> String {
    if cell.is_empty() { "–".to_owned() } else { cell }
}

/// A block of code. Its fence has more backticks than any run in the code.
pub(crate) fn code_block(language: &str, raw: &str) -> String {
    let longest = raw.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n\n", raw.trim_end_matches('\n'))
}

/// The heading of a section that other pages link to. The anchor is an identifier of the manifest.
pub(crate) fn heading(title: &str, anchor: &str) -> String {
    format!("## {} {{#{anchor}}}\n\n", text(title))
}

/// The heading of one of many entries, which the theme separates.
pub(crate) fn entry_heading(title: &str, anchor: &str) -> String {
    format!("## {} {{#{anchor} .entry}}\n\n", text(title))
}

/// A small label above a block of an entry. It is not a heading, so that the navigation stays
/// short.
pub(crate) fn label(title: &str) -> String {
    format!("<p class=\"label\">{title}</p>\n\n")
}

/// A badge. The kind is one of the theme's classes.
pub(crate) fn badge(kind: &str, words: &str) -> String {
    format!("<span class=\"badge {kind}\">{}</span>", text(words))
}

/// A table. Cells are Markdown of one line.
pub(crate) fn table<Row>(head: &[&str], rows: impl IntoIterator<Item = Row>) -> String
where
    Row: IntoIterator<Item = String>,
{
    let mut table = format!("| {} |\n|{}\n", head.join(" | "), " --- |".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.into_iter().collect();
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {} |", cells.join(" | "));
    }
    table.push('\n');
    table
}

/// A table in a frame with one of the theme's classes.
pub(crate) fn framed(class: &str, table: &str) -> String {
    format!("<div class=\"{class}\">\n\n{table}</div>\n\n")
}
