//! Parsing expressions.

use std::sync::Arc;

use winnow::combinator::{alt, delimited, repeat, separated, separated_pair};
use winnow::error::ErrMode;
use winnow::prelude::*;
use winnow::stream::Location as _;

use super::expression::{Chain, Expression, Lambda, Step};
use super::input::{Input, Parsed, backtrack, expect_named, parse_nested, remaining_text};
use super::literal::{a_number, date_or_shorthand, duration, link, name, space, text, word};
use super::source::{Connective, connective};
use crate::operator::Operator;
use crate::value::{Name, Value};

/// Words that are never fields.
const KEYWORDS: [&str; 5] = ["from", "where", "limit", "group", "flatten"];

pub(super) fn expression(input: &mut Input<'_>) -> Parsed<Expression> {
    parse_nested(|input| {
        let connective = connective.map(|connective| match connective {
            Connective::And => Operator::And,
            Connective::Or => Operator::Or,
        });
        let connective = expect_named("`and`, `or`", connective);
        chain(input, &mut comparison, connective)
    })(input)
}

fn comparison(input: &mut Input<'_>) -> Parsed<Expression> {
    let operator = alt((
        ">=".value(Operator::GreaterOrEqual),
        "<=".value(Operator::LessOrEqual),
        "!=".value(Operator::NotEqual),
        ">".value(Operator::Greater),
        "<".value(Operator::Less),
        "=".value(Operator::Equal),
    ));
    chain(input, &mut sum, expect_named("an operator", operator))
}

fn sum(input: &mut Input<'_>) -> Parsed<Expression> {
    let operator = alt(('+'.value(Operator::Add), '-'.value(Operator::Subtract)));
    chain(input, &mut product, expect_named("an operator", operator))
}

fn product(input: &mut Input<'_>) -> Parsed<Expression> {
    let operator = alt((
        '*'.value(Operator::Multiply),
        '/'.value(Operator::Divide),
        '%'.value(Operator::Remainder),
    ));
    chain(input, &mut path, expect_named("an operator", operator))
}

/// Operands with operators of one precedence between.
fn chain<'a>(
    input: &mut Input<'a>,
    operand: &mut dyn FnMut(&mut Input<'a>) -> Parsed<Expression>,
    mut operator: impl FnMut(&mut Input<'a>) -> Parsed<Operator>,
) -> Parsed<Expression> {
    let first = operand(input)?;
    let mut rest = Vec::new();
    loop {
        let end = input.checkpoint();
        space.parse_next(input)?;
        let next = operator(input).and_then(|operator| {
            space.parse_next(input)?;
            Ok((operator, operand(input)?))
        });
        match next {
            Ok(next) => rest.push(next),
            Err(error @ ErrMode::Cut(_)) => return Err(error),
            Err(_) => {
                input.reset(&end);
                break;
            }
        }
    }
    Ok(if rest.is_empty() { first } else { Expression::Chain(Box::new(Chain { first, rest })) })
}

/// A value and what follows it directly: `.name`, `[index]`, `(arguments)`.
fn path(input: &mut Input<'_>) -> Parsed<Expression> {
    let base = expect_named("an expression", atom)(input)?;
    let steps: Vec<Step> = repeat(0.., step).parse_next(input)?;
    Ok(if steps.is_empty() { base } else { Expression::Path(Box::new(base), steps) })
}

fn step(input: &mut Input<'_>) -> Parsed<Step> {
    let at = input.current_token_start();
    match remaining_text(input).as_bytes().first() {
        Some(b'.') => {
            let name = ('.', expect_named("the name of a field", name)).parse_next(input)?.1;
            Ok(Step::Index(Expression::Literal(Value::text(name))))
        }
        Some(b'[') => {
            let close = (space, expect_named("`]`", ']'));
            delimited(('[', space), expression, close).map(Step::Index).parse_next(input)
        }
        Some(b'(') => {
            let close = (space, expect_named("`)` or `,`", ')'));
            let arguments = delimited(('(', space), expressions, close).parse_next(input)?;
            Ok(Step::Call { arguments, at })
        }
        _ => backtrack(),
    }
}

/// Expressions with commas between.
fn expressions(input: &mut Input<'_>) -> Parsed<Vec<Expression>> {
    separated(0.., expression, (space, ',', space)).parse_next(input)
}

fn atom(input: &mut Input<'_>) -> Parsed<Expression> {
    let not = |input: &mut Input<'_>| {
        let operand = ('!', parse_nested(path)).parse_next(input)?.1;
        Ok(Expression::Not(Box::new(operand)))
    };
    alt((
        link.map(Expression::Literal),
        not,
        list,
        object,
        lambda,
        delimited(('(', space), expression, (space, expect_named("`)`", ')'))),
        constant.map(Expression::Literal),
        variable,
    ))
    .parse_next(input)
}

fn constant(input: &mut Input<'_>) -> Parsed<Value> {
    let date = delimited(("date(", space), date_or_shorthand, (space, ')'));
    let duration = delimited(("dur(", space), duration, (space, ')'));
    alt((
        alt((word("true"), word("True"))).value(Value::Boolean(true)),
        alt((word("false"), word("False"))).value(Value::Boolean(false)),
        a_number.map(Value::Number),
        text.map(Value::Text),
        date,
        duration.map(Value::duration),
        word("null").value(Value::Null),
    ))
    .parse_next(input)
}

fn variable(input: &mut Input<'_>) -> Parsed<Expression> {
    let start = input.checkpoint();
    let name = name.parse_next(input)?;
    if KEYWORDS.iter().any(|keyword| name.eq_ignore_ascii_case(keyword)) {
        input.reset(&start);
        return backtrack();
    }
    Ok(Expression::Variable(name.into()))
}

fn list(input: &mut Input<'_>) -> Parsed<Expression> {
    let close = (space, expect_named("`]` or `,`", ']'));
    delimited(('[', space), expressions, close).map(Expression::List).parse_next(input)
}

fn object(input: &mut Input<'_>) -> Parsed<Expression> {
    let key = alt((name.map(Name::from), text));
    let field = separated_pair(key, (space, ':', space), expression);
    let fields = separated(0.., field, (space, ',', space));
    let close = (space, expect_named("`}` or `,`", '}'));
    delimited(('{', space), fields, close).map(Expression::Object).parse_next(input)
}

fn lambda(input: &mut Input<'_>) -> Parsed<Expression> {
    let names = separated(0.., name.map(Name::from), (space, ',', space));
    let parameters = delimited(('(', space), names, (space, ')'));
    let (parameters, _, body) = (parameters, (space, "=>", space), expression).parse_next(input)?;
    Ok(Expression::Lambda(Arc::new(Lambda { parameters, body })))
}
