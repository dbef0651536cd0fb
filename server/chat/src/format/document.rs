//! A note as parts: properties, the user's text, and blocks.

use std::collections::HashSet;
use std::ops::Range;

use super::comment::find_comments;
use super::fence::{Fence, fences};
use super::header::Header;
use super::id::BlockId;
use super::lines::{Line, lines};
use super::payload::Payload;

/// A note, read. Its parts follow each other without gaps, so that their texts together are the note.
#[derive(Debug)]
pub struct Document<'a> {
    text: &'a str,
    parts: Vec<Part>,
    mistakes: Vec<Mistake>,
}

/// A part of a note.
#[derive(Debug)]
pub enum Part {
    /// The properties, with the lines of `---`.
    Properties(Range<usize>),
    /// What the user wrote, with everything else that is not a block.
    Text(UserText),
    /// A block that a conversation wrote.
    Block(Block),
    /// The user's line `> [!new-chat]`: what stands before it is not sent.
    NewChat(Range<usize>),
}

impl Part {
    /// Where the part is in the note.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        match self {
            Self::Properties(range) | Self::NewChat(range) => range.clone(),
            Self::Text(text) => text.range.clone(),
            Self::Block(block) => block.range.clone(),
        }
    }
}

/// A text of the user.
#[derive(Debug, Default)]
pub struct UserText {
    /// Where it is in the note.
    pub range: Range<usize>,
    /// The number of its first line.
    pub line: usize,
    hidden: Vec<Range<usize>>,
    pub(crate) fences: Vec<UserFence>,
}

/// A fence in the user's text.
#[derive(Debug, Clone)]
pub(crate) struct UserFence {
    pub(crate) range: Range<usize>,
    pub(crate) info: Range<usize>,
    pub(crate) body: Range<usize>,
    pub(crate) line: usize,
    pub(crate) indent: usize,
}

impl UserText {
    /// The text as a model reads it: without comments, and without lines that only name a block (`^id`).
    #[must_use]
    pub fn visible(&self, document: &Document<'_>) -> String {
        self.visible_within(document, &self.range)
    }

    pub(crate) fn visible_within(&self, document: &Document<'_>, range: &Range<usize>) -> String {
        let mut out = String::new();
        let mut at = range.start;
        for hidden in
            self.hidden.iter().filter(|hidden| hidden.end > range.start && hidden.start < range.end)
        {
            out.push_str(document.text.get(at..hidden.start).unwrap_or_default());
            at = hidden.end;
        }
        out.push_str(document.text.get(at..range.end).unwrap_or_default());
        out.trim().to_owned()
    }
}

/// A block of a conversation.
#[derive(Debug, Clone)]
pub struct Block {
    /// Its first line.
    pub header: Header,
    /// Where it is in the note, without its last line end.
    pub range: Range<usize>,
    /// The number of its first line.
    pub line: usize,
    /// Its other lines without `>`, with `\n` between them.
    body: String,
}

impl Block {
    pub(crate) fn read(header: Header, lines: &[Line<'_>]) -> Self {
        let first = lines[0];
        let last = lines[lines.len() - 1];
        let unquoted = |line: &Line<'_>| {
            let inner = line.text.strip_prefix('>').unwrap_or(line.text);
            inner.strip_prefix(' ').unwrap_or(inner).to_owned()
        };
        let body = lines[1..].iter().map(unquoted).collect::<Vec<_>>().join("\n");
        Self { header, range: first.start..last.end(), line: first.number, body }
    }

    /// The words of an answer or a notice.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.body
    }

    /// The arguments of a call; `None` if someone has removed them.
    #[must_use]
    pub fn arguments(&self) -> Option<Payload> {
        self.payload(0)
    }

    /// The result of a call; `None` if it has none.
    #[must_use]
    pub fn result(&self) -> Option<Payload> {
        self.payload(1)
    }

    fn payload(&self, position: usize) -> Option<Payload> {
        let (info, body) = fences(&self.body).into_iter().nth(position)?;
        Some(Payload::parse(info, body))
    }
}

/// Something in a note that cannot be understood, and how to correct it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl<'a> Document<'a> {
    /// Reads a note. Every text is a document; what cannot be understood is the user's text and a mistake.
    #[must_use]
    pub fn parse(text: &'a str) -> Self {
        Parser::default().parse(text)
    }

    /// The note.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The parts of the note, in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What cannot be understood. A conversation does not go on before it is corrected.
    #[must_use]
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    /// The blocks, in order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.parts
            .iter()
            .filter_map(|part| if let Part::Block(block) = part { Some(block) } else { None })
    }

    /// The block with an id.
    #[must_use]
    pub fn block(&self, id: BlockId) -> Option<&Block> {
        self.blocks().find(|block| block.header.id == id)
    }

    /// The YAML of the properties, without the lines of `---`.
    #[must_use]
    pub fn properties(&self) -> Option<&'a str> {
        let Some(Part::Properties(range)) = self.parts.first() else { return None };
        let inner = self.text.get(range.clone())?.split_once('\n')?.1;
        Some(&inner[..inner.trim_end().len().saturating_sub(3)])
    }
}

