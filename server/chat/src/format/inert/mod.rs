//! Makes the words of a model inert. Obsidian and its plugins act on what a note shows: they load images and embeds, run code
//! blocks and inline queries, and expand templates. A model may have read such words in a hostile note.
//!
//! The result is written so that every reader of Markdown understands it alike: all fences of code begin at the margin, each
//! code span ends in its line, and no other backticks are left. Only code is certain not to act. Everywhere else, what would
//! begin an image, an embed or HTML is an entity, which shows the same character and means nothing, whatever stands before it.
//! Templates and comments get a blank instead, because plugins look for their marks in the bytes. The work grows with the
//! length of the words: an answer is made inert again and again while it grows.

mod fences;
mod languages;
mod math;
mod spans;

use super::payload::is_hidden;
use fences::Region;
use spans::Paragraph;
pub(super) use spans::may_execute;

/// What is made inert.
#[derive(Debug, Clone, Default)]
pub struct Inert {
    /// The names of code blocks that are executed although they are names of languages. A name that ends with `*` stands for
    /// all that begin so.
    pub executing: Vec<String>,
}

impl Inert {
    /// The words as they may stand in a note.
    #[must_use]
    pub fn words(&self, words: &str) -> String {
        let words = replace_separators(words);
        let lines: Vec<&str> = words.split('\n').collect();
        let mut out: Vec<String> = Vec::with_capacity(lines.len());
        for region in fences::split_regions(&lines) {
            match region {
                Region::CodeBlock(block) => block.write(|name| self.executes(name), &mut out),
                Region::Paragraph(lines) => Paragraph::new(lines).write(lines, &mut out),
            }
        }
        out.join("\n")
    }

    /// Whether something may execute a code block of this name, in lower case.
    fn executes(&self, name: &str) -> bool {
        let refused = self.executing.iter().any(|known| match known.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == *known,
        });
        refused || !(name.is_empty() || languages::NAMES.contains(&name))
    }
}

/// Separators of lines become line ends, and other controls vanish.
fn replace_separators(words: &str) -> String {
    let words = words.replace("\r\n", "\n");
    words
        .chars()
        .filter_map(|c| match c {
            // Some readers take them for blanks, and others do not.
            '\u{b}' | '\u{c}' => Some(' '),
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
            // Joiners belong to letters and emoji, and single marks of direction to text from right to left.
            '\n' | '\t' | '\u{200c}'..='\u{200f}' | '\u{61c}' => Some(c),
            c if is_hidden(c) && !c.is_whitespace() => None,
            c => Some(c),
        })
        .collect()
}

/// Breaks the marks of templates and comments, which plugins find in the bytes.
fn without_templates(text: &str) -> String {
    let mut text = text.replace("<%", "< %");
    while text.contains("%%") {
        text = text.replace("%%", "% %");
    }
    text
}
