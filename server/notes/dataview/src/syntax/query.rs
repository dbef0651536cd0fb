//! Queries: what they show, of which notes, and what is done before.

use std::sync::Arc;

use jiff::Zoned;
use winnow::combinator::{alt, opt, preceded, separated};
use winnow::prelude::*;
use winnow::stream::Location as _;

use super::expression::Expression;
use super::input::{
    Input, Parsed, SyntaxError, backtrack, error, expect_named, input, remaining_text, take,
};
use super::literal::{keyword, name, space, text};
use super::parser::expression;
use super::source::{Source, source};
use crate::value::Name;

/// Longest query in bytes.
const LENGTH_LIMIT: usize = 64 * 1024;

#[derive(Debug, Clone)]
pub(crate) struct Query {
    pub(crate) kind: Kind,
    /// `None` for all notes.
    pub(crate) source: Option<Source>,
    /// The operations in the order in which they are applied.
    pub(crate) operations: Vec<Operation>,
}

/// What a query shows.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    List { value: Option<Expression>, with_id: bool },
    Table { columns: Vec<NamedExpression>, with_id: bool },
    Task,
    Calendar(Expression),
}

/// An expression with a name.
#[derive(Debug, Clone)]
pub(crate) struct NamedExpression {
    pub(crate) name: Name,
    pub(crate) value: Expression,
}

/// A step between the source and the result.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Where(Expression),
    /// Expressions, and whether each sorts in descending order.
    Sort(Vec<(Expression, bool)>),
    Limit(Expression),
    Group(NamedExpression),
    Flatten(NamedExpression),
}

/// Parses a query.
///
/// # Errors
/// [`SyntaxError`] with the place that does not fit.
pub(crate) fn parse(text: &str, now: &Zoned) -> Result<Query, SyntaxError> {
    if text.len() > LENGTH_LIMIT {
        let reason = format!("the query has more than {LENGTH_LIMIT} bytes");
        return Err(SyntaxError::from_offset(text, LENGTH_LIMIT, reason));
    }
    let mut input = input(text, now);
    match query.parse_next(&mut input) {
        Ok(query) if remaining_text(&input).is_empty() => Ok(query),
        _ => Err(error(text, "query", &input)),
    }
}

fn query(input: &mut Input<'_>) -> Parsed<Query> {
    gap(input)?;
    let kind = kind(input)?;
    gap(input)?;
    let source = opt(preceded((keyword("from"), blank), source)).parse_next(input)?;
    gap(input)?;
    let mut operations = Vec::new();
    while let Some(operation) = opt(operation).parse_next(input)? {
        operations.push(operation);
        gap(input)?;
    }
    Ok(Query { kind, source, operations })
}

/// At least some white space.
fn blank(input: &mut Input<'_>) -> Parsed<()> {
    if space.parse_next(input)?.is_empty() { backtrack() } else { Ok(()) }
}

/// White space and comments, if there are any.
fn gap(input: &mut Input<'_>) -> Parsed<()> {
    loop {
        space.parse_next(input)?;
        if !remaining_text(input).starts_with("//") {
            return Ok(());
        }
        let line = remaining_text(input).find('\n').unwrap_or(remaining_text(input).len());
        take(input, line);
    }
}

fn kind(input: &mut Input<'_>) -> Parsed<Kind> {
    #[derive(Clone, Copy)]
    enum Word {
        Table,
        List,
        Task,
        Calendar,
    }
    let word = alt((
        keyword("table").value(Word::Table),
        keyword("list").value(Word::List),
        keyword("task").value(Word::Task),
        keyword("calendar").value(Word::Calendar),
    ));
    let word = expect_named("TABLE, LIST, TASK or CALENDAR", word)(input)?;
    if matches!(word, Word::Task) {
        return Ok(Kind::Task);
    }
    let is_blank = !space.parse_next(input)?.is_empty();
    match word {
        Word::List if remaining_text(input).is_empty() => {
            Ok(Kind::List { value: None, with_id: true })
        }
        Word::Table if remaining_text(input).is_empty() => {
            Ok(Kind::Table { columns: Vec::new(), with_id: true })
        }
        _ if !is_blank => expect_named("white space", blank)(input).and_then(|()| backtrack()),
        Word::List => {
            let with_id = !without_id(input)?;
            Ok(Kind::List { value: opt(expression).parse_next(input)?, with_id })
        }
        Word::Table => {
            let with_id = !without_id(input)?;
            let columns = separated(0.., column, (space, ',', space)).parse_next(input)?;
            Ok(Kind::Table { columns, with_id })
        }
        _ => Ok(Kind::Calendar(column.parse_next(input)?.value)),
    }
}

/// `WITHOUT ID`, if it is there.
fn without_id(input: &mut Input<'_>) -> Parsed<bool> {
    let words = (keyword("without"), blank, keyword("id"), space);
    Ok(opt(words).parse_next(input)?.is_some())
}

/// An expression with `AS name`, or named by its own text.
fn column(input: &mut Input<'_>) -> Parsed<NamedExpression> {
    let text_from_here = remaining_text(input);
    let start = input.current_token_start();
    let value = expression.parse_next(input)?;
    let length = input.current_token_start() - start;
    let given = preceded((blank, keyword("as"), blank), alt((name.map(Name::from), text)));
    let end = input.checkpoint();
    let given = opt(given).parse_next(input)?;
    let name = given.unwrap_or_else(|| {
        input.reset(&end);
        let lines = text_from_here[..length].split(['\r', '\n']).map(str::trim);
        Arc::from(lines.collect::<String>())
    });
    Ok(NamedExpression { name, value })
}

fn operation(input: &mut Input<'_>) -> Parsed<Operation> {
    expect_named(
        "WHERE, SORT, LIMIT, GROUP BY or FLATTEN",
        alt((
            preceded((keyword("where"), blank), expression).map(Operation::Where),
            preceded((keyword("sort"), blank), sort).map(Operation::Sort),
            preceded((keyword("limit"), blank), expression).map(Operation::Limit),
            preceded((keyword("group by"), blank), column).map(Operation::Group),
            preceded((keyword("flatten"), blank), column).map(Operation::Flatten),
        )),
    )(input)
}

fn sort(input: &mut Input<'_>) -> Parsed<Vec<(Expression, bool)>> {
    separated(1.., sort_key, (space, ',', space)).parse_next(input)
}

fn sort_key(input: &mut Input<'_>) -> Parsed<(Expression, bool)> {
    let key = expression.parse_next(input)?;
    let end = input.checkpoint();
    space.parse_next(input)?;
    let direction = alt((
        keyword("ascending").value(false),
        keyword("descending").value(true),
        keyword("asc").value(false),
        keyword("desc").value(true),
    ));
    let Some(descending) = opt(direction).parse_next(input)? else {
        input.reset(&end);
        return Ok((key, false));
    };
    Ok((key, descending))
}