/// What a line of the user's text is within.
enum Within<'a> {
    Nothing,
    Fence(Fence<'a>, UserFence),
    Comment(&'static str, usize),
    Quote,
}

#[derive(Default)]
struct Parser {
    parts: Vec<Part>,
    mistakes: Vec<Mistake>,
    ids: HashSet<BlockId>,
    text: UserText,
}

impl Parser {
    fn parse(mut self, text: &str) -> Document<'_> {
        let all: Vec<Line<'_>> = lines(text).collect();
        let mut at = properties_end(&all);
        if at > 0 {
            self.parts.push(Part::Properties(0..all[at - 1].next));
            self.text.range = all[at - 1].next..all[at - 1].next;
            self.text.line = at + 1;
        }
        let mut within = Within::Nothing;
        while at < all.len() {
            let quoted = |line: &&Line<'_>| line.text.starts_with('>');
            if matches!(within, Within::Nothing) && all[at].text.starts_with('>') {
                let run = &all[at..at + all[at..].iter().take_while(quoted).count()];
                at += run.len();
                self.parse_quoted_lines(run, &mut within);
            } else {
                within = self.parse_line(all[at], within);
                at += 1;
            }
            if matches!(within, Within::Quote) {
                within = Within::Nothing;
            }
        }
        self.report_unclosed(&within);
        self.end_text(text.len());
        Document { text, parts: self.parts, mistakes: self.mistakes }
    }

    /// Lines that begin with `>`: a block, the line of a new chat, or a quotation of the user.
    fn parse_quoted_lines(&mut self, run: &[Line<'_>], within: &mut Within<'_>) {
        let first = run[0];
        let end = run[run.len() - 1].end();
        match Header::read(&first.text[1..]) {
            Some(Ok(header)) => {
                if !self.ids.insert(header.id) {
                    self.add_mistake(first.number, format!("another block has the id {}, too. Delete one of them.", header.id));
                }
                self.end_text(first.start);
                self.parts.push(Part::Block(Block::read(header, run)));
                self.begin_text(end, first.number + run.len() - 1);
            }
            Some(Err(_)) => self.add_mistake(
                first.number,
                "this looks like a block of a conversation, and cannot be read. Expected `> [!tool|ID]- `NAME` · STATE` \
                 with an ID of nine characters. Restore the line, or delete the block."
                    .to_owned(),
            ),
            None if is_new_chat(first.text) => {
                self.end_text(first.start);
                self.parts.push(Part::NewChat(first.start..end));
                self.begin_text(end, first.number + run.len() - 1);
            }
            None => *within = Within::Quote,
        }
    }

    /// A line of the user's text.
    fn parse_line<'a>(&mut self, line: Line<'a>, within: Within<'a>) -> Within<'a> {
        match within {
            Within::Fence(fence, mut found) => {
                if !fence.closes(line.text) {
                    return Within::Fence(fence, found);
                }
                found.body.end = line.start;
                found.range.end = line.end();
                self.text.fences.push(found);
                Within::Nothing
            }
            Within::Comment(end, opened) => {
                let closed = line.text.find(end).map(|at| line.start + at + end.len());
                self.text.hidden.push(line.start..closed.unwrap_or(line.next));
                if closed.is_some() { Within::Nothing } else { Within::Comment(end, opened) }
            }
            Within::Nothing | Within::Quote => self.parse_open_line(line),
        }
    }

    fn parse_open_line<'a>(&mut self, line: Line<'a>) -> Within<'a> {
        if let Some(fence) = Fence::parse_opening(line.text) {
            let info = line.start + line.text.trim_end().len() - fence.info.len();
            let found = UserFence {
                range: line.start..line.end(),
                info: info..info + fence.info.len(),
                body: line.next..line.next,
                line: line.number,
                indent: fence.indent,
            };
            return Within::Fence(fence, found);
        }
        let name = line.text.trim().strip_prefix('^').unwrap_or_default();
        if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            self.text.hidden.push(line.start..line.next);
        }
        let found = find_comments(line.text);
        self.text.hidden.extend(
            found.ranges.into_iter().map(|range| line.start + range.start..line.start + range.end),
        );
        found.open.map_or(Within::Nothing, |end| Within::Comment(end, line.number))
    }

    fn report_unclosed(&mut self, within: &Within<'_>) {
        match within {
            Within::Fence(_, fence) => self.add_mistake(
                fence.line,
                "this fence of code is not closed, so that it would contain the answer. Add a line that closes it.".to_owned(),
            ),
            Within::Comment(end, line) => self.add_mistake(
                *line,
                format!("this comment is not closed, so that it would contain the answer. Add `{end}` where it ends."),
            ),
            Within::Nothing | Within::Quote => {}
        }
    }

    fn add_mistake(&mut self, line: usize, message: String) {
        self.mistakes.push(Mistake { line, message });
    }

    /// Ends the user's text that was being read.
    fn end_text(&mut self, end: usize) {
        let mut text = std::mem::take(&mut self.text);
        text.range.end = end;
        text.line = text.line.max(1);
        if !text.range.is_empty() {
            self.parts.push(Part::Text(text));
        }
    }

    fn begin_text(&mut self, offset: usize, line: usize) {
        self.text = UserText { range: offset..offset, line, ..UserText::default() };
    }
}

/// The number of lines that the properties have.
fn properties_end(lines: &[Line<'_>]) -> usize {
    let is_border = |line: &Line<'_>| line.text.trim_end() == "---";
    if !lines.first().is_some_and(is_border) {
        return 0;
    }
    lines[1..].iter().position(is_border).map_or(0, |end| end + 2)
}

fn is_new_chat(line: &str) -> bool {
    let inner = line[1..].trim();
    inner.get(.."[!new-chat]".len()).is_some_and(|word| word.eq_ignore_ascii_case("[!new-chat]"))
}
