//! One line of text. After it, no code span, no tag and no image is open.

use super::math;
use super::without_templates;
use crate::format::code_span::closing;

/// Tags that do nothing without attributes. `code` is not among them: plugins run what is in it.
const HARMLESS: [&str; 11] =
    ["b", "br", "em", "i", "kbd", "mark", "s", "strong", "sub", "sup", "u"];

/// Whether a line may make the one before it the head of a table.
fn may_delimit_table(line: &str) -> bool {
    line.contains('-') && line.chars().all(|c| " \t|:->+*.)".contains(c) || c.is_ascii_digit())
}

/// What decides about the lines of a paragraph.
pub(super) struct Paragraph {
    /// Whether it may be a table, of which each cell ends code spans.
    is_table: bool,
    /// Whether a dollar sign could hide a mark of code.
    has_code: bool,
    /// Whether a mark of code may be part of something else, such as the title of a link, so that readers may take text for code
    /// and code for text.
    is_ambiguous: bool,
    /// What has been written since the last code span.
    gap: String,
}

/// What may contain a mark of code that begins no code span: links and their definitions, addresses, footnotes, mathematics.
const AMBIGUOUS: [&str; 8] = ["](", "]:", "[[", "^[", "://", "www.", "mailto:", "$"];

impl Paragraph {
    pub(super) fn of(lines: &[&str]) -> Self {
        let has = |mark: &str| lines.iter().any(|line| line.contains(mark));
        Self {
            is_table: lines.iter().skip(1).any(|line| may_delimit_table(line)),
            has_code: has("`"),
            // The target of a link may begin on the next line.
            is_ambiguous: AMBIGUOUS.iter().any(|mark| has(mark)),
            gap: String::new(),
        }
    }

    /// A line of the paragraph, so that it does not act.
    pub(super) fn inert(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len() + line.len() / 16);
        self.write(&mut out, line, true);
        self.gap.push(' ');
        out
    }

    /// Writes a part of a line. A code span at the beginning of a line could be taken for a fence.
    fn write(&mut self, out: &mut String, text: &str, mut may_open_fence: bool) {
        let mut rest = text;
        while let Some(mark) = rest.chars().next() {
            let before = out.len();
            let (taken, is_code) = match mark {
                '`' => self.backticks(out, rest, may_open_fence),
                '\\' => (backslash(out, rest), false),
                '<' => (less_than(out, rest), false),
                '$' => (self.dollar(out, rest), false),
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
            } else {
                self.gap.push_str(&out[before..]);
            }
            may_open_fence &= " \t>-+*.)0123456789".contains(mark);
            rest = &rest[taken..];
        }
    }

    /// A code span that ends in this line, and in this cell of a table. Other backticks become entities. Returns how much was
    /// taken, and whether it is code.
    fn backticks(&mut self, out: &mut String, rest: &str, may_open_fence: bool) -> (usize, bool) {
        let length = rest.len() - rest.trim_start_matches('`').len();
        let cell = if self.is_table { cell(rest) } else { rest };
        let end = closing(&cell[length..], length);
        let Some(code) = end.map(|end| &rest[length..end]) else {
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
        self.write(out, code, false);
        out.push_str(&"&#96;".repeat(length));
        (taken, false)
    }

    /// Whether it matters that some readers may see text where others see code, and code before it.
    fn may_be_text(&self, code: &str) -> bool {
        self.is_ambiguous && (acts(code) || code.contains('`') || may_execute(&self.gap))
    }

    fn dollar(&self, out: &mut String, rest: &str) -> usize {
        if let Some(length) = math::inline(rest) {
            out.push_str(&math::inert(&rest[..length]));
            return length;
        }
        // With another one, also in a later line, it would be mathematics.
        let hides = self.has_code || rest[1..].starts_with('$');
        out.push_str(if hides { "&#36;" } else { "$" });
        1
    }
}

/// Whether a text would act if it were not code.
fn acts(text: &str) -> bool {
    let begins_markup =
        |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?%".contains(c));
    text.contains("![") || text.contains("%%") || text.split('<').skip(1).any(begins_markup)
}

