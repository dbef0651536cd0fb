//! The value of an expression for a file.

use super::context::{FileRow, ViewContext};
use super::functions::{LazyArguments, call_function, call_method, matches};
use super::operators::apply;
use crate::bases::property::Property;
use crate::bases::syntax::{Access, BaseExpression, Call};
use crate::evaluation::{Evaluated, Failure, date_part};
use crate::operator::Operator;
use crate::value::{Name, Object, Record as _, Value};

/// The names that an expression can use.
#[derive(Clone, Copy)]
struct FileScope<'a> {
    row: &'a FileRow,
    locals: Option<&'a ElementVariables<'a>>,
}

/// The variables of a function that evaluates its argument for each value of a list.
struct ElementVariables<'a> {
    variables: &'a [(&'static str, Value)],
    outer: Option<&'a ElementVariables<'a>>,
}

impl FileScope<'_> {
    fn get(&self, name: &str, context: &ViewContext<'_>) -> Value {
        let mut locals = self.locals;
        while let Some(ElementVariables { variables, outer }) = locals {
            if let Some((_, value)) = variables.iter().find(|(known, _)| *known == name) {
                return value.clone();
            }
            locals = *outer;
        }
        match name {
            "file" => self.row.file.clone().value(),
            "note" => Value::Object(Object::Map(self.row.file.properties())),
            "this" => context.this.clone(),
            name => self.row.file.property(name),
        }
    }
}

/// Evaluates an expression for a file.
pub(in crate::bases) fn evaluate(
    expression: &BaseExpression,
    row: &FileRow,
    context: &ViewContext<'_>,
) -> Evaluated {
    value(expression, FileScope { row, locals: None }, context)
}

/// The value of a property for a file.
pub(in crate::bases) fn property(
    property: &Property,
    row: &FileRow,
    context: &ViewContext<'_>,
) -> Evaluated {
    match property {
        Property::File(name) => Ok(row.file.get(name).unwrap_or_default()),
        Property::Note(name) => Ok(row.file.property(name)),
        Property::Formula(name) => formula(name, row, context),
    }
}

fn value(
    expression: &BaseExpression,
    scope: FileScope<'_>,
    context: &ViewContext<'_>,
) -> Evaluated {
    context.nested(|| match expression {
        BaseExpression::Literal(value) => Ok(value.clone()),
        BaseExpression::Regexp(_) => Err(Failure::row(
            "a regular expression can only be used with `matches`, `replace` and `split`",
        )),
        BaseExpression::Name(name) => Ok(scope.get(name, context)),
        BaseExpression::Formula { name, .. } => formula(name, scope.row, context),
        BaseExpression::Not(operand) => Ok((!value(operand, scope, context)?.is_truthy()).into()),
        BaseExpression::Negative(operand) => match value(operand, scope, context)? {
            Value::Number(number) => Ok((-number).into()),
            Value::Null => Ok(Value::Null),
            other => Err(Failure::row(format!("`-` does not apply to {}", other.type_name()))),
        },
        BaseExpression::Chain(first, others) => chain(first, others, scope, context),
        BaseExpression::List(values) => {
            let values = values.iter().map(|part| value(part, scope, context));
            context.list(values.collect::<Result<_, _>>()?)
        }
        BaseExpression::Object(fields) => {
            let field = |(name, part): &(Name, BaseExpression)| {
                Ok((name.clone(), value(part, scope, context)?))
            };
            context.object(fields.iter().map(field).collect::<Result<_, _>>()?)
        }
        BaseExpression::Call(call) => {
            call_with(call, scope, context, |arguments| call_function(&call.name, arguments))
        }
        BaseExpression::Path(base, steps) => path(base, steps, scope, context),
    })
}

fn formula(name: &str, row: &FileRow, context: &ViewContext<'_>) -> Evaluated {
    let Some((index, _, expression)) = context.formulas.get_full(name) else {
        return Ok(Value::Null);
    };
    row.formulas[index].get_or_init(|| evaluate(expression, row, context)).clone()
}

/// Operators of one precedence. `&&` and `||` evaluate only as much as they need.
fn chain(
    first: &BaseExpression,
    others: &[(Operator, BaseExpression)],
    scope: FileScope<'_>,
    context: &ViewContext<'_>,
) -> Evaluated {
    let mut result = value(first, scope, context)?;
    for (operator, operand) in others {
        let is_decided = match operator {
            Operator::And => !result.is_truthy(),
            Operator::Or => result.is_truthy(),
            _ => false,
        };
        result = if is_decided {
            result.is_truthy().into()
        } else {
            apply(*operator, &result, &value(operand, scope, context)?, context)?
        };
    }
    Ok(result)
}

fn path(
    base: &BaseExpression,
    steps: &[Access],
    scope: FileScope<'_>,
    context: &ViewContext<'_>,
) -> Evaluated {
    let (mut result, rest) = match (base, steps) {
        (BaseExpression::Regexp(regexp), [Access::Method(call), rest @ ..]) => {
            let matches = |it: &LazyArguments<'_>| matches(regexp, &call.name, it);
            (call_with(call, scope, context, matches)?, rest)
        }
        _ => (value(base, scope, context)?, steps),
    };
    for step in rest {
        context.budget.step()?;
        result = match step {
            Access::Field { name, .. } => field(&result, name),
            Access::Index(index) => match (value(index, scope, context)?, result) {
                (Value::Text(name), result) => field(&result, &name),
                (Value::Number(at), Value::List(values)) => {
                    element(&values, at).cloned().unwrap_or_default()
                }
                _ => Value::Null,
            },
            Access::Method(call) => {
                call_with(call, scope, context, |it| call_method(&result, &call.name, it))?
            }
        };
    }
    Ok(result)
}

/// Runs a function with the arguments of a call.
fn call_with(
    call: &Call,
    scope: FileScope<'_>,
    context: &ViewContext<'_>,
    run: impl FnOnce(&LazyArguments<'_>) -> Evaluated,
) -> Evaluated {
    let evaluate = |expression: &BaseExpression, variables: &[(&'static str, Value)]| {
        let locals = ElementVariables { variables, outer: scope.locals };
        value(expression, FileScope { row: scope.row, locals: Some(&locals) }, context)
    };
    let (expressions, file) = (&call.arguments[..], &scope.row.file);
    run(&LazyArguments { expressions, file, context, evaluate: &evaluate })
}

/// A field of a value; null if it has none of this name.
fn field(value: &Value, name: &str) -> Value {
    let count = |count: usize| Value::Number(u32::try_from(count).map_or(f64::MAX, f64::from));
    match (value, name) {
        (Value::Object(object), name) => object.get(name).unwrap_or_default(),
        (Value::Text(text), "length") => count(text.chars().count()),
        (Value::List(values), "length") => count(values.len()),
        (Value::Date(date), name) => date_part(date, name),
        _ => Value::Null,
    }
}

fn element(values: &[Value], at: f64) -> Option<&Value> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    let index = (at >= 0.0 && at.fract() == 0.0).then_some(at as usize)?;
    values.get(index)
}
