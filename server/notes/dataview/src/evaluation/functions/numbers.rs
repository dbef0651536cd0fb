//! Functions that reduce several values to one.

use super::arguments::Arguments;
use super::construct::count_value;
use super::tables::{Function, Type, first_argument_variant, function, null_variant, variant};
use crate::evaluation::context::{Context, Evaluated, Failure};
use crate::evaluation::operators::apply;
use crate::operator::Operator;
use crate::value::{Object, Value, compare};
use Type::{Any, Lambda, List, Null, Rest, Text};

pub(super) const FUNCTIONS: &[Function] = &[
    function("min", &[variant(&[Rest], |args| Ok(extreme(args, false)))], &[]),
    function("max", &[variant(&[Rest], |args| Ok(extreme(args, true)))], &[]),
    function(
        "minby",
        &[variant(&[List, Lambda], |args| extreme_by(args, false)), null_variant(&[Null, Lambda])],
        &[],
    ),
    function(
        "maxby",
        &[variant(&[List, Lambda], |args| extreme_by(args, true)), null_variant(&[Null, Lambda])],
        &[],
    ),
    function(
        "reduce",
        &[
            variant(&[List, Text], |args| reduce(args.list(0), args.text(1), args.context)),
            variant(&[List, Lambda], reduce_by),
            null_variant(&[Null, Any]),
            null_variant(&[Any, Null]),
        ],
        &[(2, &[1])],
    ),
    function(
        "sum",
        &[
            variant(&[List], |args| reduce(args.list(0), "+", args.context)),
            first_argument_variant(&[Any]),
        ],
        &[],
    ),
    function(
        "product",
        &[
            variant(&[List], |args| reduce(args.list(0), "*", args.context)),
            first_argument_variant(&[Any]),
        ],
        &[],
    ),
    function("average", &[variant(&[List], average), first_argument_variant(&[Any])], &[]),
];

/// The least or the greatest of the arguments, or of the only one if that is a list. Null is left out.
fn extreme(arguments: &Arguments<'_>, greatest: bool) -> Value {
    let values: Vec<Value> = match arguments.len() {
        1 => match arguments.value(0) {
            Value::List(values) => values.to_vec(),
            other => vec![other],
        },
        _ => arguments.values().collect(),
    };
    let context = arguments.context;
    let better = |known: Value, next: Value| {
        let keeps = next.is_null()
            || (!known.is_null() && compare(&known, &next, context).is_gt() == greatest);
        if keeps { known } else { next }
    };
    values.into_iter().reduce(better).unwrap_or_default()
}

/// The value for which a lambda is least or greatest.
fn extreme_by(arguments: &Arguments<'_>, greatest: bool) -> Evaluated {
    let values = arguments.list(0);
    let mut best: Option<(&Value, Value)> = None;
    for value in values {
        let key = arguments.call(1, std::slice::from_ref(value))?;
        let keeps = key.is_null()
            || best.as_ref().is_some_and(|(_, known)| {
                compare(known, &key, arguments.context).is_gt() == greatest
            });
        if !keeps {
            best = Some((value, key));
        }
    }
    Ok(best.map(|(value, _)| value).or_else(|| values.first()).cloned().unwrap_or_default())
}

/// A list with an operator between its values; null if it is empty.
fn reduce(values: &[Value], operator: &str, context: &Context<'_>) -> Evaluated {
    let operator = match operator {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "&" => Operator::And,
        "|" => Operator::Or,
        other => {
            let reason = format!("`reduce` takes `+`, `-`, `*`, `/`, `&` or `|`, not `{other}`");
            return if values.is_empty() { Ok(Value::Null) } else { Err(Failure::row(reason)) };
        }
    };
    let Some((first, rest)) = values.split_first() else { return Ok(Value::Null) };
    let mut result = first.clone();
    for value in rest {
        context.budget.step()?;
        result = apply(operator, &result, value, context)?;
    }
    Ok(result)
}

/// How deeply the result of a lambda may be nested.
const DEPTH_LIMIT: usize = 256;
/// After how many values of a list the depth is checked.
const DEPTH_CHECK: usize = 4;

/// A list reduced by a lambda. Null in the list is left out.
fn reduce_by(arguments: &Arguments<'_>) -> Evaluated {
    let Some((first, rest)) = arguments.list(0).split_first() else { return Ok(Value::Null) };
    let mut result = first.clone();
    let present = rest.iter().filter(|value| !value.is_null());
    for (index, value) in present.enumerate() {
        result = arguments.call(1, &[result, value.clone()])?;
        if index % DEPTH_CHECK == 0 {
            check_depth(&result, 0, arguments.context)?;
        }
    }
    Ok(result)
}

/// Fails if lists and objects are nested too deeply to be handled.
fn check_depth(value: &Value, depth: usize, context: &Context<'_>) -> Result<(), Failure> {
    if depth > DEPTH_LIMIT {
        return Err(Failure::row("lists and objects are nested too deeply"));
    }
    context.budget.step()?;
    match value {
        Value::List(values) => {
            values.iter().try_for_each(|value| check_depth(value, depth + 1, context))
        }
        Value::Object(Object::Map(map)) => {
            map.values().try_for_each(|value| check_depth(value, depth + 1, context))
        }
        _ => Ok(()),
    }
}

fn average(arguments: &Arguments<'_>) -> Evaluated {
    let values = arguments.list(0);
    let sum = reduce(values, "+", arguments.context)?;
    if sum.is_null() {
        return Ok(Value::Null);
    }
    apply(Operator::Divide, &sum, &count_value(values.len()), arguments.context)
}
