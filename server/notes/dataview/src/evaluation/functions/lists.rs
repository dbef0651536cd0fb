//! Functions of lists.

use super::arguments::Arguments;
use super::construct::text_argument;
use super::tables::{Function, Type, first_argument_variant, function, null_variant, variant};
use crate::evaluation::context::{Context, Evaluated, Failure};
use crate::evaluation::limits::{check_count, check_length};
use crate::value::{Value, compare, plain_text, sort_order};
use Type::{Any, Lambda, List, Null, Number, Rest, Text};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "contains",
        &[variant(&[Any, Any], |args| {
            Ok(contains(&args.value(0), &args.value(1), args.context, Case::Exact).into())
        })],
        &[(2, &[1])],
    ),
    function(
        "icontains",
        &[variant(&[Any, Any], |args| {
            Ok(contains(&args.value(0), &args.value(1), args.context, Case::Ignored).into())
        })],
        &[(2, &[1])],
    ),
    function(
        "econtains",
        &[
            variant(&[List, Any], |args| {
                let sought = args.value(1);
                Ok(args
                    .list(0)
                    .iter()
                    .any(|value| compare(&sought, value, args.context).is_eq())
                    .into())
            }),
            variant(&[Any, Any], |args| {
                Ok(contains(&args.value(0), &args.value(1), args.context, Case::Exact).into())
            }),
        ],
        &[(2, &[1])],
    ),
    function(
        "sort",
        &[
            variant(&[List], |args| sort(args, |value| Ok(value.clone()))),
            variant(&[List, Lambda], |args| {
                sort(args, |value| args.call(1, std::slice::from_ref(value)))
            }),
            first_argument_variant(&[Any]),
        ],
        &[],
    ),
    function(
        "reverse",
        &[
            variant(&[List], |args| Ok(Value::list(args.list(0).iter().rev().cloned()))),
            variant(&[Text], |args| {
                Ok(Value::text(args.text(0).chars().rev().collect::<String>()))
            }),
            first_argument_variant(&[Any]),
        ],
        &[],
    ),
    function(
        "nonnull",
        &[
            variant(&[List], |args| {
                Ok(Value::list(args.list(0).iter().filter(|value| !value.is_null()).cloned()))
            }),
            variant(&[Rest], |args| {
                Ok(Value::list(args.values().filter(|value| !value.is_null())))
            }),
        ],
        &[],
    ),
    function(
        "firstvalue",
        &[
            variant(&[List], |args| {
                Ok(args.list(0).iter().find(|value| !value.is_null()).cloned().unwrap_or_default())
            }),
            null_variant(&[Null]),
        ],
        &[],
    ),
    function(
        "all",
        &[
            variant(&[List], |args| Ok(args.list(0).iter().all(Value::is_truthy).into())),
            variant(&[List, Lambda], |args| Ok(first_match(args, false)?.is_none().into())),
            variant(&[Rest], |args| Ok(args.values().all(|value| value.is_truthy()).into())),
        ],
        &[],
    ),
    function(
        "any",
        &[
            variant(&[List], |args| Ok(args.list(0).iter().any(Value::is_truthy).into())),
            variant(&[List, Lambda], |args| Ok(first_match(args, true)?.is_some().into())),
            variant(&[Rest], |args| Ok(args.values().any(|value| value.is_truthy()).into())),
        ],
        &[],
    ),
    function(
        "none",
        &[
            variant(&[List], |args| Ok((!args.list(0).iter().any(Value::is_truthy)).into())),
            variant(&[List, Lambda], |args| Ok(first_match(args, true)?.is_none().into())),
            variant(&[Rest], |args| Ok((!args.values().any(|value| value.is_truthy())).into())),
        ],
        &[],
    ),
    function(
        "join",
        &[
            variant(&[List, Text], |args| join(args, args.text(1))),
            variant(&[List, Null], |args| join(args, ", ")),
            variant(&[Any, Text], |args| text_argument(args, 0)),
            variant(&[List], |args| join(args, ", ")),
            variant(&[Any], |args| text_argument(args, 0)),
        ],
        &[(2, &[1])],
    ),
    function("filter", &[variant(&[List, Lambda], filter), null_variant(&[Null, Any])], &[]),
    function("map", &[variant(&[List, Lambda], map), null_variant(&[Null, Any])], &[]),
    function(
        "flat",
        &[
            variant(&[List], |args| flatten(args, 1.0)),
            variant(&[List, Number], |args| flatten(args, args.number(1))),
            null_variant(&[Null]),
        ],
        &[],
    ),
    function(
        "slice",
        &[
            first_argument_variant(&[List]),
            variant(&[List, Number], |args| Ok(slice(args.list(0), args.number(1), f64::INFINITY))),
            variant(&[List, Number, Number], |args| {
                Ok(slice(args.list(0), args.number(1), args.number(2)))
            }),
            null_variant(&[Null]),
        ],
        &[],
    ),
    function("unique", &[variant(&[List], |args| Ok(unique(args))), null_variant(&[Null])], &[]),
];

