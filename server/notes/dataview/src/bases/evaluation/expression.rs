//! The value of an expression for a file.

use super::context::{FileRow, ViewContext};
use super::conversion::as_text;
use super::durations::total;
use super::functions::{LazyArguments, call_function, call_method};
use super::operators::{apply, negate};
use crate::bases::names;
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
        Property::Unknown { reason, .. } => Err(Failure::row(&**reason)),
    }
}

/// The value of a summary: an expression that uses `values`.
pub(in crate::bases) fn evaluate_with_values(
    expression: &BaseExpression,
    values: Value,
    row: &FileRow,
    context: &ViewContext<'_>,
) -> Evaluated {
    let locals = ElementVariables { variables: &[("values", values)], outer: None };
    evaluate_in_scope(expression, FileScope { row, locals: Some(&locals) }, context)
}

fn evaluate_in_scope(
    expression: &BaseExpression,
    scope: FileScope<'_>,
    context: &ViewContext<'_>,
) -> Evaluated {
    context.evaluate_nested(|| match expression {
        BaseExpression::Literal(value) => Ok(value.clone()),
        BaseExpression::Invalid(reason) => Err(Failure::row(&**reason)),
        BaseExpression::Name(name) => Ok(scope.get(name, context)),
        BaseExpression::Formula { name, .. } => evaluate_formula(name, scope.row, context),
        BaseExpression::Not(operand) => {
            Ok((!evaluate_in_scope(operand, scope, context)?.is_truthy()).into())
        }
        BaseExpression::Negative(operand) => negate(&evaluate_in_scope(operand, scope, context)?),
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
    let Some((index, expression)) = names::get(context.formulas, name) else {
        return Err(Failure::row(format!("there is no formula `{name}`")));
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
    let mut result = evaluate_in_scope(base, scope, context)?;
    for step in steps {
        context.budget.step()?;
        result = match step {
            Access::Field { name, .. } => get_field(&result, name),
            Access::Index(index) => match (evaluate_in_scope(index, scope, context)?, result) {
                (Value::Number(at), Value::List(values)) => {
                    get_element(&values, at).cloned().unwrap_or_default()
                }
                (name, result) => {
                    as_text(&name).map_or(Value::Null, |name| get_field(&result, &name))
                }
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
        (Value::Object(Object::Map(map)), name) => {
            names::get(map, name).map(|(_, value)| value.clone()).unwrap_or_default()
        }
        (Value::Object(object), name) => object.get(name).unwrap_or_default(),
        (Value::List(values), "length") => count(values.len()),
        (Value::Date(date), name) => date_part(date, name),
        (Value::Duration(duration), name) => total(**duration, name),
        (value, "length") => as_text(value).map_or(Value::Null, |text| count(text.chars().count())),
        _ => Value::Null,
    }
}

fn get_element(values: &[Value], at: f64) -> Option<&Value> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    let index = (at >= 0.0 && at.fract() == 0.0).then_some(at as usize)?;
    values.get(index)
}
