//! One line of text. After it, no code span, no tag and no image is open.

use std::collections::HashSet;

use super::math;
use super::without_templates;
use crate::format::code_span::find_closing_run;

/// Code within code that is none, at most.
const MOST_NESTED: usize = 8;
/// Bytes of what stands before a code span that can make it a query.
const LONGEST_GAP: usize = 200;
/// Bytes of the longest tag and address.
const LONGEST_TAG: usize = 2048;

/// Tags that do nothing without attributes. `code` is not among them: plugins run what is in it.
const HARMLESS: [&str; 11] =
    ["b", "br", "em", "i", "kbd", "mark", "s", "strong", "sub", "sup", "u"];

/// Whether a line may make the one before it the head of a table.
fn may_delimit_table(line: &str) -> bool {
    line.contains('-') && line.chars().all(|c| " \t|:->+*.)".contains(c) || c.is_ascii_digit())
}

/// The lines between two blank ones or fences, and what decides about them.
pub(super) struct Paragraph {
    /// Whether it may be a table, of which each cell ends code spans.
    is_table: bool,
    /// Whether a dollar sign could hide a mark of code.
    has_code: bool,
    /// What a mark of code may be a part of.
    hidden_in: HiddenIn,
    /// What has been written since the last code span, if it is short.
    gap: String,
    line: LineState,
}

/// What may contain a mark of code that begins no code span, so that readers may take text for code and code for text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HiddenIn {
    Nothing,
    /// The title or the target of a link, an address, or the label of a footnote.
    Link,
    /// Mathematics, or one of those.
    Mathematics,
}

/// Where a line stands.
#[derive(Default)]
struct LineState {
    /// Whether there were only marks of lists, quotations and footnotes so far.
    is_at_start: bool,
    /// Whether there were words.
    has_words: bool,
    /// Whether it has a footnote.
    has_footnote: bool,
    /// The runs of backticks, by their length, that nothing closes in this line or cell.
    unclosed: HashSet<usize>,
    /// The codes around that are none.
    nested: usize,
}

/// The marks of links and their definitions, addresses and footnotes.
const LINKS: [&str; 8] = ["](", "]:", "[[", "^[", "[^", "://", "www.", "mailto:"];

/// The marks that may stand before the words of a line.
const START: &str = " \t>-+*.)0123456789[]:";

impl Paragraph {
    pub(super) fn new(lines: &[&str]) -> Self {
        let has = |mark: &str| lines.iter().any(|line| line.contains(mark));
        let hidden_in = if has("$") {
            HiddenIn::Mathematics
        // The target of a link may begin on the next line.
        } else if LINKS.iter().any(|mark| has(mark)) {
            HiddenIn::Link
        } else {
            HiddenIn::Nothing
        };
        Self {
            is_table: lines.iter().skip(1).any(|line| may_delimit_table(line)),
            has_code: has("`"),
            hidden_in,
            gap: String::new(),
            line: LineState::default(),
        }
    }

    /// Writes the lines, so that they do not act.
    pub(super) fn write(mut self, lines: &[&str], out: &mut Vec<String>) {
        let mut at = 0;
        while at < lines.len() {
            if let Some(length) = math::block_length(&lines[at..]) {
                out.extend(lines[at..at + length].iter().map(|line| math::make_inert(line)));
                at += length;
            } else {
                out.push(self.make_inert(lines[at]));
                at += 1;
            }
            self.add_to_gap(" ");
        }
    }

