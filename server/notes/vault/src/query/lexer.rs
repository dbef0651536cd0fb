//! Splits a condition into tokens.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConditionToken {
    Word(String),
    Quoted(String),
    /// `=`, `!=`, `<`, `<=`, `>`, `>=`, `(`, `)` or `,`.
    Sign(&'static str),
    End,
}

impl fmt::Display for ConditionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(text) | Self::Quoted(text) => write!(f, "`{text}`"),
            Self::Sign(sign) => write!(f, "`{sign}`"),
            Self::End => f.write_str("the end"),
        }
    }
}

/// What is wrong with a condition, and where.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("at column {column}, {problem}")]
pub(super) struct SyntaxError {
    /// The column in characters, from 1.
    pub(super) column: usize,
    pub(super) problem: String,
}

/// The signs; each comes before the signs that it starts with.
const SIGNS: [&str; 9] = ["!=", "<=", ">=", "=", "<", ">", "(", ")", ","];

/// Every token with the column at which it starts, including the end.
pub(super) fn tokenize(text: &str) -> Result<Vec<(usize, ConditionToken)>, SyntaxError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let column = text[..text.len() - rest.len()].chars().count() + 1;
        let Some(first) = rest.chars().next() else {
            tokens.push((column, ConditionToken::End));
            return Ok(tokens);
        };
        let (token, length) = if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign))
        {
            (ConditionToken::Sign(sign), sign.len())
        } else if matches!(first, '"' | '\'') {
            let unended =
                || SyntaxError { column, problem: format!("the text has no closing {first}") };
            let end = rest[1..].find(first).ok_or_else(unended)?;
            (ConditionToken::Quoted(rest[1..=end].to_owned()), end + 2)
        } else if first == '!' {
            return Err(SyntaxError {
                column,
                problem: "`!` alone is not an operator; use `!=` or `not`".into(),
            });
        } else {
            let ends = |c: char| c.is_whitespace() || "=!<>(),\"'".contains(c);
            let end = rest.find(ends).unwrap_or(rest.len());
            (ConditionToken::Word(rest[..end].to_owned()), end)
        };
        tokens.push((column, token));
        rest = &rest[length..];
    }
}
