//! The parser of expressions, with the precedence of JavaScript.

use jiff::Zoned;
use winnow::combinator::{alt, delimited, opt, preceded, repeat, separated, separated_pair};
use winnow::error::ErrMode;
use winnow::prelude::*;
use winnow::stream::Location as _;
use winnow::token::literal;

use super::expression::{Access, BaseExpression, Call, PRECEDENCE, symbol};
use super::literal::{name_length, number, regexp, text};
use crate::operator::Operator;
use crate::syntax::SyntaxError;
use crate::syntax::input::{
    Input, Parsed, backtrack, error, expect_named, input, parse_nested, refuse, remaining_text,
    take,
};
use crate::syntax::literal::space;
use crate::value::{Name, Value};

/// Longest expression in bytes (16 KiB).
const LENGTH_LIMIT: usize = 16 * 1024;

/// Parses an expression. `now` is the current date.
pub(in crate::bases) fn parse(text: &str, now: &Zoned) -> Result<BaseExpression, SyntaxError> {
    if text.len() > LENGTH_LIMIT {
        let reason = format!("the expression has more than {LENGTH_LIMIT} bytes");
        return Err(SyntaxError::from_offset(text, LENGTH_LIMIT, reason));
    }
    let mut input = input(text, now);
    match delimited(space, expression, space).parse_next(&mut input) {
        Ok(parsed) if remaining_text(&input).is_empty() => Ok(parsed),
        _ => Err(error(text, "expression", &input)),
    }
}

fn expression(input: &mut Input<'_>) -> Parsed<BaseExpression> {
    parse_nested(|input| chain(input, &PRECEDENCE))(input)
}

/// Operands with operators of one level between.
fn chain(input: &mut Input<'_>, levels: &[&[Operator]]) -> Parsed<BaseExpression> {
    let [level, tighter @ ..] = levels else { return prefix_expression(input) };
    let first = chain(input, tighter)?;
    let mut others = Vec::new();
    loop {
        let end = input.checkpoint();
        space.parse_next(input)?;
        let operator = match expect_named("an operator", |input: &mut Input<'_>| {
            operator(input, level)
        })(input)
        {
            Ok(operator) => operator,
            Err(error @ ErrMode::Cut(_)) => return Err(error),
            Err(_) => {
                input.reset(&end);
                break;
            }
        };
        space.parse_next(input)?;
        match chain(input, tighter) {
            Ok(operand) => others.push((operator, operand)),
            // An operator without an operand is an error at the place of the operand.
            Err(ErrMode::Backtrack(error)) => return Err(ErrMode::Cut(error)),
            Err(other) => return Err(other),
        }
    }
    let is_single = others.is_empty();
    Ok(if is_single { first } else { BaseExpression::Chain(Box::new(first), others) })
}

fn operator(input: &mut Input<'_>, level: &[Operator]) -> Parsed<Operator> {
    let found = level.iter().find(|operator| remaining_text(input).starts_with(symbol(**operator)));
    match found {
        Some(operator) => {
            take(input, symbol(*operator).len());
            Ok(*operator)
        }
        None if remaining_text(input).starts_with('=')
            && !remaining_text(input).starts_with("==") =>
        {
            let at = input.current_token_start();
            refuse(input, at, "expected `==` to compare, found `=`".to_owned())
        }
        None => backtrack(),
    }
}

/// A value with `!` or `-` before it.
fn prefix_expression(input: &mut Input<'_>) -> Parsed<BaseExpression> {
    let wrap = match remaining_text(input).as_bytes().first() {
        Some(b'!') => BaseExpression::Not,
        Some(b'-') => BaseExpression::Negative,
        _ => return path(input),
    };
    take(input, 1);
    space.parse_next(input)?;
    parse_nested(prefix_expression)(input).map(|operand| wrap(Box::new(operand)))
}

