//! Type expressions: `NotePath`, `string[]`, `map<T>`, `a | b | c`, each followed by ` = value`
//! where a default is allowed. Positions are in characters from the start of the text.

use std::ops::Range;

/// Maximum depth of nested types in one expression.
const MAX_DEPTH: usize = 8;

/// A parsed expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expression {
    /// A built-in or declared type.
    Name(SpannedWord),
    /// `a | b`: one of several strings.
    Words(Vec<SpannedWord>),
    /// `T[]`.
    Array(Box<Expression>),
    /// `map<T>`.
    Map(Box<Expression>),
}

/// A word and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpannedWord {
    pub(crate) text: String,
    pub(crate) at: Range<usize>,
}

/// Why a text is not an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpressionError {
    pub(crate) at: Range<usize>,
    pub(crate) message: String,
    pub(crate) expected: &'static str,
}

/// An expression and its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParsedExpression {
    pub(crate) expression: Expression,
    /// A fault if it is missing after `=`.
    pub(crate) default: Option<Result<SpannedWord, ExpressionError>>,
}

/// Reads a whole text.
pub(crate) fn parse(text: &str) -> Result<ParsedExpression, ExpressionError> {
    let characters: Vec<char> = text.chars().collect();
    let mut parser = ExpressionParser { characters: &characters, at: 0 };
    let expression = parser.union(0)?;
    let default = if parser.eat('=') {
        parser.spaces();
        let start = parser.at;
        let value: String = characters[start..].iter().collect();
        let value = value.trim_end().to_owned();
        let at = start..start + value.chars().count();
        Some(if value.is_empty() {
            Err(parser.fault("the default is missing", "a value after `=`"))
        } else {
            Ok(SpannedWord { text: value, at })
        })
    } else if parser.at < characters.len() {
        let message = format!("unexpected `{}` in a type", characters[parser.at]);
        return Err(parser.fault(&message, "`[]`, `|`, ` = value` or the end"));
    } else {
        None
    };
    Ok(ParsedExpression { expression, default })
}

struct ExpressionParser<'a> {
    characters: &'a [char],
    at: usize,
}

impl ExpressionParser<'_> {
    fn union(&mut self, depth: usize) -> Result<Expression, ExpressionError> {
        let first = self.postfix(depth)?;
        if !self.next_is('|') {
            return Ok(first);
        }
        let mut words = vec![self.plain_word(first)?];
        while self.eat('|') {
            let next = self.postfix(depth)?;
            words.push(self.plain_word(next)?);
        }
        Ok(Expression::Words(words))
    }

    /// Requires an alternative of `a | b` to be a plain word.
    fn plain_word(&self, expression: Expression) -> Result<SpannedWord, ExpressionError> {
        match expression {
            Expression::Name(word) => Ok(word),
            _ => Err(self.fault("`|` joins words, not types", "one of several plain words")),
        }
    }

    fn postfix(&mut self, depth: usize) -> Result<Expression, ExpressionError> {
        let mut expression = self.primary(depth)?;
        let mut depth = depth;
        while self.eat('[') {
            if !self.eat(']') {
                return Err(self.fault("a list is written `T[]`", "`]`"));
            }
            depth += 1;
            self.limit(depth)?;
            expression = Expression::Array(Box::new(expression));
        }
        Ok(expression)
    }

    fn primary(&mut self, depth: usize) -> Result<Expression, ExpressionError> {
        self.limit(depth)?;
        if self.eat('(') {
            let inner = self.union(depth + 1)?;
            return if self.eat(')') {
                Ok(inner)
            } else {
                Err(self.fault("`(` is not closed", "`)`"))
            };
        }
        self.spaces();
        let start = self.at;
        while self.characters.get(self.at).is_some_and(|c| is_word(*c)) {
            self.at += 1;
        }
        let text: String = self.characters[start..self.at].iter().collect();
        let word = SpannedWord { text, at: start..self.at };
        if word.text.is_empty() {
            return Err(self.fault("a type is missing", "a type or a word"));
        }
        if word.text == "map" && self.eat('<') {
            let inner = self.union(depth + 1)?;
            return if self.eat('>') {
                Ok(Expression::Map(Box::new(inner)))
            } else {
                Err(self.fault("`map<` is not closed", "`>`"))
            };
        }
        Ok(Expression::Name(word))
    }

    fn limit(&self, depth: usize) -> Result<(), ExpressionError> {
        if depth > MAX_DEPTH {
            return Err(self.fault("the type is nested too deeply", "at most 8 levels"));
        }
        Ok(())
    }

    fn spaces(&mut self) {
        while self.characters.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    fn next_is(&mut self, c: char) -> bool {
        self.spaces();
        self.characters.get(self.at) == Some(&c)
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.next_is(c);
        self.at += usize::from(found);
        found
    }

    fn fault(&self, message: &str, expected: &'static str) -> ExpressionError {
        let at = self.at.min(self.characters.len().saturating_sub(1));
        ExpressionError { at: at..at + 1, message: message.to_owned(), expected }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}
