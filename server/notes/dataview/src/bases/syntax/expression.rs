//! The syntax tree of an expression.

use std::sync::Arc;

use crate::operator::Operator;
use crate::value::{Name, Value};

/// An expression. Operators and postfixes in a row are flat, so that only brackets and prefixes nest.
#[derive(Debug)]
pub(in crate::bases) enum BaseExpression {
    Literal(Value),
    /// What is wrong, and has no value.
    Invalid(Arc<str>),
    /// A property of the note, `file`, `note`, `this`, or a variable of a function such as `value`.
    Name(Name),
    /// `formula.name`, at a byte of the text.
    Formula {
        name: Name,
        at: usize,
    },
    /// `!a`
    Not(Box<BaseExpression>),
    /// `-a`
    Negative(Box<BaseExpression>),
    /// `a + b - c`: the first operand, and operators of one precedence with their operands.
    Chain(Box<BaseExpression>, Vec<(Operator, BaseExpression)>),
    /// `[a, b]`
    List(Vec<BaseExpression>),
    /// `{"a": b}`
    Object(Vec<(Name, BaseExpression)>),
    /// `if(a, b)`
    Call(Call),
    /// `a.b[c].d(e)`
    Path(Box<BaseExpression>, Vec<Access>),
}

/// A call of a function or a method, at a byte of the text.
#[derive(Debug)]
pub(in crate::bases) struct Call {
    pub(in crate::bases) name: Name,
    pub(in crate::bases) arguments: Vec<BaseExpression>,
    pub(in crate::bases) at: usize,
}

/// What follows a value directly.
#[derive(Debug)]
pub(in crate::bases) enum Access {
    /// `.name`, at a byte of the text.
    Field {
        name: Name,
        at: usize,
    },
    Index(BaseExpression),
    /// `.name(arguments)`
    Method(Call),
}

/// The operators by precedence, the weakest first. An operator that starts with another one stands before it.
pub(super) const PRECEDENCE: [&[Operator]; 6] = [
    &[Operator::Or],
    &[Operator::And],
    &[Operator::Equal, Operator::NotEqual],
    &[Operator::LessOrEqual, Operator::GreaterOrEqual, Operator::Less, Operator::Greater],
    &[Operator::Add, Operator::Subtract],
    &[Operator::Multiply, Operator::Divide, Operator::Remainder],
];

/// How an operator is written.
pub(in crate::bases) fn symbol(operator: Operator) -> &'static str {
    match operator {
        Operator::Or => "||",
        Operator::And => "&&",
        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        Operator::Less => "<",
        Operator::LessOrEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterOrEqual => ">=",
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
    }
}
