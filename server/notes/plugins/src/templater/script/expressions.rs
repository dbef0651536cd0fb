//! Parses expressions, with the precedence of JavaScript.

use std::borrow::Cow;

use super::lexer::TokenKind;
use super::parser::{Parser, is_reserved};
use super::patterns::assignable;
use super::tree::{
    Argument, Binary, Call, Expression, ExpressionKind, Key, Logical, Member, Name, Operator,
    Pattern, Property, TemplatePart, Unary, Update,
};
use super::{Fault, Position};

/// The operators of one level.
#[derive(Clone, Copy)]
enum Infix {
    Binary(Binary),
    Logical(Logical),
}

/// An operator between two values, and how strongly it binds.
fn infix(kind: &TokenKind<'_>) -> Option<(Infix, u8)> {
    let mark = match kind {
        TokenKind::Punctuation(mark) => *mark,
        TokenKind::Word("in") => "in",
        _ => return None,
    };
    Some(match mark {
        "??" => (Infix::Logical(Logical::Coalesce), 1),
        "||" => (Infix::Logical(Logical::Or), 2),
        "&&" => (Infix::Logical(Logical::And), 3),
        "==" => (Infix::Binary(Binary::Equal), 4),
        "!=" => (Infix::Binary(Binary::NotEqual), 4),
        "===" => (Infix::Binary(Binary::StrictEqual), 4),
        "!==" => (Infix::Binary(Binary::StrictNotEqual), 4),
        "<" => (Infix::Binary(Binary::Less), 5),
        "<=" => (Infix::Binary(Binary::LessEqual), 5),
        ">" => (Infix::Binary(Binary::Greater), 5),
        ">=" => (Infix::Binary(Binary::GreaterEqual), 5),
        "in" => (Infix::Binary(Binary::In), 5),
        "+" => (Infix::Binary(Binary::Add), 6),
        "-" => (Infix::Binary(Binary::Subtract), 6),
        "*" => (Infix::Binary(Binary::Multiply), 7),
        "/" => (Infix::Binary(Binary::Divide), 7),
        "%" => (Infix::Binary(Binary::Remainder), 7),
        "**" => (Infix::Binary(Binary::Power), 8),
        _ => return None,
    })
}

fn assignment(kind: &TokenKind<'_>) -> Option<Operator> {
    let TokenKind::Punctuation(mark) = kind else { return None };
    Some(match *mark {
        "=" => Operator::Set,
        "+=" => Operator::Binary(Binary::Add),
        "-=" => Operator::Binary(Binary::Subtract),
        "*=" => Operator::Binary(Binary::Multiply),
        "/=" => Operator::Binary(Binary::Divide),
        "%=" => Operator::Binary(Binary::Remainder),
        "**=" => Operator::Binary(Binary::Power),
        "&&=" => Operator::Logical(Logical::And),
        "||=" => Operator::Logical(Logical::Or),
        "??=" => Operator::Logical(Logical::Coalesce),
        _ => return None,
    })
}

