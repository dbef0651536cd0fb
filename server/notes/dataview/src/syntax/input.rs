//! The text that is parsed, and errors in it.

use jiff::Zoned;
use winnow::Parser;
use winnow::error::{EmptyError, ErrMode};
use winnow::stream::{LocatingSlice, Location as _, Stateful, Stream as _};

/// How deeply brackets may be nested.
const DEPTH_LIMIT: usize = 48;

/// A text with what the parser knows about it.
pub(crate) type Input<'a> = Stateful<LocatingSlice<&'a str>, State<'a>>;
/// What a parser returns.
pub(crate) type Parsed<T> = Result<T, ErrMode<EmptyError>>;

/// A text that is not a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct SyntaxError {
    /// The line of the query, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// What was found there, and what was expected.
    pub reason: String,
}

impl SyntaxError {
    /// An error at a byte of a text.
    pub(crate) fn from_offset(text: &str, offset: usize, reason: String) -> Self {
        let before = &text[..text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason,
        }
    }
}

/// What the parser knows.
#[derive(Debug, Clone)]
pub(crate) struct State<'a> {
    /// The current date.
    pub(crate) now: &'a Zoned,
    depth: usize,
    /// An error with its place, which no other way to read the text can mend.
    refusal: Option<(usize, String)>,
    /// The last place at which something else was expected, and what.
    furthest: usize,
    expected: Vec<&'static str>,
}

/// Starts to parse a text.
pub(crate) fn input<'a>(text: &'a str, now: &'a Zoned) -> Input<'a> {
    let state = State { now, depth: 0, refusal: None, furthest: 0, expected: Vec::new() };
    Stateful { input: LocatingSlice::new(text), state }
}

/// Fails where nothing fits.
pub(crate) fn backtrack<T>() -> Parsed<T> {
    Err(ErrMode::Backtrack(EmptyError))
}

/// Fails for good, with a reason for the byte `at`.
pub(crate) fn refuse<T>(input: &mut Input<'_>, at: usize, reason: String) -> Parsed<T> {
    input.state.refusal = Some((at, reason));
    Err(ErrMode::Cut(EmptyError))
}

/// Gives a parser a name for error messages.
pub(crate) fn expect_named<'a, T>(
    name: &'static str,
    mut parser: impl Parser<Input<'a>, T, ErrMode<EmptyError>>,
) -> impl FnMut(&mut Input<'a>) -> Parsed<T> {
    move |input| {
        let start = input.current_token_start();
        let parsed = parser.parse_next(input);
        if parsed.is_err() {
            expect(input, start, name);
        }
        parsed
    }
}

/// Records what was expected at a byte.
fn expect(input: &mut Input<'_>, at: usize, name: &'static str) {
    let State { furthest, expected, .. } = &mut input.state;
    if at > *furthest {
        *furthest = at;
        expected.clear();
    }
    if at == *furthest && !expected.contains(&name) {
        expected.push(name);
    }
}

/// Parses something in brackets. Fails for good if they are nested too deeply.
pub(crate) fn parse_nested<'a, T>(
    mut parser: impl FnMut(&mut Input<'a>) -> Parsed<T>,
) -> impl FnMut(&mut Input<'a>) -> Parsed<T> {
    move |input| {
        if input.state.depth >= DEPTH_LIMIT {
            let at = input.current_token_start();
            return refuse(input, at, format!("brackets are nested more than {DEPTH_LIMIT} deep"));
        }
        input.state.depth += 1;
        let parsed = parser(input);
        input.state.depth -= 1;
        parsed
    }
}

/// The error after the parser failed or stopped before the end of the text, which is a `kind` such as a query.
pub(crate) fn error(text: &str, kind: &str, input: &Input<'_>) -> SyntaxError {
    if let Some((at, reason)) = &input.state.refusal {
        return SyntaxError::from_offset(text, *at, reason.clone());
    }
    let stopped = input.current_token_start();
    let State { furthest, expected, .. } = &input.state;
    let at = stopped.max(*furthest);
    let found = text[at..].split_whitespace().next();
    let found = match found {
        None => format!("the end of the {kind}"),
        Some(word) => format!("`{}`", word.chars().take(24).collect::<String>()),
    };
    let reason = if *furthest < stopped || expected.is_empty() {
        format!("{found} is not part of the {kind} before it")
    } else {
        format!("expected {}, found {found}", list(expected))
    };
    SyntaxError::from_offset(text, at, reason)
}

/// `a`, `a or b`, `a, b or c`.
fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The text that is left.
pub(crate) fn remaining_text<'a>(input: &Input<'a>) -> &'a str {
    input.input.as_ref()
}

/// Takes so many bytes.
pub(crate) fn take<'a>(input: &mut Input<'a>, length: usize) -> &'a str {
    input.next_slice(length)
}
