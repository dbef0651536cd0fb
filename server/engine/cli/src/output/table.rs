//! Tables without borders. Columns are as wide as their content; cells wrap only at the terminal's width, between words as long as
//! that is possible.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

use crate::output;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// For text.
    Left,
    /// For numbers. They do not wrap.
    Right,
}

/// A header and an alignment.
pub(crate) type Column<'a> = (&'a str, Align);

/// Blanks between columns.
const GAP: u16 = 2;
/// The columns by which [`indented`] moves text.
const INDENT: u16 = 2;
/// The least width of a column with longer words, which break if a table does not fit otherwise.
const BROKEN: u16 = 20;

/// A table with a header. Each row must have as many cells as there are columns. Where it does not fit, its columns are in several
/// tables, each with the first column.
pub(crate) fn table(columns: &[Column<'_>], rows: &[Vec<String>]) -> String {
    table_warning_of(columns, rows, None)
}

/// A table in which the cells of one column that are this word have the colour of what destroys. The
/// columns before it must be ASCII.
pub(crate) fn table_warning_of(
    columns: &[Column<'_>],
    rows: &[Vec<String>],
    warned: Option<(&str, &str)>,
) -> String {
    let grid = Grid::with_header(columns, rows);
    let width = width(0);
    let parts = width.map_or_else(|| vec![grid.clone()], |width| grid.parts(width));
    let parts = parts.iter().map(|part| titled(&part.text(width), warned));
    parts.collect::<Vec<_>>().join("\n\n")
}

/// A table without some of its columns, the first of these first, as far as it does not fit with them.
#[cfg(any(feature = "authoring", feature = "sqlite"))]
pub(crate) fn table_without(
    columns: &[Column<'_>],
    rows: &[Vec<String>],
    expendable: &[&str],
) -> String {
    let (mut columns, mut rows) = (columns.to_vec(), rows.to_vec());
    for name in expendable {
        if fits(&columns, &rows) {
            break;
        }
        if let Some(at) = columns.iter().position(|(column, _)| column == name) {
            columns.remove(at);
            for row in &mut rows {
                row.remove(at);
            }
        }
    }
    table(&columns, &rows)
}

/// Whether a table needs to break no word.
#[cfg(any(feature = "authoring", feature = "sqlite"))]
pub(crate) fn fits(columns: &[Column<'_>], rows: &[Vec<String>]) -> bool {
    let grid = Grid::with_header(columns, rows);
    width(0).is_none_or(|width| total(&grid.needs()) <= width)
}

/// A table with its header in bold, and with colour.
fn titled(text: &str, warned: Option<(&str, &str)>) -> String {
    let Some((header, rest)) = text.split_once('\n') else { return output::strong(text) };
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
    indented(Grid::of_text(rows).text(width(INDENT)).lines())
}

/// Rows without a header, below an entry.
pub(crate) fn details(rows: &[Vec<String>]) -> String {
    let text = Grid::of_text(rows).text(width(2 * INDENT));
    indented(indented(text.lines()).lines())
}

/// The width of the output, without an indentation.
fn width(indent: u16) -> Option<u16> {
    output::width().map(|width| width.saturating_sub(indent).max(40))
}

/// The width of columns and of the gaps between them.
fn total(needs: &[u16]) -> u16 {
    let gaps = GAP.saturating_mul(u16::try_from(needs.len().saturating_sub(1)).unwrap_or(u16::MAX));
    needs.iter().fold(gaps, |sum, need| sum.saturating_add(*need))
}

/// Rows of cells, each of a line.
#[derive(Clone)]
struct Grid {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    fn new(columns: Vec<Align>, rows: impl Iterator<Item = Vec<String>>) -> Self {
        let row = |row: Vec<String>| row.iter().map(|cell| single_line(cell)).collect();
        Self { columns, rows: rows.map(row).collect() }
    }

    fn with_header(columns: &[Column<'_>], rows: &[Vec<String>]) -> Self {
        let header = columns.iter().map(|(name, _)| name.to_uppercase()).collect();
        let rows = std::iter::once(header).chain(rows.iter().cloned());
        Self::new(columns.iter().map(|(_, align)| *align).collect(), rows)
    }

    fn of_text(rows: &[Vec<String>]) -> Self {
        let columns = vec![Align::Left; rows.first().map_or(0, Vec::len)];
        Self::new(columns, rows.iter().cloned())
    }

    /// The width of each column's longest cell.
    fn whole(&self) -> Vec<u16> {
        self.table(|cell, _| cell.to_owned()).column_max_content_widths()
    }

    /// The width of each column's longest word.
    fn needs(&self) -> Vec<u16> {
        let words = self.table(|cell, align| match align {
            Align::Left => cell.replace(' ', "\n"),
            Align::Right => cell.to_owned(),
        });
        words.column_max_content_widths()
    }

    /// Columns side by side as far as they fit, each time beside the first column.
    fn parts(&self, width: u16) -> Vec<Self> {
        if self.least(width).is_some() {
            return vec![self.clone()];
        }
        let needs = self.needs();
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for at in 1..needs.len() {
            let longer = |part: &[usize]| -> Vec<u16> {
                part.iter().chain([&at]).map(|at| needs[*at]).collect()
            };
            match parts.last_mut() {
                Some(part) if total(&longer(part)) <= width => part.push(at),
                _ => parts.push(vec![0, at]),
            }
        }
        parts.iter().map(|part| self.only(part)).collect()
    }

    /// The columns at these positions.
    fn only(&self, positions: &[usize]) -> Self {
        let row = |row: &Vec<String>| positions.iter().map(|at| row[*at].clone()).collect();
        Self {
            columns: positions.iter().map(|at| self.columns[*at]).collect(),
            rows: self.rows.iter().map(row).collect(),
        }
    }

    /// The least width of each column: no word breaks, or else only long ones.
    fn least(&self, width: u16) -> Option<Vec<u16>> {
        let needs = self.needs();
        let least = needs.iter().map(|need| *need.min(&BROKEN)).collect();
        [needs, least].into_iter().find(|needs| total(needs) <= width)
    }

    /// The width of each column within a width for all: all that a column needs, or a share of what is left after words.
    fn widths(&self, width: u16) -> Option<Vec<u16>> {
        let mut widths = self.least(width)?;
        let whole = self.whole();
        let mut left = width - total(&widths);
        let mut order: Vec<usize> = (0..widths.len()).collect();
        order.sort_by_key(|at| whole[*at] - widths[*at]);
        for (nth, at) in order.iter().enumerate() {
            let share = left / u16::try_from(order.len() - nth).unwrap_or(u16::MAX);
            let added = share.min(whole[*at] - widths[*at]);
            widths[*at] += added;
            left -= added;
        }
        Some(widths)
    }

    fn text(&self, width: Option<u16>) -> String {
        let mut table = self.table(|cell, _| cell.to_owned());
        let widths = width.and_then(|width| self.widths(width));
        if let Some(width) = width {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(width);
        }
        for (at, align) in self.columns.iter().enumerate() {
            let Some(column) = table.column_mut(at) else { continue };
            let gap = if at + 1 == self.columns.len() { 0 } else { GAP };
            column.set_padding((0, gap));
            column.set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
            if let Some(widths) = &widths {
                let width = Width::Fixed(widths[at].saturating_add(gap));
                column.set_constraint(ColumnConstraint::Absolute(width));
            }
        }
        table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    fn table(&self, cell: impl Fn(&str, Align) -> String) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        for row in &self.rows {
            table.add_row(row.iter().zip(&self.columns).map(|(text, align)| cell(text, *align)));
        }
        table
    }
}

/// Indents lines below a heading.
pub(crate) fn indented<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Replaces line breaks and tabs with spaces.
fn single_line(text: &str) -> String {
    output::sanitized(text).replace(['\n', '\t', '\r'], " ")
}
