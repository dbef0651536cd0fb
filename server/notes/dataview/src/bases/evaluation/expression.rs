//! The value of an expression for a file.

use super::context::{FileRow, ViewContext};
use super::functions::{LazyArguments, call_function, call_method, call_regexp_method};
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

pub(in crate::bases) fn evaluate(
    expression: &BaseExpression,
    row: &FileRow,
    context: &ViewContext<'_>,
) -> Evaluated {
    evaluate_in_scope(expression, FileScope { row, locals: None }, context)
}

/// The value of a property for a file.
pub(in crate::bases) fn evaluate_property(
    property: &Property,
    row: &FileRow,
    context: &ViewContext<'_>,
) -> Evaluated {
    match property {
        Property::File(name) => Ok(row.file.get(name).unwrap_or_default()),
        Property::Note(name) => Ok(row.file.property(name)),
        Property::Formula(name) => evaluate_formula(name, row, context),
    }
}

fn evaluate_in_scope(
    expression: &BaseExpression,
    scope: FileScope<'_>,
    context: &ViewContext<'_>,
) -> Evaluated {
    context.evaluate_nested(|| match expression {
        BaseExpression::Literal(value) => Ok(value.clone()),
        BaseExpression::Regexp(_) => Err(Failure::row(
            "a regular expression can only be used with `matches`, `replace` and `split`",
        )),
        BaseExpression::Name(name) => Ok(scope.get(name, context)),
        BaseExpression::Formula { name, .. } => evaluate_formula(name, scope.row, context),
        BaseExpression::Not(operand) => {
            Ok((!evaluate_in_scope(operand, scope, context)?.is_truthy()).into())
        }
        BaseExpression::Negative(operand) => match evaluate_in_scope(operand, scope, context)? {
            Value::Number(number) => Ok((-number).into()),
            Value::Null => Ok(Value::Null),
            other => Err(Failure::row(format!("`-` does not apply to {}", other.type_name()))),
        },
        BaseExpression::Chain(first, others) => evaluate_chain(first, others, scope, context),
        BaseExpression::List(values) => {
            let values = values.iter().map(|part| evaluate_in_scope(part, scope, context));
            context.list(values.collect::<Result<_, _>>()?)
        }
        BaseExpression::Object(fields) => {
            let field = |(name, part): &(Name, BaseExpression)| {
                Ok((name.clone(), evaluate_in_scope(part, scope, context)?))
            };
            context.object(fields.iter().map(field).collect::<Result<_, _>>()?)
        }
        BaseExpression::Call(call) => {
            call_with(call, scope, context, |arguments| call_function(&call.name, arguments))
        }
        BaseExpression::Path(base, steps) => evaluate_path(base, steps, scope, context),
    })
}

fn evaluate_formula(name: &str, row: &FileRow, context: &ViewContext<'_>) -> Evaluated {
    let Some((index, _, expression)) = context.formulas.get_full(name) else {
        return Ok(Value::Null);
    };
    row.formulas[index].get_or_init(|| evaluate(expression, row, context)).clone()
}

/// Operators of one precedence. `&&` and `||` evaluate only as much as they need.
fn evaluate_chain(
    first: &BaseExpression,
    others: &[(Operator, BaseExpression)],
    scope: FileScope<'_>,
    context: &ViewContext<'_>,
) -> Evaluated {
    let mut result = evaluate_in_scope(first, scope, context)?;
    for (operator, operand) in others {
        let is_decided = match operator {
            Operator::And => !result.is_truthy(),
            Operator::Or => result.is_truthy(),
            _ => false,
        };
        result = if is_decided {
            result.is_truthy().into()
        } else {
            apply(*operator, &result, &evaluate_in_scope(operand, scope, context)?, context)?
        };
    }
    Ok(result)
}

fn evaluate_path(
    base: &BaseExpression,
    steps: &[Access],
    scope: FileScope<'_>,
    context: &ViewContext<'_>,
) -> Evaluated {
    let (mut result, rest) = match (base, steps) {
        (BaseExpression::Regexp(regexp), [Access::Method(call), rest @ ..]) => {
            let matches = |args: &LazyArguments<'_>| call_regexp_method(regexp, &call.name, args);
            (call_with(call, scope, context, matches)?, rest)
        }
        _ => (evaluate_in_scope(base, scope, context)?, steps),
    };
    for step in rest {
        context.budget.step()?;
        result = match step {
            Access::Field { name, .. } => get_field(&result, name),
            Access::Index(index) => match (evaluate_in_scope(index, scope, context)?, result) {
                (Value::Text(name), result) => get_field(&result, &name),
                (Value::Number(at), Value::List(values)) => {
                    get_element(&values, at).cloned().unwrap_or_default()
                }
                _ => Value::Null,
            },
            Access::Method(call) => {
                call_with(call, scope, context, |args| call_method(&result, &call.name, args))?
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
        evaluate_in_scope(expression, FileScope { row: scope.row, locals: Some(&locals) }, context)
    };
    let (expressions, file) = (&call.arguments[..], &scope.row.file);
    run(&LazyArguments { expressions, file, context, evaluate: &evaluate })
}

/// A field of a value; null if it has none of this name.
fn get_field(value: &Value, name: &str) -> Value {
    let count = |count: usize| Value::Number(u32::try_from(count).map_or(f64::MAX, f64::from));
    match (value, name) {
        (Value::Object(object), name) => object.get(name).unwrap_or_default(),
        (Value::Text(text), "length") => count(text.chars().count()),
        (Value::List(values), "length") => count(values.len()),
        (Value::Date(date), name) => date_part(date, name),
        _ => Value::Null,
    }
}

fn get_element(values: &[Value], at: f64) -> Option<&Value> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    let index = (at >= 0.0 && at.fract() == 0.0).then_some(at as usize)?;
    values.get(index)
}