impl<'a> Parser<'a> {
    /// An expression without commas.
    pub(super) fn expression(&mut self) -> Result<Expression<'a>, Fault> {
        self.parse_nested(Self::assignment)
    }

    fn assignment(&mut self) -> Result<Expression<'a>, Fault> {
        let position = self.position();
        if self.is_word(0, "async") && !self.peek_at(1).after_line && self.is_function(1) {
            self.advance();
        }
        if self.is_arrow_next() {
            let function = self.arrow_function()?;
            return Ok(Expression { position, kind: ExpressionKind::Function(function) });
        }
        let left = self.conditional()?;
        let Some(operator) = assignment(&self.peek().kind) else { return Ok(left) };
        let pattern = assignable(left)?;
        if operator != Operator::Set && matches!(pattern, Pattern::Array(..) | Pattern::Object(..))
        {
            return Err(self.unexpected_fault("`=` after a pattern"));
        }
        self.advance();
        let value = Box::new(self.expression()?);
        Ok(Expression { position, kind: ExpressionKind::Assign(operator, pattern, value) })
    }

    /// Whether a function follows the word `async`.
    fn is_function(&self, ahead: usize) -> bool {
        matches!(self.peek_at(ahead).kind, TokenKind::Word(_) | TokenKind::Punctuation("("))
    }

    fn conditional(&mut self) -> Result<Expression<'a>, Fault> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let position = condition.position;
        let then = Box::new(self.expression()?);
        self.expect(":", "`:` of the condition")?;
        let otherwise = Box::new(self.expression()?);
        let kind = ExpressionKind::Conditional(Box::new(condition), then, otherwise);
        Ok(Expression { position, kind })
    }

    /// Values joined by operators that bind more strongly than `least`.
    fn binary(&mut self, least: u8) -> Result<Expression<'a>, Fault> {
        let mut left = self.unary()?;
        loop {
            let token = self.peek();
            if let TokenKind::Punctuation("&" | "|" | "^" | "<<" | ">>" | ">>>") = token.kind {
                return Err(self.unsupported_fault("an operator on bits"));
            }
            if token.kind == TokenKind::Word("instanceof") {
                return Err(self.unsupported_fault("`instanceof`"));
            }
            let Some((operator, strength)) = infix(&token.kind) else { return Ok(left) };
            if strength <= least {
                return Ok(left);
            }
            self.advance();
            // `**` groups from the right.
            let is_power = matches!(operator, Infix::Binary(Binary::Power));
            let next = if is_power { strength - 1 } else { strength };
            let right = Box::new(self.parse_nested(|parser| parser.binary(next))?);
            let position = left.position;
            let kind = match operator {
                Infix::Binary(operator) => ExpressionKind::Binary(operator, Box::new(left), right),
                Infix::Logical(operator) => {
                    ExpressionKind::Logical(operator, Box::new(left), right)
                }
            };
            left = self.check_depth(Expression { position, kind })?;
        }
    }

    fn unary(&mut self) -> Result<Expression<'a>, Fault> {
        let position = self.position();
        let operator = match self.peek().kind {
            TokenKind::Punctuation("!") => Unary::Not,
            TokenKind::Punctuation("-") => Unary::Minus,
            TokenKind::Punctuation("+") => Unary::Plus,
            TokenKind::Word("typeof") => Unary::TypeOf,
            TokenKind::Word("await") => Unary::Await,
            TokenKind::Punctuation("++") => return self.prefix_update(Update::Increment),
            TokenKind::Punctuation("--") => return self.prefix_update(Update::Decrement),
            TokenKind::Punctuation("~") => {
                return Err(self.unsupported_fault("an operator on bits"));
            }
            TokenKind::Word("delete") => return Err(self.unsupported_fault("`delete`")),
            TokenKind::Word("void") => return Err(self.unsupported_fault("`void`")),
            _ => return self.postfix(),
        };
        self.advance();
        let value = Box::new(self.parse_nested(Self::unary)?);
        Ok(Expression { position, kind: ExpressionKind::Unary(operator, value) })
    }

    fn prefix_update(&mut self, update: Update) -> Result<Expression<'a>, Fault> {
        let position = self.advance().position;
        let target = Box::new(self.parse_nested(Self::unary)?);
        Ok(Expression { position, kind: ExpressionKind::Update { update, before: true, target } })
    }

    /// A value with calls, properties and `++` after it.
    fn postfix(&mut self) -> Result<Expression<'a>, Fault> {
        let mut value = self.primary()?;
        loop {
            let position = value.position;
            let token = self.peek().clone();
            let kind = match token.kind {
                TokenKind::Punctuation(".") => {
                    self.advance();
                    self.member(value, false)?
                }
                TokenKind::Punctuation("?.") => {
                    self.advance();
                    if self.is_next("(") {
                        self.call(value, true)?
                    } else if self.is_next("[") {
                        self.index(value, true)?
                    } else {
                        self.member(value, true)?
                    }
                }
                TokenKind::Punctuation("[") => self.index(value, false)?,
                TokenKind::Punctuation("(") => self.call(value, false)?,
                TokenKind::Punctuation(mark @ ("++" | "--")) if !token.after_line => {
                    self.advance();
                    let update = if mark == "++" { Update::Increment } else { Update::Decrement };
                    ExpressionKind::Update { update, before: false, target: Box::new(value) }
                }
                TokenKind::Quote => return Err(self.unsupported_fault("a tagged template literal")),
                _ => return Ok(value),
            };
            value = self.check_depth(Expression { position, kind })?;
        }
    }

    /// Chains such as `a.b.c` and `a + b + c` make deep trees without nesting in the text.
    fn check_depth(&self, expression: Expression<'a>) -> Result<Expression<'a>, Fault> {
        const LONGEST_CHAIN: usize = 64;
        let mut length = 0;
        let mut next = Some(&expression);
        while let Some(current) = next {
            length += 1;
            next = match &current.kind {
                ExpressionKind::Member(member) => Some(&member.object),
                ExpressionKind::Call(call) => Some(&call.callee),
                ExpressionKind::Binary(_, left, _) | ExpressionKind::Logical(_, left, _) => {
                    Some(left)
                }
                _ => None,
            };
        }
        if length > LONGEST_CHAIN {
            let limit = super::Reason::Exceeded(super::Limit::Depth);
            return Err(Fault::new(self.position(), limit));
        }
        Ok(expression)
    }

    fn member(
        &mut self,
        object: Expression<'a>,
        optional: bool,
    ) -> Result<ExpressionKind<'a>, Fault> {
        let TokenKind::Word(name) = self.peek().kind else {
            return Err(self.unexpected_fault("the name of a property"));
        };
        self.advance();
        let key = Key::Name(Name(Cow::Borrowed(name)));
        Ok(ExpressionKind::Member(Member { object: Box::new(object), key, optional }))
    }

    fn index(
        &mut self,
        object: Expression<'a>,
        optional: bool,
    ) -> Result<ExpressionKind<'a>, Fault> {
        self.advance();
        let key = Key::Computed(Box::new(self.expression()?));
        self.expect("]", "`]` after the index")?;
        Ok(ExpressionKind::Member(Member { object: Box::new(object), key, optional }))
    }

    fn call(
        &mut self,
        callee: Expression<'a>,
        optional: bool,
    ) -> Result<ExpressionKind<'a>, Fault> {
        self.advance();
        let arguments = self.arguments(")", "`,` or `)` after the argument")?;
        Ok(ExpressionKind::Call(Call { callee: Box::new(callee), arguments, optional }))
    }

    fn arguments(
        &mut self,
        end: &'static str,
        expected: &'static str,
    ) -> Result<Vec<Argument<'a>>, Fault> {
        let mut arguments = Vec::new();
        while !self.take(end) {
            let spread = self.take("...");
            arguments.push(Argument { value: self.expression()?, spread });
            if !self.is_next(end) {
                self.expect(",", expected)?;
            }
        }
        Ok(arguments)
    }

    fn primary(&mut self) -> Result<Expression<'a>, Fault> {
        let position = self.position();
        let kind = match self.peek().kind.clone() {
            TokenKind::Number(number) => self.literal(ExpressionKind::Number(number)),
            TokenKind::String(text) => self.literal(ExpressionKind::String(text)),
            TokenKind::Regex { pattern, flags } => {
                self.literal(ExpressionKind::Regex { pattern, flags })
            }
            TokenKind::Quote => self.template()?,
            TokenKind::Punctuation("(") => {
                self.advance();
                let value = self.expression()?;
                self.expect(")", "`)`")?;
                return Ok(value);
            }
            TokenKind::Punctuation("[") => {
                self.advance();
                ExpressionKind::Array(self.arguments("]", "`,` or `]` after the element")?)
            }
            TokenKind::Punctuation("{") => self.object()?,
            TokenKind::Word("true") => self.literal(ExpressionKind::Boolean(true)),
            TokenKind::Word("false") => self.literal(ExpressionKind::Boolean(false)),
            TokenKind::Word("null") => self.literal(ExpressionKind::Null),
            TokenKind::Word("new") => return Err(self.unsupported_fault("`new`")),
            TokenKind::Word("this" | "super") => return Err(self.unsupported_fault("`this`")),
            TokenKind::Word("yield") => return Err(self.unsupported_fault("a generator")),
            TokenKind::Word("function") => {
                self.advance();
                // A function's own name could only be used for recursion.
                if !self.is_next("(") {
                    self.name("the function's name or `(`")?;
                }
                ExpressionKind::Function(self.function_rest()?)
            }
            TokenKind::Word(word) if !is_reserved(word) => {
                self.literal(ExpressionKind::Variable(word))
            }
            _ => return Err(self.unexpected_fault("an expression")),
        };
        Ok(Expression { position, kind })
    }

    fn literal(&mut self, kind: ExpressionKind<'a>) -> ExpressionKind<'a> {
        self.advance();
        kind
    }

    fn template(&mut self) -> Result<ExpressionKind<'a>, Fault> {
        self.advance();
        let mut parts = Vec::new();
        loop {
            match self.peek().kind.clone() {
                TokenKind::Quoted(text) => {
                    self.advance();
                    parts.push(TemplatePart::Text(text));
                }
                TokenKind::Quote => {
                    self.advance();
                    return Ok(ExpressionKind::Template(parts));
                }
                TokenKind::Punctuation("${") => {
                    self.advance();
                    parts.push(TemplatePart::Value(self.expression()?));
                    self.expect("}", "`}` after the value in the template literal")?;
                }
                _ => {
                    return Err(
                        self.unexpected_fault("a back quote that closes the template literal")
                    );
                }
            }
        }
    }

    fn object(&mut self) -> Result<ExpressionKind<'a>, Fault> {
        self.advance();
        let mut properties = Vec::new();
        while !self.take("}") {
            properties.push(self.property()?);
            if !self.is_next("}") {
                self.expect(",", "`,` or `}` after the property")?;
            }
        }
        Ok(ExpressionKind::Object(properties))
    }

    fn property(&mut self) -> Result<Property<'a>, Fault> {
        if self.take("...") {
            return Ok(Property::Spread(self.expression()?));
        }
        if self.take("[") {
            let key = Key::Computed(Box::new(self.expression()?));
            self.expect("]", "`]` after the name")?;
            self.expect(":", "`:` after the name")?;
            return Ok(Property::Pair(key, self.expression()?));
        }
        let position: Position = self.position();
        let name = self.property_name()?;
        let value = match &name {
            _ if self.take(":") => self.expression()?,
            _ if self.is_next("(") => {
                let kind = ExpressionKind::Function(self.function_rest()?);
                Expression { position, kind }
            }
            Name(Cow::Borrowed(word)) if !is_reserved(word) => {
                Expression { position, kind: ExpressionKind::Variable(word) }
            }
            _ => return Err(self.unexpected_fault("`:` after the name")),
        };
        Ok(Property::Pair(Key::Name(name), value))
    }
}
