//! Splits an answer into fences of code and paragraphs.

use std::ops::Range;

use super::math;

/// Lines that are understood together.
pub(super) enum Region<'a> {
    CodeBlock(CodeBlock<'a>),
    /// Lines up to a blank one, which is a region of its own.
    Paragraph(&'a [&'a str]),
}

/// A code block. Within a list or a quotation, readers disagree about where it ends.
pub(super) struct CodeBlock<'a> {
    open: OpeningLine<'a>,
    body: &'a [&'a str],
    is_closed: bool,
}

/// A line that opens a fence.
#[derive(Clone, Copy)]
struct OpeningLine<'a> {
    /// What stands before the marks: blanks, quotation marks, and the mark of a list.
    prefix: &'a str,
    marks: &'a str,
    info: &'a str,
}

pub(super) fn split_regions<'a>(lines: &'a [&'a str]) -> Vec<Region<'a>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut text = 0..0;
    while at < lines.len() {
        let (region, next) = if let Some(open) = OpeningLine::parse(lines[at]) {
            let (fence, next) = CodeBlock::parse(open, &lines[at + 1..]);
            (Some(Region::CodeBlock(fence)), at + 1 + next)
        } else {
            // Readers that know no mathematics see one paragraph.
            (None, at + math::block_length(&lines[at..]).unwrap_or(1))
        };
        let is_blank = is_blank(lines[at]);
        if region.is_some() || is_blank {
            push_text(&mut found, lines, text.clone());
            if is_blank {
                found.push(Region::Paragraph(&lines[at..=at]));
            }
            found.extend(region);
            text = next..next;
        } else {
            text.end = next;
        }
        at = next;
    }
    push_text(&mut found, lines, text);
    found
}

/// Whether a line ends a paragraph. Other blanks than these two are characters for readers of Markdown.
pub(super) fn is_blank(line: &str) -> bool {
    line.trim_matches([' ', '\t']).is_empty()
}

fn push_text<'a>(found: &mut Vec<Region<'a>>, lines: &'a [&'a str], text: Range<usize>) {
    if !text.is_empty() {
        found.push(Region::Paragraph(&lines[text]));
    }
}

impl<'a> OpeningLine<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let prefix = prefix(line);
        let rest = &line[prefix.len()..];
        let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let marks = &rest[..rest.len() - info.len()];
        let opens = marks.len() >= 3 && !(mark == '`' && info.contains('`'));
        opens.then(|| Self { prefix, marks, info: info.trim() })
    }

    fn closes(&self, line: &str) -> bool {
        let code = code_line(line, self.width(), self.depth());
        if code.starts_with("    ") || code.starts_with('\t') {
            return false;
        }
        // Whatever an editor may take for a blank.
        let inner = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
        let mark = &self.marks[..1];
        let rest = inner.trim_start_matches(mark);
        inner.len() - rest.len() >= self.marks.len() && rest.trim().is_empty()
    }

    /// The quotation marks before it.
    fn depth(&self) -> usize {
        self.prefix.matches('>').count()
    }

    /// The characters before it.
    fn width(&self) -> usize {
        self.prefix.chars().count()
    }

    /// The columns of the code, if it is within nothing but blanks.
    fn indent(&self) -> Option<usize> {
        self.prefix.chars().all(|c| c == ' ').then_some(self.prefix.len())
    }
}

/// What may stand before the first word of a line: blanks, quotation marks, and marks of lists.
fn prefix(line: &str) -> &str {
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '>']);
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = match digits.strip_prefix(['.', ')']) {
            Some(item) if digits.len() < rest.len() => Some(item),
            _ => rest.strip_prefix(['-', '*', '+']),
        };
        match item.filter(|item| item.starts_with([' ', '\t'])) {
            Some(item) => rest = item,
            None => return &line[..line.len() - rest.len()],
        }
    }
}

impl<'a> CodeBlock<'a> {
    /// Reads what follows an opening line. Returns the number of its lines, too.
    fn parse(open: OpeningLine<'a>, after: &'a [&'a str]) -> (Self, usize) {
        let depth = open.depth();
        // A quotation ends with the first line that has no mark, and its fence with it.
        let leaves =
            |line: &&str| depth > 0 && !line.trim_start_matches([' ', '\t']).starts_with('>');
        let end = after.iter().position(|line| open.closes(line) || leaves(line));
        let is_closed = end.is_some_and(|end| open.closes(after[end]));
        let body = &after[..end.unwrap_or(after.len())];
        (Self { open, body, is_closed }, body.len() + usize::from(is_closed))
    }

    /// Writes it so that every reader sees where it begins and ends: at the margin, unless it stands in a list and is indented
    /// by up to three blanks, as all of its lines are.
    pub(super) fn write(self, executes: impl Fn(&str) -> bool, out: &mut Vec<String>) {
        let Self { open, body, is_closed } = self;
        let indent = open.indent().filter(|indent| is_self_evident(*indent, body, is_closed));
        let blanks = " ".repeat(indent.unwrap_or_default());
        let marker = open.prefix.trim_end();
        if indent.is_none() && !marker.trim_matches([' ', '\t', '>']).is_empty() {
            // Below words, it would make them a heading.
            if out.last().is_some_and(|line| !is_blank(line)) {
                out.push(String::new());
            }
            out.push(marker.to_owned());
        }
        let info = plain_info(open.info);
        let info = info.trim();
        let name = info.split([' ', '\t', '{', ',', ':']).next().unwrap_or_default();
        let is_alone = info[name.len()..].is_empty() || info[name.len()..].starts_with([' ', '\t']);
        // What follows a name may tell a plugin to run the code.
        let info = if is_alone && !executes(&name.to_ascii_lowercase()) {
            name.to_owned()
        } else {
            format!("text {info}")
        };
        out.push(format!("{blanks}{}{info}", open.marks));
        let width = if indent.is_some() { 0 } else { open.width() };
        for line in body {
            out.push(code_line(line, width, open.depth()));
        }
        // It also ends where its quotation or the answer ends.
        out.push(format!("{blanks}{}", open.marks));
    }
}

/// An info without what some readers take for the head of a table or for code.
fn plain_info(info: &str) -> String {
    let is_plain = |c: &char| c.is_alphanumeric() || " _.,:;=/\"'{}()#+-*@".contains(*c);
    info.chars().filter(is_plain).collect()
}

/// Whether a fence with this indent ends at the same place for those who see it in a list and for those who do not.
fn is_self_evident(indent: usize, body: &[&str], is_closed: bool) -> bool {
    let is_inside = |line: &&str| is_blank(line) || line.starts_with(&" ".repeat(indent));
    indent == 0 || (indent <= 3 && is_closed && body.iter().all(is_inside))
}

/// A line of code without templates, and without what it repeats of the prefix of its fence, which has this width and depth.
fn code_line(line: &str, width: usize, depth: usize) -> String {
    let mut rest = line;
    let mut marks = depth;
    for _ in 0..width {
        match rest.chars().next() {
            Some(' ' | '\t') => rest = &rest[1..],
            Some('>') if marks > 0 => {
                marks -= 1;
                rest = &rest[1..];
            }
            _ => break,
        }
    }
    rest.replace("<%", "< %")
}
