//! Parses conditions, loops and what else decides which statements run.

use super::Fault;
use super::lexer::TokenKind;
use super::parser::Parser;
use super::tree::{Keyword, Pattern, Statement, StatementKind};

impl<'a> Parser<'a> {
    pub(super) fn if_statement(&mut self) -> Result<StatementKind<'a>, Fault> {
        self.advance();
        let condition = self.condition()?;
        let then = Box::new(self.statement()?);
        // Between `}` and `else` may be no text, but the line that ends the command.
        let otherwise =
            if self.take_word("else") { Some(Box::new(self.statement()?)) } else { None };
        Ok(StatementKind::If(condition, then, otherwise))
    }

    pub(super) fn for_statement(&mut self) -> Result<StatementKind<'a>, Fault> {
        self.advance();
        if self.is_word(0, "await") {
            return Err(self.unsupported_fault("`for await`"));
        }
        self.expect("(", "`(` after `for`")?;
        if let Some((keyword, pattern, keys)) = self.for_each_head()? {
            let over = self.expression()?;
            self.expect(")", "`)` after the list")?;
            let body = Box::new(self.statement()?);
            return Ok(StatementKind::ForEach { keyword, pattern, over, keys, body });
        }
        let position = self.position();
        let start = match self.peek().kind {
            TokenKind::Punctuation(";") => None,
            TokenKind::Word("const" | "let" | "var") => {
                Some(StatementKind::Declare(self.declarations()?))
            }
            _ => Some(StatementKind::Expression(self.expression()?)),
        };
        let start = start.map(|kind| Box::new(Statement { position, kind }));
        self.expect(";", "`;`, `of` or `in` in the head of the loop")?;
        let condition = if self.is_next(";") { None } else { Some(self.expression()?) };
        self.expect(";", "`;` after the condition of the loop")?;
        let step = if self.is_next(")") { None } else { Some(self.expression()?) };
        self.expect(")", "`)` after the head of the loop")?;
        let body = Box::new(self.statement()?);
        Ok(StatementKind::For { start, condition, step, body })
    }

    /// The pattern in `const x of`, and whether `in` follows it; `None`, and nothing read, if this is another
    /// kind of loop.
    fn for_each_head(&mut self) -> Result<Option<(Keyword, Pattern<'a>, bool)>, Fault> {
        if !matches!(self.peek().kind, TokenKind::Word("const" | "let" | "var")) {
            return Ok(None);
        }
        let start = self.next;
        let keyword = self.keyword();
        let pattern = self.declared_pattern(keyword)?;
        if self.take_word("of") {
            return Ok(Some((keyword, pattern, false)));
        }
        if self.take_word("in") {
            return Ok(Some((keyword, pattern, true)));
        }
        self.next = start;
        Ok(None)
    }

    pub(super) fn switch_statement(&mut self) -> Result<StatementKind<'a>, Fault> {
        self.advance();
        let value = self.condition()?;
        self.expect("{", "`{` before the cases")?;
        let mut cases = Vec::new();
        loop {
            // Text between the cases is never reached.
            while matches!(self.peek().kind, TokenKind::Text(text) if text.trim().is_empty()) {
                self.advance();
            }
            if self.take("}") {
                return Ok(StatementKind::Switch(value, cases));
            }
            let case = if self.take_word("default") {
                None
            } else if self.take_word("case") {
                Some(self.expression()?)
            } else {
                return Err(self.unexpected_fault("`case`, `default` or `}`"));
            };
            self.expect(":", "`:` after the case")?;
            let mut body = Vec::new();
            while !self.is_next("}") && !self.is_word(0, "case") && !self.is_word(0, "default") {
                if self.peek().kind == TokenKind::End {
                    return Err(self.unexpected_fault("`}` that closes the switch"));
                }
                body.push(self.statement()?);
            }
            cases.push((case, body));
        }
    }

    pub(super) fn try_statement(&mut self) -> Result<StatementKind<'a>, Fault> {
        self.advance();
        let body = self.block()?;
        let catch = if self.take_word("catch") {
            let pattern = if self.take("(") {
                let pattern = self.pattern()?;
                self.expect(")", "`)` after the name of the error")?;
                Some(pattern)
            } else {
                None
            };
            Some((pattern, self.block()?))
        } else {
            None
        };
        let finally = if self.take_word("finally") { self.block()? } else { Vec::new() };
        if catch.is_none() && finally.is_empty() {
            return Err(self.unexpected_fault("`catch` or `finally`"));
        }
        Ok(StatementKind::Try { body, catch, finally })
    }
}
