//! The syntax tree of an expression.

use regex::Regex;

use crate::value::{Name, Value};

/// An expression. Operators and postfixes in a row are flat, so that only brackets and prefixes nest.
#[derive(Debug)]
pub(in crate::bases) enum Expression {
    Literal(Value),
    /// `/a/g`
    Regexp(Regexp),
    /// A property of the note, `file`, `note`, `this`, or a variable of a function such as `value`.
    Name(Name),
    /// `formula.name`, at a byte of the text.
    Formula {
        name: Name,
        at: usize,
    },
    /// `!a`
    Not(Box<Expression>),
    /// `-a`
    Negative(Box<Expression>),
    /// `a + b - c`: the first operand, and operators of one precedence with their operands.
    Chain(Box<Expression>, Vec<(Operator, Expression)>),
    /// `[a, b]`
    List(Vec<Expression>),
    /// `{"a": b}`
    Object(Vec<(Name, Expression)>),
    /// `if(a, b)`
    Call(Call),
    /// `a.b[c].d(e)`
    Path(Box<Expression>, Vec<Step>),
}

/// A call of a function or a method, at a byte of the text.
#[derive(Debug)]
pub(in crate::bases) struct Call {
    pub(in crate::bases) name: Name,
    pub(in crate::bases) arguments: Vec<Expression>,
    pub(in crate::bases) at: usize,
}

/// What follows a value directly.
#[derive(Debug)]
pub(in crate::bases) enum Step {
    /// `.name`, at a byte of the text.
    Field { name: Name, at: usize },
    /// `[index]`
    Index(Expression),
    /// `.name(arguments)`
    Method(Call),
}

/// A regular expression.
#[derive(Debug)]
pub(in crate::bases) struct Regexp {
    pub(in crate::bases) regex: Regex,
    /// Whether all matches are meant, not only the first.
    pub(in crate::bases) is_global: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bases) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    /// The operators by precedence, the weakest first. An operator that starts with another one stands before it.
    pub(super) const LEVELS: [&[Self]; 6] = [
        &[Self::Or],
        &[Self::And],
        &[Self::Equal, Self::NotEqual],
        &[Self::LessOrEqual, Self::GreaterOrEqual, Self::Less, Self::Greater],
        &[Self::Add, Self::Subtract],
        &[Self::Multiply, Self::Divide, Self::Remainder],
    ];

    /// How it is written.
    pub(in crate::bases) fn symbol(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}