    fn make_inert(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len() + line.len() / 16);
        let has_footnote = line.contains("[^");
        self.line = LineState { is_at_start: true, has_footnote, ..LineState::default() };
        self.write_part(&mut out, line, true);
        out
    }

    /// Only the beginning of a gap decides.
    fn add_to_gap(&mut self, text: &str) {
        if self.gap.len() < LONGEST_GAP {
            self.gap.push_str(text);
        }
    }

    /// Writes a part of a line. A code span at the beginning of a line could be taken for a fence.
    fn write_part(&mut self, out: &mut String, text: &str, mut may_open_fence: bool) {
        let mut rest = text;
        while let Some(mark) = rest.chars().next() {
            let before = out.len();
            let (taken, is_code) = match mark {
                '`' => self.write_backticks(out, rest, may_open_fence),
                '\\' if self.hidden_in == HiddenIn::Mathematics && math::is_styling(&rest[1..]) => {
                    out.push_str("\\ ");
                    (1, false)
                }
                '\\' => (write_backslash(out, rest), false),
                '<' => (write_less_than(out, rest, &self.line), false),
                '$' => (self.write_dollar(out, rest), false),
                '!' if rest[1..].starts_with('[') => {
                    out.push_str("&#33;");
                    (1, false)
                }
                // Where readers know more containers, it could open a fence.
                '~' if rest.starts_with("~~~") => {
                    let length = rest.len() - rest.trim_start_matches('~').len();
                    out.push_str(&"&#126;".repeat(length));
                    (length, false)
                }
                '%' if rest[1..].starts_with('%') => {
                    out.push_str("% ");
                    (1, false)
                }
                _ => {
                    out.push(mark);
                    (mark.len_utf8(), false)
                }
            };
            if is_code {
                self.gap.clear();
            } else if self.gap.len() < LONGEST_GAP {
                self.gap.push_str(&out[before..]);
            }
            if mark == '|' {
                self.line.unclosed.clear();
            }
            may_open_fence &= " \t>-+*.)0123456789".contains(mark);
            self.line.advance(&rest[..taken]);
            rest = &rest[taken..];
        }
    }

    /// A code span that ends in this line, and in this cell of a table. Other backticks become entities. Returns how much was
    /// taken, and whether it is code.
    fn write_backticks(
        &mut self,
        out: &mut String,
        rest: &str,
        may_open_fence: bool,
    ) -> (usize, bool) {
        let length = rest.len() - rest.trim_start_matches('`').len();
        let may_close = self.line.nested < MOST_NESTED && !self.line.unclosed.contains(&length);
        let within = |rest| if self.is_table { rest_of_cell(rest) } else { rest };
        let end = may_close.then(|| find_closing_run(&within(rest)[length..], length)).flatten();
        let Some(code) = end.map(|end| &rest[length..end]) else {
            self.line.unclosed.insert(length);
            out.push_str(&"&#96;".repeat(length));
            return (length, false);
        };
        let taken = 2 * length + code.len();
        let is_fence = may_open_fence && length >= 3;
        if !is_fence && !may_execute(code) && !self.may_be_text(code) {
            let marks = &rest[..length];
            out.push_str(marks);
            out.push_str(&without_templates(code));
            out.push_str(marks);
            return (taken, true);
        }
        out.push_str(&"&#96;".repeat(length));
        // What is not closed within the code may be closed after it.
        let unclosed = std::mem::take(&mut self.line.unclosed);
        self.line.nested += 1;
        self.write_part(out, code, false);
        self.line.nested -= 1;
        self.line.unclosed = unclosed;
        out.push_str(&"&#96;".repeat(length));
        (taken, false)
    }

    /// Whether it matters that some readers may see text where others see code, and code before it.
    fn may_be_text(&self, code: &str) -> bool {
        self.hidden_in != HiddenIn::Nothing
            && (would_act(code) || code.contains('`') || may_execute(&self.gap))
    }

    fn write_dollar(&self, out: &mut String, rest: &str) -> usize {
        if let Some(length) = math::inline_length(rest) {
            out.push_str(&math::make_inert(&rest[..length]));
            return length;
        }
        // With another one, also in a later line, it would be mathematics.
        let hides = self.has_code || rest[1..].starts_with('$');
        out.push_str(if hides { "&#36;" } else { "$" });
        1
    }
}

impl LineState {
    /// Passes a part of the line.
    fn advance(&mut self, part: &str) {
        self.is_at_start &= part.chars().all(|c| START.contains(c));
        self.has_words |= !self.is_at_start && part.contains(char::is_alphanumeric);
    }
}

/// Whether a text would act if it were not code.
fn would_act(text: &str) -> bool {
    let begins_markup =
        |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?%".contains(c));
    text.contains("![") || text.contains("%%") || text.split('<').skip(1).any(begins_markup)
}

/// The rest of a cell of a table.
fn rest_of_cell(text: &str) -> &str {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == '|' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    &text[..end.unwrap_or(text.len())]
}

/// Names before which plugins take the equals sign of a code span for that of a query.
const QUERIES: [&str; 11] = ["", "$", "dc", "$dc", "dv", "$dv", "dvjs", "js", "$js", "jsx", "tsx"];

/// How code spans begin that plugins replace.
const COMMANDS: [&str; 6] = ["button-", "dice+", "dice-", "dice:", "jsx-", "jsx:"];

