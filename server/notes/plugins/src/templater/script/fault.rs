//! Why a template cannot be run.

use std::borrow::Cow;
use std::fmt;

/// An offset in a template, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Position(pub(crate) usize);

impl Position {
    /// The line and the column of the position, from 1. Columns count characters.
    pub(crate) fn in_text(self, text: &str) -> (usize, usize) {
        let before = &text[..text.floor_char_boundary(self.0)];
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |ending| ending + 1);
        (line, before[start..].chars().count() + 1)
    }
}

/// A failure at a position in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) position: Position,
    pub(crate) reason: Reason,
}

impl Fault {
    pub(crate) fn new(position: Position, reason: Reason) -> Self {
        Self { position, reason }
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The text is not in the language.
    Syntax {
        expected: &'static str,
        found: Cow<'static, str>,
    },
    /// JavaScript that this server does not run.
    Unsupported(Cow<'static, str>),
    /// Something that templates may not do here.
    Refused {
        what: Cow<'static, str>,
        why: &'static str,
    },
    /// The code fails, as it would in Obsidian.
    Failed(String),
    /// The template asks for a value that the call does not give.
    Unanswered {
        parameter: String,
        question: String,
    },
    /// An argument does not fit.
    Misanswered {
        parameter: String,
        expected: String,
        got: String,
    },
    Exceeded(Limit),
    /// A template that this one includes fails.
    Included {
        path: String,
        line: usize,
        column: usize,
        reason: Box<Reason>,
    },
    /// The caller cancelled the call.
    Cancelled,
}

/// A limit of running a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Steps of the code.
    Steps,
    /// Memory for values.
    Memory,
    /// Nested expressions, statements and calls.
    Depth,
    /// Templates that include each other.
    Includes,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::Unsupported(what) => write!(f, "{what} is not supported"),
            Self::Refused { what, why } => write!(f, "{what} is refused: {why}"),
            Self::Failed(message) => f.write_str(message),
            Self::Unanswered { parameter, question } => {
                write!(f, "the template asks `{question}`; give the argument `{parameter}`")
            }
            Self::Misanswered { parameter, expected, got } => {
                write!(f, "the argument `{parameter}` is {got}; expected {expected}")
            }
            Self::Exceeded(Limit::Steps) => f.write_str("the template runs too long"),
            Self::Exceeded(Limit::Memory) => f.write_str("the template needs too much memory"),
            Self::Exceeded(Limit::Depth) => f.write_str("the code is nested too deeply"),
            Self::Exceeded(Limit::Includes) => {
                f.write_str("templates include each other more than 10 levels deep")
            }
            Self::Included { path, line, column, reason } => {
                write!(f, "{path}:{line}:{column}: {reason}")
            }
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}
