//! Tables without borders. Columns are as wide as their content; cells wrap only at the terminal's width.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::output;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// For text.
    Left,
    /// For numbers.
    Right,
}

/// A table with a header. Each row must have as many cells as there are columns.
pub(crate) fn table(columns: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    table_warning_of(columns, rows, None)
}

/// A table in which the cells of one column that are this word have the colour of what destroys. The
/// columns before it must be ASCII.
pub(crate) fn table_warning_of(
    columns: &[(&str, Align)],
    rows: &[Vec<String>],
    warned: Option<(&str, &str)>,
) -> String {
    let headers = columns.iter().map(|(name, _)| name.to_uppercase());
    let rows = std::iter::once(headers.collect()).chain(rows.iter().cloned());
    let text = layout(columns.iter().map(|(_, align)| *align), rows, 0);
    let Some((header, rest)) = text.split_once('\n') else { return output::strong(&text) };
    let warned =
        warned.and_then(|(column, word)| Some((header.find(&column.to_uppercase())?, word)));
    let line = |line: &str| match warned {
        Some((start, word)) => coloured(line, start, word),
        None => line.to_owned(),
    };
    let rest: Vec<String> = rest.lines().map(line).collect();
    format!("{}\n{}", output::strong(header), rest.join("\n"))
}

/// Colours the word if it stands at this place.
fn coloured(line: &str, start: usize, word: &str) -> String {
    match line.get(start..).and_then(|end| end.strip_prefix(word)) {
        Some(end) if !end.starts_with(char::is_alphanumeric) => {
            format!("{}{}{end}", &line[..start], output::danger(word))
        }
        _ => line.to_owned(),
    }
}

/// Rows without a header, below a heading.
pub(crate) fn entries(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let columns = std::iter::repeat_n(Align::Left, columns);
    indented(layout(columns, rows.iter().cloned(), INDENT).lines())
}

/// Rows without a header, below an entry.
pub(crate) fn details(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let columns = std::iter::repeat_n(Align::Left, columns);
    let text = layout(columns, rows.iter().cloned(), 2 * INDENT);
    indented(indented(text.lines()).lines())
}

/// The columns by which [`indented`] moves text.
const INDENT: u16 = 2;

/// Lays out rows whose lines will be indented by this many columns.
fn layout(
    columns: impl Iterator<Item = Align>,
    rows: impl Iterator<Item = Vec<String>>,
    indent: u16,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for row in rows {
        table.add_row(row.iter().map(|cell| single_line(cell)));
    }
    if let Some(width) = output::width() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(width.saturating_sub(indent).max(40));
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
pub(crate) fn indented<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Replaces line breaks and tabs with spaces.
fn single_line(text: &str) -> String {
    output::sanitized(text).replace(['\n', '\t', '\r'], " ")
}
