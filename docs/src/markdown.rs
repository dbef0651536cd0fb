//! Writing Markdown. Everything that comes from a manifest enters a page through [`text`],
//! [`paragraphs`], [`code`] or [`code_block`], and is then text and nothing else.

use std::fmt::Write;

/// Text on one line, in which nothing is markup: `CommonMark` lets a backslash stand before every
/// ASCII punctuation character, and takes away what the character would mean.
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

/// Pieces of code with commas between; a dash for none.
pub(crate) fn codes<'a>(raw: impl IntoIterator<Item = &'a str>) -> String {
    or_dash(raw.into_iter().map(code).collect::<Vec<_>>().join(", "))
}

/// What stands in a cell that would be empty.
pub(crate) fn or_dash(cell: String) -> String {
    if cell.is_empty() { "–".to_owned() } else { cell }
}

/// A block of code, fenced with more backticks than stand in it.
pub(crate) fn code_block(language: &str, raw: &str) -> String {
    let longest = raw.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n\n", raw.trim_end_matches('\n'))
}

/// The heading of a section that other pages link to. The anchor is an identifier of the manifest.
pub(crate) fn heading(title: &str, anchor: &str) -> String {
    format!("## {} {{#{anchor}}}\n\n", text(title))
}

/// The same for an entry among many, which the theme sets apart.
pub(crate) fn entry_heading(title: &str, anchor: &str) -> String {
    format!("## {} {{#{anchor} .entry}}\n\n", text(title))
}

/// A small label above a block of an entry; no heading, so that the navigation stays short.
pub(crate) fn label(title: &str) -> String {
    format!("<p class=\"label\">{title}</p>\n\n")
}

/// A small mark. The kind is one of the classes of the theme.
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

/// The same, in a frame of a class of the theme.
pub(crate) fn framed(class: &str, table: &str) -> String {
    format!("<div class=\"{class}\">\n\n{table}</div>\n\n")
}
