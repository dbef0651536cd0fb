//! Parses the text of a condition.

use super::lexer::{ConditionToken, SyntaxError, tokens};
use super::{BareWord, Comparison, Condition, Literal, PropertyPath, Test};
use crate::path::folded;

/// Deepest nesting of parentheses and negations around a test.
const DEPTH: usize = 64;
const TESTS: &str = "`=`, `!=`, `<`, `<=`, `>`, `>=`, `contains`, `in`, `exists` or `missing`";

pub(super) fn parse(text: &str) -> Result<Condition, SyntaxError> {
    let tokens = tokens(text)?;
    let mut parser = ConditionParser { tokens: tokens.into_iter(), depth: 0 };
    let condition = parser.any()?;
    match parser.next() {
        (_, ConditionToken::End) => Ok(condition),
        found => Err(expected("`and`, `or` or the end", found)),
    }
}

struct ConditionParser {
    /// The last one is [`ConditionToken::End`].
    tokens: std::vec::IntoIter<(usize, ConditionToken)>,
    depth: usize,
}

fn expected(what: &str, (column, found): (usize, ConditionToken)) -> SyntaxError {
    SyntaxError { column, problem: format!("expected {what}, found {found}") }
}

impl ConditionParser {
    fn next(&mut self) -> (usize, ConditionToken) {
        self.tokens.next().unwrap_or((1, ConditionToken::End))
    }

    /// Takes the next token if it is this keyword.
    fn keyword(&mut self, keyword: &str) -> bool {
        let is_next = match self.tokens.as_slice().first() {
            Some((_, ConditionToken::Word(word))) => word.eq_ignore_ascii_case(keyword),
            _ => false,
        };
        if is_next {
            self.next();
        }
        is_next
    }

    /// Takes the next token if it is this sign.
    fn sign(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.tokens.as_slice().first(), Some((_, ConditionToken::Sign(next))) if *next == sign);
        if is_next {
            self.next();
        }
        is_next
    }

    fn any(&mut self) -> Result<Condition, SyntaxError> {
        let mut any = vec![self.all()?];
        while self.keyword("or") {
            any.push(self.all()?);
        }
        Ok(single(any, Condition::Any))
    }

    fn all(&mut self) -> Result<Condition, SyntaxError> {
        let mut all = vec![self.one()?];
        while self.keyword("and") {
            all.push(self.one()?);
        }
        Ok(single(all, Condition::All))
    }

    fn one(&mut self) -> Result<Condition, SyntaxError> {
        self.depth += 1;
        if self.depth > DEPTH {
            let (column, _) = self.next();
            let problem = format!("it is nested more than {DEPTH} deep");
            return Err(SyntaxError { column, problem });
        }
        let one = if self.sign("(") {
            let inner = self.any()?;
            if !self.sign(")") {
                return Err(expected("`and`, `or` or `)`", self.next()));
            }
            inner
        } else if self.keyword("not") {
            Condition::Not(Box::new(self.one()?))
        } else {
            self.test()?
        };
        self.depth -= 1;
        Ok(one)
    }

    fn test(&mut self) -> Result<Condition, SyntaxError> {
        let key = match self.next() {
            (_, ConditionToken::Word(word)) => PropertyPath(word.split('.').map(folded).collect()),
            (_, ConditionToken::Quoted(name)) => PropertyPath(vec![folded(&name)]),
            found => return Err(expected("the name of a property, `not` or `(`", found)),
        };
        let mut negated = false;
        let test = match self.next() {
            (_, ConditionToken::Sign("=")) => Test::Equal(vec![self.literal()?]),
            (_, ConditionToken::Sign("!=")) => {
                negated = true;
                Test::Equal(vec![self.literal()?])
            }
            (_, ConditionToken::Sign("<")) => Test::Ordered(Comparison::Less, self.literal()?),
            (_, ConditionToken::Sign("<=")) => Test::Ordered(Comparison::AtMost, self.literal()?),
            (_, ConditionToken::Sign(">")) => Test::Ordered(Comparison::Greater, self.literal()?),
            (_, ConditionToken::Sign(">=")) => Test::Ordered(Comparison::AtLeast, self.literal()?),
            (column, ConditionToken::Word(word)) => match word.to_ascii_lowercase().as_str() {
                "contains" => Test::Contains(self.literal()?),
                "in" => Test::Equal(self.list()?),
                "exists" => Test::Exists,
                "missing" => {
                    negated = true;
                    Test::Exists
                }
                _ => return Err(expected(TESTS, (column, ConditionToken::Word(word)))),
            },
            found => return Err(expected(TESTS, found)),
        };
        let test = Condition::Test { key, test };
        Ok(if negated { Condition::Not(Box::new(test)) } else { test })
    }

    fn literal(&mut self) -> Result<Literal, SyntaxError> {
        match self.next() {
            (_, ConditionToken::Quoted(text)) => Ok(Literal { text: folded(&text), word: None }),
            (_, ConditionToken::Word(text)) => {
                Ok(Literal { text: folded(&text), word: word(&text) })
            }
            found => Err(expected("a value", found)),
        }
    }

    fn list(&mut self) -> Result<Vec<Literal>, SyntaxError> {
        if !self.sign("(") {
            return Err(expected("`(` and the values", self.next()));
        }
        let mut values = vec![self.literal()?];
        while self.sign(",") {
            values.push(self.literal()?);
        }
        if !self.sign(")") {
            return Err(expected("`,` or `)`", self.next()));
        }
        Ok(values)
    }
}

/// The condition itself if it is the only one, otherwise all joined into one.
fn single(mut conditions: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match (conditions.pop(), conditions.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            conditions.extend(last);
            join(conditions)
        }
    }
}

fn word(text: &str) -> Option<BareWord> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Some(BareWord::Bool(true)),
        "false" => Some(BareWord::Bool(false)),
        "null" => Some(BareWord::Null),
        // Rust parses `inf` and `nan` as numbers; here they are words.
        text if text.ends_with(|c: char| c.is_ascii_digit()) => {
            text.parse().ok().map(BareWord::Number)
        }
        _ => None,
    }
}