/// Whether upper and lower case differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Exact,
    Ignored,
}

/// Whether a list has a value somewhere inside, a text has a text, or an object has a field.
fn contains(value: &Value, sought: &Value, context: &Context<'_>, case: Case) -> bool {
    match (value, sought) {
        (Value::List(values), _) => {
            values.iter().any(|value| contains(value, sought, context, case))
        }
        (Value::Text(text), Value::Text(sought)) => match case {
            Case::Exact => text.contains(&**sought),
            Case::Ignored => text.to_lowercase().contains(&sought.to_lowercase()),
        },
        (Value::Object(object), Value::Text(name)) => object.has(name),
        (value, sought) => compare(value, sought, context).is_eq(),
    }
}

/// The list in the order of keys; equal ones keep their order.
fn sort(arguments: &Arguments<'_>, key: impl Fn(&Value) -> Evaluated) -> Evaluated {
    let keyed = arguments.list(0).iter().map(|value| Ok((key(value)?, value.clone())));
    let mut keyed: Vec<(Value, Value)> = keyed.collect::<Result<_, Failure>>()?;
    keyed.sort_by(|(a, _), (b, _)| sort_order(a, b, arguments.context));
    Ok(Value::list(keyed.into_iter().map(|(_, value)| value)))
}

/// The first value for which the lambda is true, or is not.
fn first_match<'a>(arguments: &Arguments<'a>, sought: bool) -> Result<Option<&'a Value>, Failure> {
    for value in arguments.list(0) {
        if arguments.call(1, std::slice::from_ref(value))?.is_truthy() == sought {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

fn join(arguments: &Arguments<'_>, separator: &str) -> Evaluated {
    let mut text = String::new();
    for (index, value) in arguments.list(0).iter().enumerate() {
        text.push_str(if index > 0 { separator } else { "" });
        text.push_str(&plain_text(value, arguments.context.rendering));
        check_length(text.len())?;
    }
    Ok(Value::Text(text.into()))
}

fn filter(arguments: &Arguments<'_>) -> Evaluated {
    let mut kept = Vec::new();
    for value in arguments.list(0) {
        if arguments.call(1, std::slice::from_ref(value))?.is_truthy() {
            kept.push(value.clone());
        }
    }
    Ok(Value::list(kept))
}

fn map(arguments: &Arguments<'_>) -> Evaluated {
    let values = arguments.list(0).iter();
    let mapped = values.map(|value| arguments.call(1, std::slice::from_ref(value)));
    Ok(Value::List(mapped.collect::<Result<_, _>>()?))
}

fn flatten(arguments: &Arguments<'_>, levels: f64) -> Evaluated {
    fn collect(values: &[Value], levels: f64, flat: &mut Vec<Value>) -> Result<(), Failure> {
        for value in values {
            match value {
                Value::List(inner) if levels >= 1.0 => collect(inner, levels - 1.0, flat)?,
                value => flat.push(value.clone()),
            }
            check_count(flat.len())?;
        }
        Ok(())
    }
    let mut flat = Vec::new();
    collect(arguments.list(0), levels, &mut flat)?;
    Ok(Value::list(flat))
}

/// The values from one position up to another. Negative positions count from the end.
fn slice(values: &[Value], start: f64, end: f64) -> Value {
    let length = values.len();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and is limited to the length"
    )]
    let position = |at: f64| {
        if at < 0.0 {
            length.saturating_sub(-at.trunc() as usize)
        } else {
            (at as usize).min(length)
        }
    };
    Value::list(values.get(position(start)..position(end)).unwrap_or_default().iter().cloned())
}

/// The list in order and without repetitions.
fn unique(arguments: &Arguments<'_>) -> Value {
    let mut values = arguments.list(0).to_vec();
    values.sort_by(|a, b| sort_order(a, b, arguments.context));
    values.dedup_by(|later, first| compare(first, later, arguments.context).is_eq());
    Value::list(values)
}
