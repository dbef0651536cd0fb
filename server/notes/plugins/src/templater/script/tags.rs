//! The commands in a template: `<% expression %>` inserts a value, `<%* code %>` runs code.
//!
//! Directly inside a tag, `-` removes one line ending next to it, and `_` all white space.

use super::{Fault, Position, Reason};

const OPEN: &str = "<%";
const CLOSE: &str = "%>";

/// A part of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text that is kept, without the white space that tags remove.
    Text(&'a str),
    /// An expression whose value is inserted.
    Output(Code<'a>),
    /// Statements.
    Execute(Code<'a>),
}

/// Code, and where it begins in the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Code<'a> {
    pub(super) text: &'a str,
    pub(super) start: Position,
}

/// What a tag does to the text next to it.
#[derive(Clone, Copy)]
enum Trim {
    Nothing,
    LineEnding,
    WhiteSpace,
}

impl Trim {
    fn from_mark(mark: Option<char>) -> Self {
        match mark {
            Some('-') => Self::LineEnding,
            Some('_') => Self::WhiteSpace,
            _ => Self::Nothing,
        }
    }

    fn end(self, text: &str) -> &str {
        match self {
            Self::Nothing => text,
            Self::LineEnding => {
                let cut = text.strip_suffix('\n');
                cut.map_or(text, |text| text.strip_suffix('\r').unwrap_or(text))
            }
            Self::WhiteSpace => text.trim_end(),
        }
    }

    fn start(self, text: &str) -> &str {
        match self {
            Self::Nothing => text,
            Self::LineEnding => {
                text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text)
            }
            Self::WhiteSpace => text.trim_start(),
        }
    }

    fn width(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::LineEnding | Self::WhiteSpace => 1,
        }
    }
}

/// Splits a template into its parts.
///
/// # Errors
/// If a command is not closed or is empty.
pub(super) fn split(template: &str) -> Result<Vec<Piece<'_>>, Fault> {
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut before = Trim::Nothing;
    loop {
        let rest = &template[at..];
        let Some(open) = rest.find(OPEN) else {
            pieces.push(Piece::Text(before.start(rest)));
            break;
        };
        let inside = at + open + OPEN.len();
        let Some(length) = template[inside..].find(CLOSE) else {
            let reason = Reason::Syntax {
                expected: "`%>` that closes the command",
                found: "the end of the template".into(),
            };
            return Err(Fault::new(Position(at + open), reason));
        };
        let mut code = &template[inside..inside + length];
        let left = Trim::from_mark(code.chars().next());
        code = &code[left.width()..];
        let mut start = inside + left.width();
        let executes = code.starts_with('*');
        code = &code[usize::from(executes)..];
        start += usize::from(executes);
        let right = Trim::from_mark(code.chars().next_back());
        code = &code[..code.len() - right.width()];
        if code.trim().is_empty() && !executes {
            let reason = Reason::Syntax {
                expected: "an expression in the command",
                found: "nothing".into(),
            };
            return Err(Fault::new(Position(at + open), reason));
        }
        // The text between two tags may be trimmed from both sides.
        pieces.push(Piece::Text(left.end(before.start(&rest[..open]))));
        let code = Code { text: code, start: Position(start) };
        pieces.push(if executes { Piece::Execute(code) } else { Piece::Output(code) });
        before = right;
        at = inside + length + CLOSE.len();
    }
    pieces.retain(|piece| *piece != Piece::Text(""));
    Ok(pieces)
}
