//! Makes the words of a model inert. Obsidian and its plugins act on what a note shows: they load remote images, run code
//! blocks and inline queries, and expand templates. A model may have read such words in a hostile note.
//!
//! Words within code are left as they are where every parser agrees that they are code. Elsewhere a backslash breaks what
//! would act, which renders as the same characters. Templates and comments get a blank instead: plugins look for their marks
//! in the bytes, and a formatter may remove a backslash that Markdown does not need.

use super::fence::Fence;
use super::payload::is_hidden;

/// What is made inert.
#[derive(Debug, Clone)]
pub struct Inert {
    /// The names of code blocks that are executed. A name that ends with `*` stands for all that begin so.
    pub executing: Vec<String>,
}

impl Default for Inert {
    fn default() -> Self {
        let names = [
            "toolwrit",
            "dataview",
            "dataviewjs",
            "js-engine",
            "meta-bind*",
            "templater",
            "run-*",
            "tracker",
            "tasks",
            "button",
        ];
        Self { executing: names.map(str::to_owned).to_vec() }
    }
}

/// Tags that do nothing without attributes.
const HARMLESS: [&str; 14] = [
    "b", "br", "code", "details", "em", "i", "kbd", "mark", "s", "strong", "sub", "summary", "sup",
    "u",
];

/// Code spans that begin like this are inline queries or fields of plugins.
const INLINE: [&str; 5] = ["=", "$=", "INPUT[", "VIEW[", "BUTTON["];

impl Inert {
    /// The words as they may stand in a note.
    #[must_use]
    pub fn words(&self, words: &str) -> String {
        let words = visible(words);
        let paragraphs = paragraphs(&words);
        let fences_count = !words.contains("$$") && !words.contains("%%");
        let mut fence: Option<Fence<'_>> = None;
        let mut out = String::with_capacity(words.len() + words.len() / 16);
        for (line, code_spans) in paragraphs {
            if !out.is_empty() || line.start > 0 {
                out.push('\n');
            }
            let code = match &fence {
                Some(open) if open.closes(line.text) => {
                    fence = None;
                    true
                }
                Some(_) => true,
                None => {
                    // A fence within a list or a quotation ends with it, so only those at the margin count.
                    fence =
                        Fence::opening(line.text).filter(|found| found.indent == 0 && fences_count);
                    fence.is_some()
                }
            };
            let text = self.renamed_fence(line.text);
            if code {
                out.push_str(&text.replace("<%", "< %"));
            } else {
                inert_line(&mut out, &text, code_spans);
            }
        }
        out
    }

    /// A line that opens a code block that would be executed, in whichever list or quotation, gets the info `text NAME`.
    fn renamed_fence(&self, line: &str) -> String {
        let inner =
            line.trim_start_matches(|c: char| c.is_ascii_digit() || " \t>-+*.)".contains(c));
        let Some(mark) = inner.chars().next().filter(|mark| matches!(mark, '`' | '~')) else {
            return line.to_owned();
        };
        let info = inner.trim_start_matches(mark);
        let name = info
            .trim_start()
            .split([' ', '\t', '{', ','])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let executes = self.executing.iter().any(|known| match known.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == *known,
        });
        if inner.len() - info.len() < 3 || !(executes || name.contains(['\\', '&'])) {
            return line.to_owned();
        }
        format!("{}text {}", &line[..line.len() - info.len()], info.trim_start())
    }
}

/// Separators of lines become line ends, and other controls vanish.
fn visible(words: &str) -> String {
    let words = words.replace("\r\n", "\n");
    words
        .chars()
        .filter_map(|c| match c {
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
            // Joiners belong to letters and emoji, and single marks of direction to text from right to left.
            '\n' | '\t' | '\u{200c}'..='\u{200f}' | '\u{61c}' => Some(c),
            c if is_hidden(c) && !c.is_whitespace() => None,
            c => Some(c),
        })
        .collect()
}

/// The lines, each with whether its code spans are certain to be code. They are in a paragraph that is so plain that all
/// parsers agree: every run of backticks has its partner on the same line, and nothing else could come first.
fn paragraphs(words: &str) -> Vec<(super::lines::Line<'_>, bool)> {
    let mut all: Vec<_> = super::lines::lines(words).map(|line| (line, false)).collect();
    if words.is_empty() || words.ends_with('\n') {
        let number = all.len() + 1;
        all.push((
            super::lines::Line { text: "", start: words.len(), next: words.len(), number },
            false,
        ));
    }
    for paragraph in all.split_mut(|(line, _)| line.text.trim().is_empty()) {
        let plain = paragraph.iter().all(|(line, _)| {
            let (outside, paired) = outside_code(line.text);
            paired && !outside.contains(['$', '<', '\\']) && !outside.contains("%%")
        });
        for (_, certain) in paragraph {
            *certain = plain;
        }
    }
    all
}

