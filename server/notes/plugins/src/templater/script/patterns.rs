//! Parses what a value is taken apart into, and the parameters of functions.

use std::borrow::Cow;

use super::lexer::TokenKind;
use super::parser::Parser;
use super::tree::{Body, Expression, ExpressionKind, Function, Key, Name, Pattern, Property};
use super::{Fault, Position, Reason};

impl<'a> Parser<'a> {
    pub(super) fn pattern(&mut self) -> Result<Pattern<'a>, Fault> {
        self.parse_nested(|parser| match parser.peek().kind {
            TokenKind::Punctuation("[") => parser.array_pattern(),
            TokenKind::Punctuation("{") => parser.object_pattern(),
            _ => Ok(Pattern::Name(parser.name("a name, `[` or `{`")?)),
        })
    }

    fn default(&mut self) -> Result<Option<Expression<'a>>, Fault> {
        if self.take("=") { Ok(Some(self.expression()?)) } else { Ok(None) }
    }

    fn array_pattern(&mut self) -> Result<Pattern<'a>, Fault> {
        self.advance();
        let mut elements = Vec::new();
        let mut rest = None;
        while !self.take("]") {
            if self.take(",") {
                elements.push(None);
                continue;
            }
            if self.take("...") {
                rest = Some(Box::new(self.pattern()?));
            } else {
                let pattern = self.pattern()?;
                elements.push(Some((pattern, self.default()?)));
            }
            if !self.is_next("]") {
                self.expect(",", "`,` or `]` in the pattern")?;
            }
        }
        Ok(Pattern::Array(elements, rest))
    }

    fn object_pattern(&mut self) -> Result<Pattern<'a>, Fault> {
        self.advance();
        let mut entries = Vec::new();
        let mut rest = None;
        while !self.take("}") {
            if self.take("...") {
                rest = Some(self.name("the name for the rest")?);
            } else {
                let name = self.property_name()?;
                let pattern = match (self.take(":"), &name) {
                    (true, _) => self.pattern()?,
                    (false, Name(Cow::Borrowed(name))) => Pattern::Name(name),
                    (false, Name(Cow::Owned(_))) => return Err(self.unexpected_fault("`:`")),
                };
                entries.push((name, pattern, self.default()?));
            }
            if !self.is_next("}") {
                self.expect(",", "`,` or `}` in the pattern")?;
            }
        }
        Ok(Pattern::Object(entries, rest))
    }

    /// A name of a property: a word, a string or a number.
    pub(super) fn property_name(&mut self) -> Result<Name<'a>, Fault> {
        let name = match &self.peek().kind {
            TokenKind::Word(word) => Cow::Borrowed(*word),
            TokenKind::String(text) => Cow::Owned(text.clone()),
            TokenKind::Number(number) => Cow::Owned(number.to_string()),
            _ => return Err(self.unexpected_fault("the name of a property")),
        };
        self.advance();
        Ok(Name(name))
    }

    /// Parameters in parentheses, and a body in braces.
    pub(super) fn function_rest(&mut self) -> Result<Function<'a>, Fault> {
        self.expect("(", "`(` before the parameters")?;
        let mut function = self.parameters()?;
        self.body(&mut function)?;
        Ok(function)
    }

    /// Parameters up to the closing parenthesis, with an empty body.
    fn parameters(&mut self) -> Result<Function<'a>, Fault> {
        let mut parameters = Vec::new();
        let mut rest = None;
        while !self.take(")") {
            if self.take("...") {
                rest = Some(self.pattern()?);
            } else {
                let pattern = self.pattern()?;
                parameters.push((pattern, self.default()?));
            }
            if !self.is_next(")") {
                self.expect(",", "`,` or `)` after the parameter")?;
            }
        }
        Ok(Function { parameters, rest, vars: Vec::new(), body: Body::Statements(Vec::new()) })
    }

    /// Whether an arrow function is next: `x =>` or `(..) =>`.
    pub(super) fn is_arrow_next(&self) -> bool {
        let arrow = |ahead| matches!(self.peek_at(ahead).kind, TokenKind::Punctuation("=>"));
        match self.peek().kind {
            TokenKind::Word(_) => arrow(1),
            TokenKind::Punctuation("(") => {
                let mut open = 0_usize;
                for ahead in 0.. {
                    match self.peek_at(ahead).kind {
                        TokenKind::Punctuation("(" | "[" | "{" | "${") => open += 1,
                        TokenKind::Punctuation(")" | "]" | "}") => open = open.saturating_sub(1),
                        TokenKind::End => return false,
                        _ => {}
                    }
                    if open == 0 {
                        return arrow(ahead + 1);
                    }
                }
                false
            }
            _ => false,
        }
    }

    pub(super) fn arrow_function(&mut self) -> Result<Function<'a>, Fault> {
        let mut function = if self.take("(") {
            self.parameters()?
        } else {
            let name = Pattern::Name(self.name("the parameter's name")?);
            Function {
                parameters: vec![(name, None)],
                rest: None,
                vars: Vec::new(),
                body: Body::Statements(Vec::new()),
            }
        };
        self.expect("=>", "`=>`")?;
        if self.is_next("{") {
            self.body(&mut function)?;
        } else {
            function.body = Body::Value(Box::new(self.expression()?));
        }
        Ok(function)
    }

    /// A body in braces.
    fn body(&mut self, function: &mut Function<'a>) -> Result<(), Fault> {
        let outer = std::mem::take(&mut self.vars);
        function.body = Body::Statements(self.block()?);
        function.vars = std::mem::replace(&mut self.vars, outer);
        Ok(())
    }
}

impl<'a> Pattern<'a> {
    /// Adds the names that a value is bound to.
    pub(super) fn names(&self, names: &mut Vec<&'a str>) {
        match self {
            Self::Name(name) => names.push(name),
            Self::Array(patterns, rest) => {
                for (pattern, _) in patterns.iter().flatten() {
                    pattern.names(names);
                }
                if let Some(rest) = rest {
                    rest.names(names);
                }
            }
            Self::Object(patterns, rest) => {
                for (_, pattern, _) in patterns {
                    pattern.names(names);
                }
                names.extend(rest);
            }
            Self::Target(_) => {}
        }
    }
}

/// Reads an expression on the left of `=` as a pattern.
pub(super) fn assignable(expression: Expression<'_>) -> Result<Pattern<'_>, Fault> {
    let position = expression.position;
    match expression.kind {
        ExpressionKind::Variable(name) => Ok(Pattern::Name(name)),
        ExpressionKind::Member(ref member) if !member.optional => {
            Ok(Pattern::Target(Box::new(expression)))
        }
        ExpressionKind::Array(elements) => {
            let mut patterns = Vec::new();
            let mut rest = None;
            for element in elements {
                let pattern = assignable(element.value)?;
                if element.spread {
                    rest = Some(Box::new(pattern));
                } else {
                    patterns.push(Some((pattern, None)));
                }
            }
            Ok(Pattern::Array(patterns, rest))
        }
        ExpressionKind::Object(properties) => {
            let entry = |property| match property {
                Property::Pair(Key::Name(name), value) => Ok((name, assignable(value)?, None)),
                _ => Err(not_assignable(position)),
            };
            let entries = properties.into_iter().map(entry).collect::<Result<_, _>>()?;
            Ok(Pattern::Object(entries, None))
        }
        _ => Err(not_assignable(position)),
    }
}

fn not_assignable(position: Position) -> Fault {
    let expected = "a variable or a property on the left of `=`";
    Fault::new(position, Reason::Syntax { expected, found: "another expression".into() })
}
