//! Splits the code of a template into tokens.

use super::tags::{Code, Piece};
use super::{Fault, Position, Reason};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) position: Position,
    pub(super) kind: TokenKind<'a>,
    /// Whether a line ends before it, which may end a statement.
    pub(super) after_line: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind<'a> {
    /// Text of the template.
    Text(&'a str),
    /// The start and the end of a command that inserts a value.
    OutputStart,
    OutputEnd,
    /// A name or a keyword.
    Word(&'a str),
    Number(f64),
    String(String),
    Regex {
        pattern: &'a str,
        flags: &'a str,
    },
    Punctuation(&'static str),
    /// The back quotes and the texts of a template literal. `${` and `}` are punctuation.
    Quote,
    Quoted(String),
    End,
}

/// Longer ones first.
const PUNCTUATION: [&str; 58] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=",
    "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "<<", ">>", "**", "{", "}", "(", ")", "[", "]", ".", ";", ",", "<", ">", "+", "-", "*", "/",
    "%", "&", "|", "^", "!", "~", "?", ":", "=", "@",
];

/// Splits the parts of a template into tokens.
pub(super) fn tokenize<'a>(pieces: &[Piece<'a>], end: Position) -> Result<Vec<Token<'a>>, Fault> {
    let mut lexer = Lexer::default();
    for piece in pieces {
        match *piece {
            Piece::Text(text) => lexer.push(lexer.last_position(), TokenKind::Text(text)),
            Piece::Output(code) => {
                lexer.push(code.start, TokenKind::OutputStart);
                lexer.read_code(code)?;
                lexer.push(code.end(), TokenKind::OutputEnd);
            }
            Piece::Execute(code) => {
                lexer.after_line = true;
                lexer.read_code(code)?;
                lexer.after_line = true;
            }
        }
    }
    lexer.after_line = true;
    lexer.push(end, TokenKind::End);
    Ok(lexer.tokens)
}

impl Code<'_> {
    fn end(&self) -> Position {
        Position(self.start.0 + self.text.len())
    }
}

#[derive(Default)]
struct Lexer<'a> {
    tokens: Vec<Token<'a>>,
    after_line: bool,
    /// For each open `${`, how many braces are open in it.
    braces: Vec<usize>,
}

impl<'a> Lexer<'a> {
    fn push(&mut self, position: Position, kind: TokenKind<'a>) {
        let after_line = std::mem::take(&mut self.after_line);
        self.tokens.push(Token { position, kind, after_line });
    }

    fn last_position(&self) -> Position {
        self.tokens.last().map_or(Position(0), |token| token.position)
    }

    fn read_code(&mut self, code: Code<'a>) -> Result<(), Fault> {
        let text = code.text;
        let mut at = 0;
        self.braces.clear();
        while let Some(c) = text[at..].chars().next() {
            let position = Position(code.start.0 + at);
            let rest = &text[at..];
            let length = if c.is_whitespace() {
                self.after_line |= c == '\n';
                c.len_utf8()
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").ok_or_else(|| unclosed_fault(position, "`*/`"))?;
                self.after_line |= rest[..end].contains('\n');
                end + 2
            } else {
                self.read_token(position, rest, c)?
            };
            at += length;
        }
        if self.braces.is_empty() {
            Ok(())
        } else {
            Err(unclosed_fault(code.end(), "`}` and a back quote"))
        }
    }

    /// Reads a token, and returns its length.
    fn read_token(
        &mut self,
        position: Position,
        rest: &'a str,
        first: char,
    ) -> Result<usize, Fault> {
        if first.is_alphabetic() || first == '_' || first == '$' {
            let in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let end = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
            self.push(position, TokenKind::Word(&rest[..end]));
            return Ok(end);
        }
        let is_decimal = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        if first.is_ascii_digit() || first == '.' && is_decimal(&rest[1..]) {
            let (number, length) = read_number(position, rest)?;
            self.push(position, TokenKind::Number(number));
            return Ok(length);
        }
        match first {
            '"' | '\'' => {
                let (text, end) = read_quoted(position, &rest[1..], first)?;
                self.push(position, TokenKind::String(text));
                Ok(1 + end + 1)
            }
            '`' => {
                self.push(position, TokenKind::Quote);
                Ok(1 + self.template_text(Position(position.0 + 1), &rest[1..])?)
            }
            '/' if self.expects_value() => {
                let (pattern, flags, length) = read_regex(position, rest)?;
                self.push(position, TokenKind::Regex { pattern, flags });
                Ok(length)
            }
            _ => self.punctuation(position, rest, first),
        }
    }