/// The rest of a cell of a table.
fn cell(text: &str) -> &str {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == '|' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    &text[..end.unwrap_or(text.len())]
}

/// Names before which plugins take the equals sign of a code span for that of a query.
const QUERIES: [&str; 8] = ["", "$", "dc", "$dc", "dv", "$dv", "js", "$js"];

/// How code spans begin that plugins replace.
const COMMANDS: [&str; 4] = ["button-", "dice:", "jsx-", "jsx:"];

/// Whether a plugin may take a code span for its own: those of Dataview and Datacore are queries, those of Meta Bind begin with a
/// name in capitals and `[`, and those of others with a mark and a blank.
fn may_execute(code: &str) -> bool {
    let code = code.trim_start();
    let rest = code.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "$_-".contains(c));
    let name = &code[..code.len() - rest.len()];
    let is_field = rest.starts_with('[')
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && !name.contains(|c: char| c.is_ascii_lowercase());
    let operand = rest.trim_start_matches(|c: char| c.is_ascii_punctuation()).trim();
    let is_query =
        rest.starts_with('=') && QUERIES.contains(&name) && (name == "$" || !operand.is_empty());
    let is_marked = name.is_empty() && rest.starts_with(['#', '@', '!', '?']) && {
        rest.trim_start_matches(|c: char| c.is_ascii_punctuation()).starts_with(' ')
    };
    let lower = code.to_ascii_lowercase();
    let is_named = COMMANDS.iter().any(|command| lower.starts_with(command));
    is_field || is_query || is_marked || is_named || name.starts_with('$') && rest.starts_with(": ")
}

/// An escape. What would act is an entity, so that nothing depends on how many backslashes stand before it.
fn backslash(out: &mut String, rest: &str) -> usize {
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

fn less_than(out: &mut String, rest: &str) -> usize {
    if let Some(tag) = address(rest).or_else(|| harmless(out, rest)) {
        out.push_str(tag);
        return tag.len();
    }
    if let Some((target, length)) = target(out, rest) {
        out.push_str(&target);
        return length;
    }
    let acts = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?%".contains(c));
    out.push_str(if acts { "&lt;" } else { "<" });
    1
}

/// An address in `<..>`.
fn address(text: &str) -> Option<&str> {
    let (inner, _) = text[1..].split_once('>')?;
    let is_plain = !inner.contains(|c: char| c.is_whitespace() || "<`\"'\\|()[]!$^".contains(c))
        && !inner.contains("==")
        && !inner.contains("%%");
    let schemes = ["https://", "http://", "mailto:"];
    let is_address = schemes.iter().any(|scheme| inner.starts_with(scheme));
    (is_plain && is_address).then(|| &text[..inner.len() + 2])
}

/// A tag that does nothing, and begins no block of HTML: it has words before it in its line, or anything after it.
fn harmless<'a>(out: &str, text: &'a str) -> Option<&'a str> {
    let (inner, after) = text[1..].split_once('>')?;
    let name = inner.strip_prefix('/').unwrap_or_else(|| inner.trim_end_matches([' ', '/']));
    // Marks of lists, quotations and footnotes are no words.
    let words = out.trim_start_matches(|c: char| " \t>-+*.)0123456789[]:".contains(c));
    let follows = !out.contains("[^") && words.contains(char::is_alphanumeric);
    let begins_nothing = follows || !after.trim().is_empty();
    let is_known = HARMLESS.contains(&name.to_ascii_lowercase().as_str());
    (is_known && begins_nothing).then(|| &text[..inner.len() + 2])
}

/// The target of a link in `<..>`, written without them.
fn target(out: &str, text: &str) -> Option<(String, usize)> {
    let (inner, after) = text[1..].split_once('>')?;
    let is_target = out.ends_with("](")
        && after.starts_with(')')
        && !inner.contains(['<', '`', '\\', '(', ')', '[', ']', '$'])
        && !inner.contains("%%");
    is_target.then(|| (inner.replace(' ', "%20").replace('\t', "%09"), inner.len() + 2))
}
