//! The syntax tree of an expression.

use std::sync::Arc;

use crate::operator::Operator;
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

/// How the query language writes an operator.
pub(crate) fn symbol(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
        Operator::Less => "<",
        Operator::LessOrEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterOrEqual => ">=",
        Operator::Equal => "=",
        Operator::NotEqual => "!=",
        Operator::And => "and",
        Operator::Or => "or",
    }
}