/// A value and what follows it: `.name`, `[index]`, `.name(arguments)`.
fn path(input: &mut Input<'_>) -> Parsed<BaseExpression> {
    let at = input.current_token_start();
    let base = expect_named("a value", atom)(input)?;
    let mut steps: Vec<Access> = repeat(0.., preceded(space, step)).parse_next(input)?;
    let base = match base {
        BaseExpression::Name(name) if *name == *"formula" => formula(input, &mut steps, at)?,
        base => base,
    };
    Ok(if steps.is_empty() { base } else { BaseExpression::Path(Box::new(base), steps) })
}

/// The formula that the first step after `formula` names.
fn formula(input: &mut Input<'_>, steps: &mut Vec<Access>, at: usize) -> Parsed<BaseExpression> {
    let first = (!steps.is_empty()).then(|| steps.remove(0));
    if let Some(
        Access::Field { name, .. } | Access::Index(BaseExpression::Literal(Value::Text(name))),
    ) = first
    {
        return Ok(BaseExpression::Formula { name, at });
    }
    let reason = "expected the name of a formula after `formula`, such as `formula.price`";
    refuse(input, at, reason.to_owned())
}

fn step(input: &mut Input<'_>) -> Parsed<Access> {
    match remaining_text(input).as_bytes().first() {
        Some(b'.') => {
            (literal("."), space).void().parse_next(input)?;
            let at = input.current_token_start();
            let name = expect_named("a name", name).parse_next(input)?;
            Ok(match opt(arguments).parse_next(input)? {
                Some(arguments) => Access::Method(Call { name, arguments, at }),
                None => Access::Field { name, at },
            })
        }
        Some(b'[') => {
            let close = (space, expect_named("`]`", literal("]")));
            delimited(("[", space), expression, close).map(Access::Index).parse_next(input)
        }
        _ => backtrack(),
    }
}

/// `(a, b)`
fn arguments(input: &mut Input<'_>) -> Parsed<Vec<BaseExpression>> {
    let close = (space, expect_named("`)` or `,`", literal(")")));
    delimited((space, "(", space), expressions, close).parse_next(input)
}

/// Expressions with commas between.
fn expressions(input: &mut Input<'_>) -> Parsed<Vec<BaseExpression>> {
    separated(0.., expression, (space, ',', space)).parse_next(input)
}

fn atom(input: &mut Input<'_>) -> Parsed<BaseExpression> {
    alt((
        number.map(|number| BaseExpression::Literal(number.into())),
        text.map(|text| BaseExpression::Literal(Value::text(text))),
        regexp.map(|regexp| BaseExpression::Literal(Value::Regexp(regexp.into()))),
        list,
        object,
        delimited(("(", space), expression, (space, expect_named("`)`", literal(")")))),
        named_value,
    ))
    .parse_next(input)
}

/// A constant, a call of a function, or a name.
fn named_value(input: &mut Input<'_>) -> Parsed<BaseExpression> {
    let at = input.current_token_start();
    let name = name.parse_next(input)?;
    if let Some(arguments) = opt(arguments).parse_next(input)? {
        return Ok(BaseExpression::Call(Call { name, arguments, at }));
    }
    Ok(match &*name {
        "true" => BaseExpression::Literal(true.into()),
        "false" => BaseExpression::Literal(false.into()),
        "null" => BaseExpression::Literal(Value::Null),
        _ => BaseExpression::Name(name),
    })
}

fn name(input: &mut Input<'_>) -> Parsed<Name> {
    match name_length(remaining_text(input)) {
        0 => backtrack(),
        length => Ok(take(input, length).into()),
    }
}

fn list(input: &mut Input<'_>) -> Parsed<BaseExpression> {
    let close = (space, expect_named("`]` or `,`", literal("]")));
    delimited(("[", space), expressions, close).map(BaseExpression::List).parse_next(input)
}

fn object(input: &mut Input<'_>) -> Parsed<BaseExpression> {
    let key = alt((name, text.map(Name::from)));
    let field = separated_pair(key, (space, ':', space), expression);
    let fields = separated(0.., field, (space, ',', space));
    let close = (space, expect_named("`}` or `,`", literal("}")));
    delimited(("{", space), fields, close).map(BaseExpression::Object).parse_next(input)
}
