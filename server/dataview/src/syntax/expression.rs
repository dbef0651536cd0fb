//! The syntax tree of an expression.

use std::sync::Arc;

use crate::value::{Name, Value};

/// An expression. Operators and postfixes in a row are flat, so that only brackets nest.
#[derive(Debug, Clone)]
pub(crate) enum Expression {
    Literal(Value),
    Variable(Name),
    /// `!a`
    Not(Box<Expression>),
    /// `a + b - c`
    Chain(Box<Chain>),
    /// `[a, b]`
    List(Vec<Expression>),
    /// `{a: b}`
    Object(Vec<(Name, Expression)>),
    /// `a.b[c](d)`
    Path(Box<Expression>, Vec<Step>),
    /// `(a) => b`
    Lambda(Arc<Lambda>),
}

/// Operators of one precedence, applied from left to right.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    pub(crate) first: Expression,
    pub(crate) rest: Vec<(Operator, Expression)>,
}

/// What follows a value directly.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// `.name` or `[index]`
    Index(Expression),
    /// `(arguments)`, at a byte of the query.
    Call { arguments: Vec<Expression>, at: usize },
}

/// A function that a query defines as an argument.
#[derive(Debug)]
pub(crate) struct Lambda {
    pub(crate) parameters: Vec<Name>,
    pub(crate) body: Expression,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

impl Operator {
    /// How it is written.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::And => "and",
            Self::Or => "or",
        }
    }
}
