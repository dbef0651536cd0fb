//! Parses the text of a condition.

use super::lexer::{ConditionToken, SyntaxError, tokenize};
use super::{BareWord, Comparison, Condition, Literal, PropertyPath, Test};
use crate::path::fold;

/// Deepest nesting of parentheses and negations around a test.
const DEPTH: usize = 64;
const TESTS: &str = "`=`, `!=`, `<`, `<=`, `>`, `>=`, `contains`, `in`, `exists` or `missing`";

pub(super) fn parse(text: &str) -> Result<Condition, SyntaxError> {
    let tokens = tokenize(text)?;
    let mut parser = ConditionParser { tokens: tokens.into_iter(), depth: 0 };
    let condition = parser.parse_any()?;
    match parser.next() {
        (_, ConditionToken::End) => Ok(condition),
        found => Err(syntax_error("`and`, `or` or the end", found)),
    }
}

struct ConditionParser {
    /// The last one is [`ConditionToken::End`].
    tokens: std::vec::IntoIter<(usize, ConditionToken)>,
    depth: usize,
}

fn syntax_error(what: &str, (column, found): (usize, ConditionToken)) -> SyntaxError {
    SyntaxError { column, problem: format!("expected {what}, found {found}") }
}

impl ConditionParser {
    fn next(&mut self) -> (usize, ConditionToken) {
        self.tokens.next().unwrap_or((1, ConditionToken::End))
    }

    /// Takes the next token if it is this keyword.
    fn take_keyword(&mut self, keyword: &str) -> bool {
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
    fn take_sign(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.tokens.as_slice().first(), Some((_, ConditionToken::Sign(next))) if *next == sign);
        if is_next {
            self.next();
        }
        is_next
    }

    fn parse_any(&mut self) -> Result<Condition, SyntaxError> {
        let mut any = vec![self.parse_all()?];
        while self.take_keyword("or") {
            any.push(self.parse_all()?);
        }
        Ok(unwrap_single(any, Condition::Any))
    }

    fn parse_all(&mut self) -> Result<Condition, SyntaxError> {
        let mut all = vec![self.parse_one()?];
        while self.take_keyword("and") {
            all.push(self.parse_one()?);
        }
        Ok(unwrap_single(all, Condition::All))
    }

    fn parse_one(&mut self) -> Result<Condition, SyntaxError> {
        self.depth += 1;
        if self.depth > DEPTH {
            let (column, _) = self.next();
            let problem = format!("it is nested more than {DEPTH} deep");
            return Err(SyntaxError { column, problem });
        }
        let one = if self.take_sign("(") {
            let inner = self.parse_any()?;
            if !self.take_sign(")") {
                return Err(syntax_error("`and`, `or` or `)`", self.next()));
            }
            inner
        } else if self.take_keyword("not") {
            Condition::Not(Box::new(self.parse_one()?))
        } else {
            self.parse_test()?
        };
        self.depth -= 1;
        Ok(one)
    }

    fn parse_test(&mut self) -> Result<Condition, SyntaxError> {
        let key = match self.next() {
            (_, ConditionToken::Word(word)) => PropertyPath(word.split('.').map(fold).collect()),
            (_, ConditionToken::Quoted(name)) => PropertyPath(vec![fold(&name)]),
            found => return Err(syntax_error("the name of a property, `not` or `(`", found)),
        };
        let mut negated = false;
        let test = match self.next() {
            (_, ConditionToken::Sign("=")) => Test::Equal(vec![self.parse_literal()?]),
            (_, ConditionToken::Sign("!=")) => {
                negated = true;
                Test::Equal(vec![self.parse_literal()?])
            }
            (_, ConditionToken::Sign("<")) => {
                Test::Ordered(Comparison::Less, self.parse_literal()?)
            }
            (_, ConditionToken::Sign("<=")) => {
                Test::Ordered(Comparison::AtMost, self.parse_literal()?)
            }
            (_, ConditionToken::Sign(">")) => {
                Test::Ordered(Comparison::Greater, self.parse_literal()?)
            }
            (_, ConditionToken::Sign(">=")) => {
                Test::Ordered(Comparison::AtLeast, self.parse_literal()?)
            }
            (column, ConditionToken::Word(word)) => match word.to_ascii_lowercase().as_str() {
                "contains" => Test::Contains(self.parse_literal()?),
                "in" => Test::Equal(self.parse_list()?),
                "exists" => Test::Exists,
                "missing" => {
                    negated = true;
                    Test::Exists
                }
                _ => return Err(syntax_error(TESTS, (column, ConditionToken::Word(word)))),
            },
            found => return Err(syntax_error(TESTS, found)),
        };
        let test = Condition::Test { key, test };
        Ok(if negated { Condition::Not(Box::new(test)) } else { test })
    }

    fn parse_literal(&mut self) -> Result<Literal, SyntaxError> {
        match self.next() {
            (_, ConditionToken::Quoted(text)) => Ok(Literal { text: fold(&text), word: None }),
            (_, ConditionToken::Word(text)) => {
                Ok(Literal { text: fold(&text), word: parse_word(&text) })
            }
            found => Err(syntax_error("a value", found)),
        }
    }

    fn parse_list(&mut self) -> Result<Vec<Literal>, SyntaxError> {
        if !self.take_sign("(") {
            return Err(syntax_error("`(` and the values", self.next()));
        }
        let mut values = vec![self.parse_literal()?];
        while self.take_sign(",") {
            values.push(self.parse_literal()?);
        }
        if !self.take_sign(")") {
            return Err(syntax_error("`,` or `)`", self.next()));
        }
        Ok(values)
    }
}

/// The condition itself if it is the only one, otherwise all joined into one.
fn unwrap_single(
    mut conditions: Vec<Condition>,
    join: fn(Vec<Condition>) -> Condition,
) -> Condition {
    match (conditions.pop(), conditions.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            conditions.extend(last);
            join(conditions)
        }
    }
}

fn parse_word(text: &str) -> Option<BareWord> {
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
