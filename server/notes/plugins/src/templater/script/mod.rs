//! The JavaScript of templates: a subset that templates use, parsed into a tree.
//!
//! The commands of a template form one program, so that statements may enclose text:
//! `<%* if (x) { %> text <%* } %>`.

mod control;
mod expressions;
mod fault;
mod lexer;
mod parser;
mod patterns;
mod tags;
mod tree;

pub(super) use fault::{Fault, Limit, Position, Reason};
pub(super) use parser::parse;
pub(super) use tree::{
    Argument, Binary, Body, Call, Declaration, Expression, ExpressionKind, Function, Key, Keyword,
    Logical, Member, Name, Operator, Pattern, Program, Property, Statement, StatementKind,
    TemplatePart, Unary, Update,
};
