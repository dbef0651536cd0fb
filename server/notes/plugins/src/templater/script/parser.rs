//! Parses statements.

use super::lexer::{Token, TokenKind, tokenize};
use super::tags;
use super::tree::{Declaration, Keyword, Pattern, Program, Statement, StatementKind};
use super::{Expression, Fault, Limit, Position, Reason};

/// How deep expressions and statements may be nested.
const DEPTH: usize = 100;

/// Parses a template.
///
/// # Errors
/// The first position that is not in the language.
pub(crate) fn parse(template: &str) -> Result<Program<'_>, Fault> {
    let pieces = tags::split(template)?;
    let tokens = tokenize(&pieces, Position(template.len()))?;
    let mut parser = Parser { tokens, next: 0, depth: 0, vars: Vec::new() };
    let mut statements = Vec::new();
    while parser.peek().kind != TokenKind::End {
        statements.push(parser.statement()?);
    }
    Ok(Program { vars: parser.vars, statements })
}

/// The tokens, and how far they are read. The last one is [`TokenKind::End`].
pub(super) struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    pub(super) next: usize,
    depth: usize,
    /// The names that `var` declares in the function that is being parsed.
    pub(super) vars: Vec<&'a str>,
}

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> &Token<'a> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> &Token<'a> {
        &self.tokens[(self.next + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn position(&self) -> Position {
        self.peek().position
    }

    pub(super) fn advance(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    /// Reads this punctuation if it is next.
    pub(super) fn take(&mut self, mark: &str) -> bool {
        let found = self.is_next(mark);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn is_next(&self, mark: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Punctuation(next) if next == mark)
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(0, word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn is_word(&self, ahead: usize, word: &str) -> bool {
        self.peek_at(ahead).kind == TokenKind::Word(word)
    }

    pub(super) fn expect(
        &mut self,
        mark: &'static str,
        expected: &'static str,
    ) -> Result<(), Fault> {
        if self.take(mark) { Ok(()) } else { Err(self.unexpected_fault(expected)) }
    }

    /// A syntax error at the next token.
    pub(super) fn unexpected_fault(&self, expected: &'static str) -> Fault {
        let found = match &self.peek().kind {
            TokenKind::Text(_) => "text of the template".into(),
            TokenKind::OutputStart => "another command".into(),
            TokenKind::OutputEnd => "the end of the command".into(),
            TokenKind::Word(word) => format!("`{word}`").into(),
            TokenKind::Number(number) => format!("`{number}`").into(),
            TokenKind::String(_) => "a string".into(),
            TokenKind::Regex { .. } => "a regular expression".into(),
            TokenKind::Punctuation(mark) => format!("`{mark}`").into(),
            TokenKind::Quote | TokenKind::Quoted(_) => "a template literal".into(),
            TokenKind::End => "the end of the template".into(),
        };
        Fault::new(self.position(), Reason::Syntax { expected, found })
    }

    pub(super) fn unsupported_fault(&self, what: &'static str) -> Fault {
        Fault::new(self.position(), Reason::Unsupported(what.into()))
    }

    /// Parses something that may contain itself.
    pub(super) fn parse_nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if self.depth == DEPTH {
            return Err(Fault::new(self.position(), Reason::Exceeded(Limit::Depth)));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Ends a statement: by a semicolon, a line ending, or what closes it.
    fn end_statement(&mut self) -> Result<(), Fault> {
        let ended = self.take(";")
            || self.peek().after_line
            || self.is_next("}")
            || matches!(self.peek().kind, TokenKind::Text(_) | TokenKind::OutputStart);
        if ended { Ok(()) } else { Err(self.unexpected_fault("the end of the statement")) }
    }

    pub(super) fn statement(&mut self) -> Result<Statement<'a>, Fault> {
        self.parse_nested(|parser| {
            let position = parser.position();
            let kind = parser.statement_kind()?;
            Ok(Statement { position, kind })
        })
    }

    fn statement_kind(&mut self) -> Result<StatementKind<'a>, Fault> {
        match self.peek().kind.clone() {
            TokenKind::Text(text) => {
                self.advance();
                Ok(StatementKind::Text(text))
            }
            TokenKind::OutputStart => {
                self.advance();
                let value = self.expression()?;
                match self.peek().kind {
                    TokenKind::OutputEnd => self.advance(),
                    _ => return Err(self.unexpected_fault("`%>` after the expression")),
                };
                Ok(StatementKind::Output(value))
            }
            TokenKind::Punctuation("{") => Ok(StatementKind::Block(self.block()?)),
            TokenKind::Punctuation(";") => {
                self.advance();
                Ok(StatementKind::Block(Vec::new()))
            }
            TokenKind::Word(word) => self.word_statement(word),
            _ => self.expression_statement(),
        }
    }

    /// A statement that begins with a word.
    fn word_statement(&mut self, word: &'a str) -> Result<StatementKind<'a>, Fault> {
        match word {
            "const" | "let" | "var" => {
                let declared = self.declarations()?;
                self.end_statement()?;
                Ok(StatementKind::Declare(declared))
            }
            "async" if self.is_word(1, "function") => {
                self.advance();
                self.function_statement()
            }
            "function" => self.function_statement(),
            "if" => self.if_statement(),
            "for" => self.for_statement(),
            "while" => {
                self.advance();
                let condition = self.condition()?;
                Ok(StatementKind::While(condition, Box::new(self.statement()?)))
            }
            "do" => {
                self.advance();
                let body = Box::new(self.statement()?);
                if !self.take_word("while") {
                    return Err(self.unexpected_fault("`while` after the body of `do`"));
                }
                let condition = self.condition()?;
                self.take(";");
                Ok(StatementKind::DoWhile(body, condition))
            }
            "switch" => self.switch_statement(),
            "try" => self.try_statement(),
            "break" | "continue" => {
                self.advance();
                if matches!(self.peek().kind, TokenKind::Word(_)) && !self.peek().after_line {
                    return Err(self.unsupported_fault("a label"));
                }
                self.end_statement()?;
                Ok(if word == "break" { StatementKind::Break } else { StatementKind::Continue })
            }
            "return" => {
                self.advance();
                let ended = self.peek().after_line || self.is_next(";") || self.is_next("}");
                let value = if ended { None } else { Some(self.expression()?) };
                self.end_statement()?;
                Ok(StatementKind::Return(value))
            }
            "throw" => {
                self.advance();
                let value = self.expression()?;
                self.end_statement()?;
                Ok(StatementKind::Throw(value))
            }
            "class" => Err(self.unsupported_fault("a class")),
            "import" | "export" => Err(self.unsupported_fault("a module")),
            _ => self.expression_statement(),
        }
    }

    fn expression_statement(&mut self) -> Result<StatementKind<'a>, Fault> {
        let value = self.expression()?;
        self.end_statement()?;
        Ok(StatementKind::Expression(value))
    }

    fn function_statement(&mut self) -> Result<StatementKind<'a>, Fault> {
        self.advance();
        let name = self.name("the function's name")?;
        Ok(StatementKind::Function(name, self.function_rest()?))
    }

    pub(super) fn block(&mut self) -> Result<Vec<Statement<'a>>, Fault> {
        self.expect("{", "`{`")?;
        let mut statements = Vec::new();
        while !self.take("}") {
            if self.peek().kind == TokenKind::End {
                return Err(self.unexpected_fault("`}` that closes the block"));
            }
            statements.push(self.statement()?);
        }
        Ok(statements)
    }

    pub(super) fn condition(&mut self) -> Result<Expression<'a>, Fault> {
        self.expect("(", "`(` before the condition")?;
        let condition = self.expression()?;
        self.expect(")", "`)` after the condition")?;
        Ok(condition)
    }

    /// `const a = 1, b = 2`, without what ends the statement.
    pub(super) fn declarations(&mut self) -> Result<Vec<Declaration<'a>>, Fault> {
        let keyword = self.keyword();
        let mut declared = Vec::new();
        loop {
            let pattern = self.declared_pattern(keyword)?;
            let value = if self.take("=") { Some(self.expression()?) } else { None };
            declared.push(Declaration { pattern, value, keyword });
            if !self.take(",") {
                return Ok(declared);
            }
        }
    }

    /// Reads `const`, `let` or `var`.
    pub(super) fn keyword(&mut self) -> Keyword {
        match self.advance().kind {
            TokenKind::Word("const") => Keyword::Const,
            TokenKind::Word("var") => Keyword::Var,
            _ => Keyword::Let,
        }
    }

    pub(super) fn declared_pattern(&mut self, keyword: Keyword) -> Result<Pattern<'a>, Fault> {
        let pattern = self.pattern()?;
        if keyword == Keyword::Var {
            pattern.names(&mut self.vars);
        }
        Ok(pattern)
    }

    pub(super) fn name(&mut self, expected: &'static str) -> Result<&'a str, Fault> {
        match self.peek().kind {
            TokenKind::Word(word) if !is_reserved(word) => {
                self.advance();
                Ok(word)
            }
            _ => Err(self.unexpected_fault(expected)),
        }
    }
}

/// Whether a word cannot name a variable.
pub(super) fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "break"
            | "case"
            | "catch"
            | "class"
            | "const"
            | "continue"
            | "default"
            | "delete"
            | "do"
            | "else"
            | "export"
            | "false"
            | "finally"
            | "for"
            | "function"
            | "if"
            | "import"
            | "in"
            | "instanceof"
            | "let"
            | "new"
            | "null"
            | "return"
            | "super"
            | "switch"
            | "this"
            | "throw"
            | "true"
            | "try"
            | "typeof"
            | "var"
            | "void"
            | "while"
            | "with"
            | "yield"
            | "await"
    )
}