/// Whether a plugin may take a code span for its own: those of Dataview and Datacore are queries, those of Meta Bind begin with
/// a name in capitals and `[`, and those of others with a mark and a blank.
pub(in crate::format) fn may_execute(code: &str) -> bool {
    let code = code.trim_start();
    let rest = code.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "$_-".contains(c));
    let name = &code[..code.len() - rest.len()];
    let is_field = rest.starts_with('[')
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && !name.contains(|c: char| c.is_ascii_lowercase());
    let operand = rest.trim_start_matches(|c: char| c.is_ascii_punctuation()).trim();
    let is_query = rest.starts_with('=')
        && QUERIES.contains(&name)
        && !(name.is_empty() && operand.is_empty());
    let is_marked = name.is_empty() && rest.starts_with(['#', '@', '!', '?']) && {
        rest.trim_start_matches(|c: char| c.is_ascii_punctuation()).starts_with(' ')
    };
    let begins = |command: &&str| {
        code.get(..command.len()).is_some_and(|start| start.eq_ignore_ascii_case(command))
    };
    let is_named = COMMANDS.iter().any(begins);
    is_field || is_query || is_marked || is_named || name.starts_with('$') && rest.starts_with(": ")
}

/// An escape. What would act is an entity, so that nothing depends on how many backslashes stand before it.
fn write_backslash(out: &mut String, rest: &str) -> usize {
    let after = &rest[1..];
    let Some(escaped) = after.chars().next() else {
        out.push('\\');
        return 1;
    };
    match escaped {
        '`' => out.push_str("&#96;"),
        '<' => out.push_str("&lt;"),
        '!' => out.push_str("&#33;"),
        '%' => out.push_str("&#37;"),
        '\\' | '$' => {
            out.push('\\');
            out.push(escaped);
        }
        _ => {
            out.push('\\');
            return 1;
        }
    }
    1 + escaped.len_utf8()
}

fn write_less_than(out: &mut String, rest: &str, line: &LineState) -> usize {
    if let Some(tag) = parse_address(rest).or_else(|| parse_harmless_tag(line, rest)) {
        out.push_str(tag);
        return tag.len();
    }
    if let Some((target, length)) = parse_target(out, rest) {
        out.push_str(&target);
        return length;
    }
    let acts = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?%".contains(c));
    out.push_str(if acts { "&lt;" } else { "<" });
    1
}

/// What stands in `<..>`, and what follows.
fn split_bracketed(text: &str) -> Option<(&str, &str)> {
    let end = text.floor_char_boundary(LONGEST_TAG);
    let (inner, _) = text[1..end].split_once('>')?;
    Some((inner, &text[inner.len() + 2..]))
}

fn parse_address(text: &str) -> Option<&str> {
    let (inner, _) = split_bracketed(text)?;
    let is_plain = !inner.contains(|c: char| c.is_whitespace() || "<`\"'\\|()[]!$^".contains(c))
        && !inner.contains("==")
        && !inner.contains("%%");
    let schemes = ["https://", "http://", "mailto:"];
    let is_address = schemes.iter().any(|scheme| inner.starts_with(scheme));
    (is_plain && is_address).then(|| &text[..inner.len() + 2])
}

/// A tag that does nothing, and begins no block of HTML: it has words before it in its line, or anything after it.
fn parse_harmless_tag<'a>(line: &LineState, text: &'a str) -> Option<&'a str> {
    let (inner, after) = split_bracketed(text)?;
    let name = inner.strip_prefix('/').unwrap_or_else(|| inner.trim_end_matches([' ', '/']));
    let follows = line.has_words && !line.has_footnote;
    let begins_nothing = follows || !after.trim().is_empty();
    let is_known = HARMLESS.iter().any(|known| known.eq_ignore_ascii_case(name));
    (is_known && begins_nothing).then(|| &text[..inner.len() + 2])
}

/// The target of a link in `<..>`, written without them.
fn parse_target(out: &str, text: &str) -> Option<(String, usize)> {
    let (inner, after) = split_bracketed(text)?;
    let is_target = out.ends_with("](")
        && after.starts_with(')')
        && !inner.contains(['<', '`', '\\', '(', ')', '[', ']', '$'])
        && !inner.contains("%%");
    is_target.then(|| (inner.replace(' ', "%20").replace('\t', "%09"), inner.len() + 2))
}
