//! The value of an expression for a row.

use super::context::{Context, Evaluated, Failure};
use super::functions::{self, Argument};
use super::index::index;
use super::operators::apply;
use crate::syntax::{Expression, Lambda, Step};
use crate::value::{Name, Object, Value};

/// The fields that an expression can name.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    row: &'a Object,
    locals: Option<&'a Locals<'a>>,
}

/// The parameters of a lambda.
struct Locals<'a> {
    names: &'a [Name],
    values: &'a [Value],
    outer: Option<&'a Locals<'a>>,
}

impl<'a> Scope<'a> {
    /// The fields of a row.
    pub(crate) fn from_row(row: &'a Object) -> Self {
        Self { row, locals: None }
    }

    fn get(&self, name: &str, context: &Context<'_>) -> Value {
        let mut locals = self.locals;
        while let Some(Locals { names, values, outer }) = locals {
            let known = names.iter().zip(*values).rev().find(|(known, _)| ***known == *name);
            if let Some((_, value)) = known {
                return value.clone();
            }
            locals = *outer;
        }
        match self.row.get(name) {
            Some(value) => value,
            None if name == "this" => Value::Object(context.this.clone()),
            None => Value::Null,
        }
    }
}

pub(crate) fn evaluate(
    expression: &Expression,
    scope: &Scope<'_>,
    context: &Context<'_>,
) -> Evaluated {
    match expression {
        Expression::Literal(value) => Ok(value.clone()),
        Expression::Variable(name) => Ok(scope.get(name, context)),
        Expression::Not(operand) => {
            Ok(Value::Boolean(!evaluate(operand, scope, context)?.is_truthy()))
        }
        Expression::Chain(chain) => {
            let mut value = evaluate(&chain.first, scope, context)?;
            for (operator, operand) in &chain.rest {
                let operand = evaluate(operand, scope, context)?;
                value = apply(*operator, &value, &operand, context)?;
            }
            Ok(value)
        }
        Expression::List(values) => {
            let values = values.iter().map(|value| evaluate(value, scope, context));
            Ok(Value::List(values.collect::<Result<_, _>>()?))
        }
        Expression::Object(fields) => {
            let field = |(name, value): &(Name, Expression)| {
                Ok((name.clone(), evaluate(value, scope, context)?))
            };
            Ok(Value::map(fields.iter().map(field).collect::<Result<_, _>>()?))
        }
        Expression::Path(base, steps) => evaluate_path(base, steps, scope, context),
        Expression::Lambda(_) => {
            Err(Failure::row("a lambda can only be called, or be an argument of a function"))
        }
    }
}

fn evaluate_path(
    base: &Expression,
    steps: &[Step],
    scope: &Scope<'_>,
    context: &Context<'_>,
) -> Evaluated {
    context.budget.step()?;
    let (mut value, rest) = match (base, steps) {
        (Expression::Variable(name), [Step::Call { arguments, .. }, rest @ ..]) => {
            (call_function(name, arguments, scope, context)?, rest)
        }
        (Expression::Lambda(lambda), [Step::Call { .. }, ..]) => {
            call_lambda(lambda, steps, scope, (scope.locals, context))?
        }
        // `row.name` is the field with that name, also if it is a keyword.
        (Expression::Variable(name), [Step::Index(key), rest @ ..]) if **name == *"row" => {
            let value = match evaluate(key, scope, context)? {
                Value::Text(name) => scope.get(&name, context),
                Value::Null => Value::Null,
                _ => return Err(Failure::row("`row` is indexed with a text")),
            };
            (value, rest)
        }
        _ => (evaluate(base, scope, context)?, steps),
    };
    for step in rest {
        value = match step {
            Step::Index(key) => index(&value, &evaluate(key, scope, context)?, context)?,
            Step::Call { .. } => {
                return Err(Failure::row(format!("{} is not a function", value.type_name())));
            }
        };
    }
    Ok(value)
}

/// Calls a lambda that is written where it is called, and the lambda that it returns if that is called, too. Arguments are in
/// the scope of the call, and the body is in that of the lambda. Returns the value, and the steps that follow.
fn call_lambda<'s>(
    lambda: &Lambda,
    steps: &'s [Step],
    scope: &Scope<'_>,
    (outer, context): (Option<&Locals<'_>>, &Context<'_>),
) -> Result<(Value, &'s [Step]), Failure> {
    let [Step::Call { arguments, .. }, rest @ ..] = steps else {
        return Err(Failure::row("a lambda is not called"));
    };
    context.budget.step()?;
    let values = arguments.iter().map(|argument| evaluate(argument, scope, context));
    let values: Vec<Value> = values.collect::<Result<_, _>>()?;
    let given = lambda.parameters.len().min(values.len());
    let (names, values) = (&lambda.parameters[..given], &values[..given]);
    let locals = Locals { names, values, outer };
    match (&lambda.body, rest) {
        (Expression::Lambda(returned), [Step::Call { .. }, ..]) => {
            call_lambda(returned, rest, scope, (Some(&locals), context))
        }
        (body, _) => {
            let value = evaluate(body, &Scope { row: scope.row, locals: Some(&locals) }, context)?;
            Ok((value, rest))
        }
    }
}

fn call_function(
    name: &str,
    arguments: &[Expression],
    scope: &Scope<'_>,
    context: &Context<'_>,
) -> Evaluated {
    let run = |lambda: &Lambda, values: &[Value]| {
        let given = lambda.parameters.len().min(values.len());
        let (names, values) = (&lambda.parameters[..given], &values[..given]);
        let locals = Locals { names, values, outer: scope.locals };
        context.budget.step()?;
        evaluate(&lambda.body, &Scope { row: scope.row, locals: Some(&locals) }, context)
    };
    let lambdas: Vec<_> = arguments
        .iter()
        .map(|argument| match argument {
            Expression::Lambda(lambda) => Some(move |values: &[Value]| run(lambda, values)),
            _ => None,
        })
        .collect();
    let evaluated = arguments.iter().zip(&lambdas).map(|(argument, lambda)| match lambda {
        Some(lambda) => Ok(Argument::Lambda(lambda)),
        None => evaluate(argument, scope, context).map(Argument::Value),
    });
    functions::call(name, &evaluated.collect::<Result<Vec<_>, _>>()?, context)
}
