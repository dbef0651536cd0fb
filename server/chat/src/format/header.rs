//! The first line of a block: `> [!KIND|ID]FOLD` `` `NAME` `` `· STATE`.

use std::fmt;

use super::id::BlockId;
use super::inert::may_execute;
use super::payload::is_hidden;

/// The most characters of a name of a tool.
const MOST_OF_NAME: usize = 128;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Words of a model.
    Assistant,
    /// A call of a tool, with its arguments and its result.
    Tool,
    /// A message to the reader. Models do not read it.
    Notice,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Notice => "notice",
        }
    }

    /// Answers are shown open, calls and notices folded.
    fn fold(self) -> char {
        if self == Self::Assistant { '+' } else { '-' }
    }
}

/// How far a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// `…`: a model still speaks, or a call still runs.
    Unfinished,
    /// `asks`: the call waits for the consent of a person.
    Asks,
    /// `ok`: the call has a result.
    Ok,
    /// `as ID`: the result is that of an earlier block.
    As(BlockId),
    /// The code of an error, such as `NOT_FOUND`.
    Failed(String),
    /// `declined`: a person refused the call.
    Declined,
    /// `cancelled`: a person stopped the model or the call.
    Cancelled,
    /// `unknown`: whether the call was carried out is not known.
    Unknown,
    /// Anything else: the model has spoken.
    Said,
}

/// The state of a block: its status, and a remark for the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// How far the block is.
    pub status: Status,
    /// The note that has the whole result.
    note: Option<String>,
    /// Tokens, time, or a remark.
    pub detail: String,
}

impl State {
    /// A state with a remark.
    #[must_use]
    pub fn new(status: Status, detail: impl Into<String>) -> Self {
        Self { status, note: None, detail: detail.into() }
    }

    /// The state of a call whose result is in a note of its own, to which it links. A path that no link can have is left out.
    pub(crate) fn with_note(self, path: &str) -> Self {
        let target = path.strip_suffix(".md").unwrap_or(path);
        let is_linkable =
            !target.contains(['[', ']', '|', '#', '^', '`']) && inert(target) == target;
        Self { note: is_linkable.then(|| target.to_owned()), ..self }
    }

    pub(crate) fn parse(text: &str) -> Self {
        let word = text.split([' ', ',']).next().unwrap_or_default();
        let rest = text[word.len()..].trim_start_matches([',', ' ']);
        let status = match word {
            "…" => Status::Unfinished,
            "asks" => Status::Asks,
            "ok" => Status::Ok,
            "declined" => Status::Declined,
            "cancelled" => Status::Cancelled,
            "unknown" => Status::Unknown,
            "as" => {
                let id = rest.split([' ', ',']).next().unwrap_or_default();
                let Ok(known) = id.parse() else { return Self::new(Status::Said, text) };
                return Self::new(
                    Status::As(known),
                    rest[id.len()..].trim_start_matches([',', ' ']),
                );
            }
            _ if is_code(word) => Status::Failed(word.to_owned()),
            _ => return Self::new(Status::Said, text),
        };
        match rest.strip_prefix("[[").and_then(|rest| rest.split_once("]]")) {
            Some((note, rest)) => {
                Self::new(status, rest.trim_start_matches([',', ' '])).with_note(note)
            }
            None => Self::new(status, rest),
        }
    }
}

/// Codes of errors are in capitals: `NOT_FOUND`.
fn is_code(word: &str) -> bool {
    word.len() > 2
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        && word.starts_with(|first: char| first.is_ascii_uppercase())
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comma = if self.detail.is_empty() { "" } else { ", " };
        if let (Status::Ok, Some(note)) = (&self.status, &self.note) {
            return write!(f, "ok, [[{note}]]{comma}{}", self.detail);
        }
        match &self.status {
            Status::Unfinished => write!(f, "…{comma}{}", self.detail),
            Status::Asks => write!(f, "asks{comma}{}", self.detail),
            Status::Ok => write!(f, "ok{comma}{}", self.detail),
            Status::As(id) => write!(f, "as {id}{comma}{}", self.detail),
            Status::Failed(code) => write!(f, "{code}{comma}{}", self.detail),
            Status::Declined => write!(f, "declined{comma}{}", self.detail),
            Status::Cancelled => write!(f, "cancelled{comma}{}", self.detail),
            Status::Unknown => write!(f, "unknown{comma}{}", self.detail),
            Status::Said => f.write_str(&self.detail),
        }
    }
}

/// The first line of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// What the block is.
    pub kind: Kind,
    /// Its id, which no other block of the note has.
    pub id: BlockId,
    /// The configured name of the model, or the id of the operation.
    pub name: String,
    /// How far it is.
    pub state: State,
}

impl Header {
    /// A header. What would end the name or the line, or act in a note, is replaced: a model makes up names of tools, and a
    /// provider messages.
    #[must_use]
    pub fn new(kind: Kind, id: BlockId, name: &str, state: State) -> Self {
        let name = if kind == Kind::Tool { tool_name(name) } else { inert(name) };
        Self { kind, id, name, state: State { detail: inert(&state.detail), ..state } }
    }

    /// Reads a header from the text after `>`. `None` if the text is no header at all, and an error if it is a damaged one.
    pub(crate) fn read(quoted: &str) -> Option<Result<Self, DamagedHeader>> {
        let line = quoted.strip_prefix(' ').unwrap_or(quoted).strip_prefix("[!")?;
        [Kind::Assistant, Kind::Tool, Kind::Notice].into_iter().find_map(|kind| {
            let rest = line.strip_prefix(kind.word())?.strip_prefix('|')?;
            Some(Self::after_kind(kind, rest).ok_or(DamagedHeader))
        })
    }

    fn after_kind(kind: Kind, rest: &str) -> Option<Self> {
        let (id, rest) = rest.split_once(']')?;
        let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest).trim_start().strip_prefix('`')?;
        let (name, rest) = rest.split_once('`')?;
        let state = State::parse(rest.trim_start().strip_prefix('·')?.trim());
        if name.is_empty() || (kind == Kind::Tool && state.status == Status::Said) {
            return None;
        }
        Some(Self { kind, id: id.parse().ok()?, name: name.to_owned(), state })
    }
}

/// A name that is no inline query of a plugin.
fn tool_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || " _-.:/".contains(c) { c } else { '_' };
    let name: String = name.chars().take(MOST_OF_NAME).map(plain).collect();
    if may_execute(&name) { name.replace([' ', '-', ':'], "_") } else { name }
}

/// Text without code, images, markup, comments and templates. Applied twice it is the same.
fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| *c != '`' && !is_hidden(*c)) {
        match c {
            '<' => out.push('‹'),
            '>' => out.push('›'),
            '[' => out.push('('),
            ']' => out.push(')'),
            '%' if out.ends_with('%') => {}
            // A command of mathematics.
            '\\' if text.contains('$') => out.push('/'),
            c => out.push(c),
        }
    }
    out
}

/// A line that begins like a header and cannot be read.
#[derive(Debug)]
pub(crate) struct DamagedHeader;

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, id, name, state } = self;
        write!(f, "> [!{}|{id}]{} `{name}` · {state}", kind.word(), kind.fold())
    }
}