/// What a line has outside of its code spans, and whether all runs of backticks are paired.
fn outside_code(line: &str) -> (String, bool) {
    let mut outside = String::new();
    let mut paired = true;
    for piece in pieces(line) {
        match piece {
            Piece::Text(text) => outside.push_str(text),
            Piece::Code(_) => {}
            Piece::Backticks(_) => paired = false,
        }
    }
    (outside, paired)
}

/// A piece of a line.
pub(super) enum Piece<'a> {
    Text(&'a str),
    /// A code span with its backticks.
    Code(&'a str),
    /// A run of backticks without a partner.
    Backticks(&'a str),
}

/// Splits a line at its code spans.
pub(super) fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        if at > 0 {
            found.push(Piece::Text(&rest[..at]));
        }
        rest = &rest[at..];
        let length = rest.len() - rest.trim_start_matches('`').len();
        if let Some(end) = closing(&rest[length..], length) {
            let (code, after) = rest.split_at(length + end);
            found.push(Piece::Code(code));
            rest = after;
        } else {
            found.push(Piece::Backticks(&rest[..length]));
            rest = &rest[length..];
        }
    }
    if !rest.is_empty() {
        found.push(Piece::Text(rest));
    }
    found
}

/// Where the run of exactly this many backticks ends.
pub(super) fn closing(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let run = text[at + found..].len() - text[at + found..].trim_start_matches('`').len();
        if run == length {
            return Some(at + found + run);
        }
        at += found + run;
    }
    None
}

fn inert_line(out: &mut String, line: &str, code_spans: bool) {
    for piece in pieces(line) {
        match piece {
            Piece::Code(code) if code_spans => {
                out.push_str(&inert_code(code).replace("<%", "< %"));
            }
            Piece::Code(code) => inert_text(out, &inert_code(code)),
            Piece::Backticks(run) => out.push_str(run),
            Piece::Text(text) => inert_text(out, text),
        }
    }
}

/// A code span that no plugin takes for its own.
fn inert_code(code: &str) -> String {
    let inner = code.trim_start_matches('`');
    let trimmed = inner.trim_start();
    if INLINE.iter().any(|beginning| trimmed.starts_with(beginning)) {
        format!("{}\\{trimmed}", &code[..code.len() - trimmed.len()])
    } else {
        code.to_owned()
    }
}

fn inert_text(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(['!', '<', '%', '=', '$']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let mark = found.chars().next().unwrap_or_default();
        let acts = match mark {
            '!' => found[1..].starts_with('[') && !is_local(found),
            '<' => is_markup(found),
            '%' => found[1..].starts_with('%'),
            // After a backtick whose partner is elsewhere, an inline query may begin.
            _ => out.trim_end().ends_with('`') && (mark == '=' || found[1..].starts_with('=')),
        };
        match (acts, mark) {
            (true, '%') => out.push_str("% "),
            (true, '<') if found.starts_with("<%") => out.push_str("< "),
            (true, _) => {
                out.push('\\');
                out.push(mark);
            }
            (false, _) => out.push(mark),
        }
        rest = &found[1..];
    }
    out.push_str(rest);
}

/// Whether `![..` shows a file of the vault: an embed, or an image with a relative path.
fn is_local(text: &str) -> bool {
    let target = match text.strip_prefix("![[") {
        Some(embed) => embed.split("]]").next(),
        None => text.split_once("](").and_then(|(alt, rest)| {
            let alt_is_simple = !alt["![".len()..].contains(['[', ']', '!']);
            rest.split_once(')').map(|(target, _)| target).filter(|_| alt_is_simple)
        }),
    };
    target.is_some_and(|target| {
        !target.starts_with(['/', '\\', '<', ' '])
            && !target.contains([':', '&', '\\', '<'])
            && !target.contains("//")
    })
}

/// Whether `<..` begins HTML or a template. Addresses in `<..>` and a few tags without attributes are none.
fn is_markup(text: &str) -> bool {
    let inner = &text[1..];
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?%".contains(c)) {
        return false;
    }
    let tag = inner.split('>').next().unwrap_or_default();
    let name = tag.trim_start_matches('/').trim_end_matches('/').trim_end();
    let closed = inner.len() > tag.len();
    let address = ["https://", "http://", "mailto:"].iter().any(|scheme| tag.starts_with(scheme))
        && !tag.contains([' ', '<', '"']);
    !(closed && (address || HARMLESS.contains(&name.to_ascii_lowercase().as_str())))
}
