//! Comment blocks and math blocks, which CommonMark does not know and must not parse.
//!
//! Both may contain blank lines and anything else, even half a code fence. So they are found first
//! and blanked in the text that the parser sees. An opening mark without a closing one is text.
//!
//! A `%%` at the start of a line that is not closed in the same line opens a comment block. Any
//! other `%%` is text: Obsidian hides what follows it, but counts the links and tags there.

use std::borrow::Cow;

use toolwrit_frontmatter::Span;

/// A body in which comment and math blocks are blanked, byte by byte.
pub(super) struct Masked<'a> {
    /// What the Markdown parser reads.
    pub(super) body: Cow<'a, str>,
    /// The blanked spans, in bytes of the body.
    pub(super) spans: Vec<Span>,
}

impl<'a> Masked<'a> {
    pub(super) fn new(body: &'a str) -> Self {
        let spans = match (body.contains("%%"), body.contains("$$")) {
            (false, false) => Vec::new(),
            _ => MaskScanner { body, at: 0, spans: Vec::new(), fence: None, list: false }.mask(),
        };
        if spans.is_empty() {
            return Self { body: Cow::Borrowed(body), spans };
        }
        let mut masked = String::with_capacity(body.len());
        let mut end = 0;
        for span in &spans {
            masked.push_str(&body[end..span.start]);
            push_blank(body, *span, &mut masked);
            end = span.end;
        }
        masked.push_str(&body[end..]);
        Self { body: Cow::Owned(masked), spans }
    }
}

/// Appends as many bytes as `span` has. A comment's own lines become blank, so that the text after
/// it keeps its structure; anything else becomes a word, which starts no syntax.
fn push_blank(body: &str, span: Span, masked: &mut String) {
    let comment = body[span.start..].starts_with("%%");
    for line in span.slice(body).split_inclusive('\n') {
        let starts_line = masked.is_empty() || masked.ends_with('\n');
        let text = line.trim_end_matches(['\n', '\r']);
        let filler = if comment && starts_line && text.len() < line.len() { " " } else { "x" };
        masked.push_str(&filler.repeat(text.len()));
        masked.push_str(&line[text.len()..]);
    }
}

/// Scans lines and, within them, syntax that hides a `%%` or `$$`: code and HTML comments.
struct MaskScanner<'a> {
    body: &'a str,
    at: usize,
    spans: Vec<Span>,
    /// The mark and length of an open code fence.
    fence: Option<(u8, usize)>,
    /// Whether indented lines belong to a list.
    list: bool,
}

impl<'a> MaskScanner<'a> {
    fn mask(mut self) -> Vec<Span> {
        let mut after_blank = true;
        while self.at < self.body.len() {
            let line = self.rest_of_line();
            if line.trim().is_empty() {
                after_blank = true;
                self.at += line.len();
                continue;
            }
            if self.is_code(line, after_blank) {
                self.at += line.len();
            } else {
                after_blank = false;
                self.mask_line(line);
            }
        }
        self.spans
    }

    /// The rest of the current line, including its ending.
    fn rest_of_line(&self) -> &'a str {
        let rest = &self.body[self.at..];
        rest.find('\n').map_or(rest, |newline| &rest[..=newline])
    }

    /// Whether the line is code or a fence around it.
    fn is_code(&mut self, line: &str, after_blank: bool) -> bool {
        let (content, marked) = trim_markers(line);
        let fence = parse_fence(content);
        if let Some((mark, length)) = self.fence {
            let closes = fence.is_some_and(|(other, long, info)| {
                other == mark && long >= length && info.trim().is_empty()
            });
            if closes {
                self.fence = None;
            }
            return true;
        }
        let indented = line.starts_with("    ") || line.starts_with('\t');
        self.list = marked || self.list && (indented || line.starts_with(' ') || !after_blank);
        if indented && after_blank && !self.list {
            return true;
        }
        self.fence = fence.map(|(mark, length, _)| (mark, length));
        self.fence.is_some()
    }

    /// Scans a line of text, and further lines if an element spans them.
    fn mask_line(&mut self, line: &str) {
        let start = self.at;
        let end = self.at + line.len();
        let first = start + line.len() - trim_markers(line).0.len();
        while self.at < end {
            let rest = &self.body[self.at..];
            if let Some(escaped) = rest.strip_prefix('\\') {
                self.at += 1 + escaped.chars().next().map_or(0, char::len_utf8);
            } else if self.at == first && opens_comment(&self.body[first..end]) {
                self.mask_to_mark("%%");
            } else if rest.starts_with("$$") && self.at == first {
                self.mask_to_mark("$$");
            } else if rest.starts_with("<!--") {
                // An unclosed comment hides everything after it, as in CommonMark.
                self.at += rest.find("-->").map_or(rest.len(), |length| length + 3);
            } else if rest.starts_with('`') {
                self.at += code_span_length(rest);
            } else {
                let rest = &self.body[self.at..end];
                let plain = rest.find(['\\', '%', '$', '<', '`']).unwrap_or(rest.len());
                self.at += plain.max(1);
            }
        }
    }

    /// Hides the text up to the closing mark, or skips an opening mark that is never closed.
    fn mask_to_mark(&mut self, mark: &str) {
        let rest = &self.body[self.at + mark.len()..];
        let hidden = rest.find(mark).map_or(0, |length| length + mark.len());
        let end = self.at + mark.len() + hidden;
        if hidden > 0 {
            self.spans.push(Span::new(self.at, end));
        }
        self.at = end;
    }
}

/// Whether a line opens a comment that continues in the next lines.
fn opens_comment(line: &str) -> bool {
    line.strip_prefix("%%").is_some_and(|rest| !rest.contains("%%"))
}

/// A line without indentation, quote marks and list marks, and whether it had a list mark.
fn trim_markers(line: &str) -> (&str, bool) {
    let mut rest = line.trim_start();
    let mut marked = false;
    loop {
        let item = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = match rest.as_bytes() {
            [b'>', ..] => &rest[1..],
            [b'-' | b'*' | b'+', b' ' | b'\t', ..] => {
                marked = true;
                &rest[1..]
            }
            _ if item.len() < rest.len() && (item.starts_with(". ") || item.starts_with(") ")) => {
                marked = true;
                &item[1..]
            }
            _ => return (rest, marked),
        };
        rest = after.trim_start();
    }
}

/// The mark, length and info string of a code fence.
fn parse_fence(line: &str) -> Option<(u8, usize, &str)> {
    let mark = *line.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let info = line.trim_start_matches(char::from(mark));
    let length = line.len() - info.len();
    let is_fence = length >= 3 && !(mark == b'`' && info.contains('`'));
    is_fence.then_some((mark, length, info))
}

/// Longest code span that is recognised, in bytes.
const CODE_LIMIT: usize = 1 << 16;

/// The length of the code span at the start of `text`, or of the backticks if they are not closed
/// before a blank line.
fn code_span_length(text: &str) -> usize {
    let text = &text[..text.floor_char_boundary(CODE_LIMIT)];
    let ticks = text.len() - text.trim_start_matches('`').len();
    let mut at = ticks;
    while let Some(next) = text[at..].find(['`', '\n']) {
        at += next;
        if text.as_bytes()[at] == b'\n' {
            let line = text[at + 1..].split('\n').next().unwrap_or_default();
            if line.trim().is_empty() {
                return ticks;
            }
            at += 1;
            continue;
        }
        let run = text.len() - at - text[at..].trim_start_matches('`').len();
        at += run;
        if run == ticks {
            return at;
        }
    }
    ticks
}