    fn punctuation(
        &mut self,
        position: Position,
        rest: &'a str,
        first: char,
    ) -> Result<usize, Fault> {
        if rest.starts_with('}') && self.braces.last() == Some(&0) {
            self.braces.pop();
            self.push(position, TokenKind::Punctuation("}"));
            return Ok(1 + self.template_text(Position(position.0 + 1), &rest[1..])?);
        }
        // `?.5` is a condition and a number.
        let is_number =
            rest.get(2..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let fits = |mark: &&&str| rest.starts_with(**mark) && !(**mark == "?." && is_number);
        let found = PUNCTUATION.iter().find(fits);
        let Some(found) = found else {
            let found = format!("`{first}`").into();
            return Err(Fault::new(position, Reason::Syntax { expected: "JavaScript", found }));
        };
        match (*found, self.braces.last_mut()) {
            ("{", Some(open)) => *open += 1,
            ("}", Some(open)) => *open = open.saturating_sub(1),
            _ => {}
        }
        self.push(position, TokenKind::Punctuation(found));
        Ok(found.len())
    }

    /// Reads the text of a template literal up to its end or the next `${`, and returns the length.
    fn template_text(&mut self, position: Position, rest: &'a str) -> Result<usize, Fault> {
        let mut end = 0;
        loop {
            let Some(at) = rest[end..].find(['`', '\\', '$']) else {
                return Err(unclosed_fault(position, "a back quote"));
            };
            end += at;
            match &rest[end..] {
                text if text.starts_with('`') => {
                    self.push(position, TokenKind::Quoted(unescape(position, &rest[..end])?));
                    self.push(Position(position.0 + end), TokenKind::Quote);
                    return Ok(end + 1);
                }
                text if text.starts_with("${") => {
                    self.push(position, TokenKind::Quoted(unescape(position, &rest[..end])?));
                    self.push(Position(position.0 + end), TokenKind::Punctuation("${"));
                    self.braces.push(0);
                    return Ok(end + 2);
                }
                text => {
                    let skipped = if text.starts_with('\\') { 2 } else { 1 };
                    end += text.char_indices().nth(skipped).map_or(text.len(), |(at, _)| at);
                }
            }
        }
    }

    /// Whether a value may begin here, so that `/` begins a regular expression.
    fn expects_value(&self) -> bool {
        match self.tokens.last().map(|token| &token.kind) {
            Some(TokenKind::Word(word)) => {
                matches!(*word, "return" | "typeof" | "case" | "in" | "of" | "await")
            }
            Some(TokenKind::Punctuation(mark)) => !matches!(*mark, ")" | "]" | "}" | "++" | "--"),
            Some(
                TokenKind::Number(_)
                | TokenKind::String(_)
                | TokenKind::Regex { .. }
                | TokenKind::Quote,
            ) => false,
            _ => true,
        }
    }
}

fn unclosed_fault(position: Position, expected: &'static str) -> Fault {
    Fault::new(position, Reason::Syntax { expected, found: "the end of the command".into() })
}

fn read_number(position: Position, rest: &str) -> Result<(f64, usize), Fault> {
    let malformed = || {
        let expected = "a number in decimal or hexadecimal notation";
        Fault::new(position, Reason::Syntax { expected, found: "a malformed number".into() })
    };
    let digits = |text: &str| {
        text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
    };
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        let end = digits(hex);
        let value = u32::from_str_radix(&hex[..end].replace('_', ""), 16);
        return value.map(|value| (f64::from(value), end + 2)).map_err(|_| malformed());
    }
    let mut end = digits(rest);
    if rest[end..].starts_with('.') {
        end += 1 + digits(&rest[end + 1..]);
    }
    if rest[..end].ends_with(['e', 'E']) && rest[end..].starts_with(['+', '-']) {
        end += 1 + digits(&rest[end + 1..]);
    }
    let value = rest[..end].replace('_', "").parse::<f64>();
    value.ok().filter(|value| value.is_finite()).map(|value| (value, end)).ok_or_else(malformed)
}

/// The text of a string literal and its length, without the quotes.
fn read_quoted(position: Position, rest: &str, quote: char) -> Result<(String, usize), Fault> {
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => break,
            c if c == quote => return Ok((unescape(position, &rest[..at])?, at)),
            _ => {}
        }
    }
    Err(unclosed_fault(position, "the closing quote of the string"))
}

fn unescape(position: Position, text: &str) -> Result<String, Fault> {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {}
            '\\' => match chars.next() {
                Some('n') => result.push('\n'),
                Some('t') => result.push('\t'),
                Some('r') => result.push('\r'),
                Some('b') => result.push('\u{8}'),
                Some('f') => result.push('\u{c}'),
                Some('v') => result.push('\u{b}'),
                Some('0') => result.push('\0'),
                Some('\n') | None => {}
                Some(kind @ ('u' | 'x')) => {
                    let (code, rest) = code_point(kind, chars.as_str()).ok_or_else(|| {
                        let expected = "hexadecimal digits of a character after `\\u` or `\\x`";
                        Fault::new(
                            position,
                            Reason::Syntax { expected, found: "other text".into() },
                        )
                    })?;
                    result.push(code);
                    chars = rest.chars();
                }
                Some(other) => result.push(other),
            },
            c => result.push(c),
        }
    }
    Ok(result)
}

/// The character of an escape, and the text after it.
fn code_point(kind: char, text: &str) -> Option<(char, &str)> {
    let hex = |digits: &str| u32::from_str_radix(digits, 16).ok();
    if let Some((digits, rest)) = text.strip_prefix('{').and_then(|text| text.split_once('}')) {
        return Some((char::from_u32(hex(digits)?)?, rest));
    }
    let length = if kind == 'x' { 2 } else { 4 };
    let first = hex(text.get(..length)?)?;
    let rest = &text[length..];
    if let Some(c) = char::from_u32(first) {
        return Some((c, rest));
    }
    // Half of a character beyond 16 bits; the other half must follow.
    let second = hex(rest.strip_prefix("\\u")?.get(..4)?)?;
    let units = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let c = char::decode_utf16(units).next()?.ok()?;
    Some((c, &rest[6..]))
}

/// The pattern and the flags of a regular expression, and its length.
fn read_regex(position: Position, rest: &str) -> Result<(&str, &str, usize), Fault> {
    let (mut escaped, mut in_class) = (false, false);
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => break,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => {
                let after = &rest[at + 1..];
                let flags = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
                return Ok((&rest[1..at], &after[..flags], at + 1 + flags));
            }
            _ => {}
        }
    }
    Err(unclosed_fault(position, "`/` that closes the regular expression"))
}
