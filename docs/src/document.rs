//! The content of a page, without a format. `html` writes it for browsers and `twin` as Markdown, so both have the
//! same facts. Every text is plain: the writers escape it.

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Inline {
    Text(String),
    Code(String),
    /// A link to a page of the site, as its path without extension, with `#` and an anchor if it has one.
    Link {
        to: String,
        words: Box<Inline>,
    },
    /// A word in a frame, coloured by its kind.
    Badge {
        kind: &'static str,
        words: String,
    },
}

/// Pieces that are read as one.
pub(crate) type Line = Vec<Inline>;

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    /// A heading of level 2 or 3.
    Heading {
        level: u8,
        anchor: String,
        words: Line,
    },
    Paragraph(Line),
    /// A paragraph that must not be missed.
    Warning(Line),
    List(Vec<Line>),
    Code {
        language: &'static str,
        text: String,
    },
    Table(Table),
    Terms(Vec<Term>),
    /// Several forms of one thing, of which a reader needs one.
    Tabs(Vec<Tab>),
    /// Shown when it is opened.
    Folded {
        title: String,
        blocks: Vec<Block>,
    },
    /// Markdown, with links that start in this folder of the site.
    Prose {
        folder: &'static str,
        text: String,
    },
    Chart(Vec<Bar>),
    /// Links with a title and a sentence, side by side.
    Cards(Vec<Card>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// What it shows. For readers who cannot see where it stands.
    pub(crate) caption: String,
    pub(crate) kind: TableKind,
    pub(crate) head: Vec<Line>,
    pub(crate) rows: Vec<Row>,
}

/// How a table is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableKind {
    Plain,
    /// All columns but the first `words` are numbers.
    Numbers {
        words: usize,
    },
    /// A row for each operation, and a column for each focus mode and role. All cells after the first are `yes` or `no`.
    Matrix {
        focus_modes: usize,
    },
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// Where links to this row lead, if any do.
    pub(crate) anchor: Option<String>,
    pub(crate) cells: Vec<Line>,
}

/// A name and what it means.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term {
    pub(crate) anchor: Option<String>,
    /// The name, and short facts about it.
    pub(crate) name: Line,
    pub(crate) meaning: Vec<Block>,
}

/// A form of what the tabs show.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tab {
    pub(crate) name: &'static str,
    pub(crate) blocks: Vec<Block>,
}

/// A bar of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: usize,
}

/// A link to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Card {
    pub(crate) to: String,
    pub(crate) title: String,
    pub(crate) words: String,
}

pub(crate) fn text(words: impl Into<String>) -> Inline {
    Inline::Text(words.into())
}

pub(crate) fn code(words: impl Into<String>) -> Inline {
    Inline::Code(words.into())
}

pub(crate) fn badge(kind: &'static str, words: impl Into<String>) -> Inline {
    Inline::Badge { kind, words: words.into() }
}

pub(crate) fn link(to: impl Into<String>, words: Inline) -> Inline {
    Inline::Link { to: to.into(), words: Box::new(words) }
}

/// A paragraph of plain words.
pub(crate) fn paragraph(words: impl Into<String>) -> Block {
    Block::Paragraph(vec![text(words)])
}

/// The paragraphs of a text, divided by empty lines.
pub(crate) fn paragraphs(words: &str) -> impl Iterator<Item = Block> {
    let mut found = vec![String::new()];
    for line in words.lines() {
        match (line.trim().is_empty(), found.last_mut()) {
            (false, Some(last)) => {
                last.push_str(line);
                last.push('\n');
            }
            _ => found.push(String::new()),
        }
    }
    found.into_iter().filter(|words| !words.is_empty()).map(paragraph)
}

/// The heading of a section.
pub(crate) fn heading(words: &str, anchor: &str) -> Block {
    Block::Heading { level: 2, anchor: anchor.to_owned(), words: vec![text(words)] }
}

/// A table of plain layout.
pub(crate) fn table<const N: usize>(
    caption: &str,
    head: [&str; N],
    rows: impl IntoIterator<Item = [Line; N]>,
) -> Block {
    let row = |cells: [Line; N]| Row { anchor: None, cells: cells.into() };
    Block::Table(Table {
        caption: caption.to_owned(),
        kind: TableKind::Plain,
        head: head.iter().map(|words| vec![text(*words)]).collect(),
        rows: rows.into_iter().map(row).collect(),
    })
}

/// Pieces with commas between them; a dash if there are none.
pub(crate) fn join_with_commas(pieces: impl IntoIterator<Item = Inline>) -> Line {
    let mut line = Line::new();
    for piece in pieces {
        if !line.is_empty() {
            line.push(text(", "));
        }
        line.push(piece);
    }
    or_dash(line)
}

/// The line, or a dash in place of an empty one.
pub(crate) fn or_dash(line: Line) -> Line {
    if line.is_empty() { vec![text("–")] } else { line }
}

/// The words of a line, without their form.
pub(crate) fn plain_text(line: &[Inline]) -> String {
    let mut words = String::new();
    for piece in line {
        match piece {
            Inline::Text(piece) | Inline::Code(piece) | Inline::Badge { words: piece, .. } => {
                words.push_str(piece);
            }
            Inline::Link { words: piece, .. } => {
                words.push_str(&plain_text(std::slice::from_ref(piece.as_ref())));
            }
        }
    }
    words
}
