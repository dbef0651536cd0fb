//! Writes a page as Markdown. Every text passes through [`escaped`], [`code`] or [`code_block`].

use crate::address::relative_link;
use crate::document::{Block, Inline, Row, Table, TableKind, Term};
use crate::page::Page;
use crate::prose;

/// The extension of these files.
pub(crate) const EXTENSION: &str = "md";

/// The page as a file.
pub(crate) fn to_markdown(page: &Page) -> String {
    let mut twin = Twin { page: &page.path, text: String::new() };
    if !prose::has_title(&page.blocks) {
        twin.paragraph(&format!("# {}", escaped(&page.title)));
    }
    twin.blocks(&page.blocks, "");
    let end = twin.text.trim_end().len();
    twin.text.truncate(end);
    twin.text.push('\n');
    twin.text
}

struct Twin<'a> {
    page: &'a str,
    text: String,
}

impl Twin<'_> {
    fn paragraph(&mut self, words: &str) {
        self.text.push_str(words);
        self.text.push_str("\n\n");
    }

    /// Blocks, each line of which begins with an indent.
    fn blocks(&mut self, blocks: &[Block], indent: &str) {
        for block in blocks {
            let start = self.text.len();
            self.block(block);
            if !indent.is_empty() {
                let content = self.text.split_off(start);
                for line in content.split_inclusive('\n') {
                    if line.trim_end_matches('\n').is_empty() {
                        self.text.push_str(line);
                    } else {
                        self.text.push_str(indent);
                        self.text.push_str(line);
                    }
                }
            }
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { level, words, .. } => {
                let marks = "#".repeat(usize::from(*level));
                let words = self.line(words);
                self.paragraph(&format!("{marks} {words}"));
            }
            Block::Paragraph(words) => {
                let words = self.line(words);
                self.paragraph(&words);
            }
            Block::Warning(words) => {
                let words = self.line(words);
                self.paragraph(&format!("> **Note.** {words}"));
            }
            Block::List(items) => {
                for item in items {
                    let item = self.line(item);
                    self.text.push_str(&format!("- {item}\n"));
                }
                self.text.push('\n');
            }
            Block::Code { language, text } => self.text.push_str(&code_block(language, text)),
            Block::Table(table) => self.table(table),
            Block::Terms(terms) => self.terms(terms),
            Block::Tabs(tabs) => {
                for tab in tabs {
                    self.paragraph(&format!("**{}**", tab.name));
                    self.blocks(&tab.blocks, "");
                }
            }
            Block::Folded { title, blocks } => {
                self.paragraph(&format!("**{}**", escaped(title)));
                self.blocks(blocks, "");
            }
            Block::Prose { folder, text } => {
                let text = prose::to_markdown(self.page, folder, text);
                self.paragraph(text.trim());
            }
            // The table beside it has the same numbers.
            Block::Chart(_) => {}
            Block::Cards(cards) => {
                for card in cards {
                    let to = relative_link(self.page, &card.to, EXTENSION);
                    let (title, words) = (escaped(&card.title), escaped(&card.words));
                    self.text.push_str(&format!("- [{title}]({to}): {words}\n"));
                }
                self.text.push('\n');
            }
        }
    }

    fn terms(&mut self, terms: &[Term]) {
        for term in terms {
            let name = self.line(&term.name);
            self.paragraph(&format!("- {name}"));
            self.blocks(&term.meaning, "  ");
        }
    }

    fn table(&mut self, table: &Table) {
        let head: Vec<String> = table.head.iter().map(|cell| self.line(cell)).collect();
        let rule = |column: usize| match table.kind {
            TableKind::Numbers { words } if column >= words => " ---: |",
            _ => " --- |",
        };
        self.text.push_str(&format!("| {} |\n|", head.join(" | ")));
        self.text.extend((0..head.len()).map(rule));
        self.text.push('\n');
        for Row { cells, .. } in &table.rows {
            let cells: Vec<String> = cells.iter().map(|cell| self.line(cell)).collect();
            self.text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        self.text.push('\n');
    }

    fn line(&self, line: &[Inline]) -> String {
        line.iter().map(|piece| self.inline(piece)).collect()
    }

    fn inline(&self, piece: &Inline) -> String {
        match piece {
            Inline::Text(words) => {
                // The spaces at the ends divide the pieces of a line.
                let ends = |c: Option<char>| if c == Some(' ') { " " } else { "" };
                let (first, last) = (ends(words.chars().next()), ends(words.chars().last()));
                let inner = escaped(words);
                if inner.is_empty() { first.to_owned() } else { format!("{first}{inner}{last}") }
            }
            Inline::Code(words) => code(words),
            Inline::Badge { words, .. } => escaped(words),
            Inline::Link { to, words } => {
                format!("[{}]({})", self.inline(words), relative_link(self.page, to, EXTENSION))
            }
        }
    }
}

/// Text on one line without markup. In `CommonMark`, a backslash before an ASCII punctuation character removes its
/// special meaning.
pub(crate) fn escaped(raw: &str) -> String {
    let mut escaped = String::with_capacity(raw.len() + raw.len() / 8);
    for (index, word) in raw.split_whitespace().enumerate() {
        if index > 0 {
            escaped.push(' ');
        }
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        for (at, c) in word.char_indices() {
            // A line that begins with these is a heading, a rule or an item of a list.
            let begins = at == 0 && "#+-=".contains(c) || at == digits && ".)".contains(c);
            if begins || "\\`*_{}[]<>|~&".contains(c) {
                escaped.push('\\');
            }
            escaped.push(c);
        }
    }
    escaped
}

/// A short piece of code within a line, also of a table.
fn code(raw: &str) -> String {
    let words = raw.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    if words.is_empty() {
        return "` `".to_owned();
    }
    let ticks = "`".repeat(longest_run(&words) + 1);
    let space = if words.starts_with('`') || words.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{words}{space}{ticks}")
}

/// A block of code. Its fence has more backticks than any run in the code.
fn code_block(language: &str, raw: &str) -> String {
    let fence = "`".repeat(longest_run(raw).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n\n", raw.trim_end_matches('\n'))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
