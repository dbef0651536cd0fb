//! Tables without borders. Columns are as wide as their content; cells wrap only at the terminal's width.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::output;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    /// For text.
    Left,
    /// For numbers.
    Right,
}

/// A table with a header. Each row must have as many cells as there are columns.
pub(super) fn table(columns: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    let headers = columns.iter().map(|(name, _)| name.to_uppercase());
    let rows = std::iter::once(headers.collect()).chain(rows.iter().cloned());
    let text = layout(columns.iter().map(|(_, align)| *align), rows);
    match text.split_once('\n') {
        Some((header, rest)) => format!("{}\n{rest}", output::strong(header)),
        None => output::strong(&text),
    }
}

/// Indented rows without a header.
pub(super) fn entries(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let text = layout(std::iter::repeat_n(Align::Left, columns), rows.iter().cloned());
    indented(text.lines())
}

fn layout(columns: impl Iterator<Item = Align>, rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for row in rows {
        table.add_row(row.iter().map(|cell| single_line(cell)));
    }
    if let Some(width) = output::width() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        // Leave space for the indent of `entries`.
        table.set_width(width.saturating_sub(2).max(40));
    }
    for (index, align) in columns.enumerate() {
        if let Some(column) = table.column_mut(index) {
            column.set_padding((0, 2));
            column.set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
        }
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// Indents lines below a heading.
pub(super) fn indented<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Replaces line breaks and tabs with spaces.
fn single_line(text: &str) -> String {
    output::sanitized(text).replace(['\n', '\t', '\r'], " ")
}
