//! Functions of lists.

use super::arguments::Arguments;
use super::construct::text_of;
use super::tables::{Function, Type, function, null, on, same};
use crate::evaluation::context::{Context, Evaluated, Failure};
use crate::evaluation::limits::{check_count, check_length};
use crate::value::{Value, compare, plain_text, sort_order};
use Type::{Any, Lambda, List, Null, Number, Rest, Text};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "contains",
        &[
            on(&[List, Any], |it| {
                Ok(contains(&it.value(0), &it.value(1), it.context, Case::Exact).into())
            }),
            on(&[Any, Any], |it| {
                Ok(contains(&it.value(0), &it.value(1), it.context, Case::Exact).into())
            }),
        ],
        &[(2, &[1])],
    ),
    function(
        "icontains",
        &[on(&[Any, Any], |it| {
            Ok(contains(&it.value(0), &it.value(1), it.context, Case::Ignored).into())
        })],
        &[(2, &[1])],
    ),
    function(
        "econtains",
        &[
            on(&[List, Any], |it| {
                let sought = it.value(1);
                Ok(it
                    .list(0)
                    .iter()
                    .any(|value| compare(&sought, value, it.context).is_eq())
                    .into())
            }),
            on(&[Any, Any], |it| {
                Ok(contains(&it.value(0), &it.value(1), it.context, Case::Exact).into())
            }),
        ],
        &[(2, &[1])],
    ),
    function(
        "sort",
        &[
            on(&[List], |it| sorted(it, |value| Ok(value.clone()))),
            on(&[List, Lambda], |it| sorted(it, |value| it.call(1, std::slice::from_ref(value)))),
            same(&[Any]),
        ],
        &[],
    ),
    function(
        "reverse",
        &[
            on(&[List], |it| Ok(Value::list(it.list(0).iter().rev().cloned()))),
            on(&[Text], |it| Ok(Value::text(it.text(0).chars().rev().collect::<String>()))),
            same(&[Any]),
        ],
        &[],
    ),
    function(
        "nonnull",
        &[
            on(&[List], |it| {
                Ok(Value::list(it.list(0).iter().filter(|it| !it.is_null()).cloned()))
            }),
            on(&[Rest], |it| Ok(Value::list(it.values().filter(|value| !value.is_null())))),
        ],
        &[],
    ),
    function(
        "firstvalue",
        &[
            on(&[List], |it| {
                Ok(it.list(0).iter().find(|it| !it.is_null()).cloned().unwrap_or_default())
            }),
            null(&[Null]),
        ],
        &[],
    ),
    function(
        "all",
        &[
            on(&[List], |it| Ok(it.list(0).iter().all(Value::is_truthy).into())),
            on(&[List, Lambda], |it| Ok(first_match(it, false)?.is_none().into())),
            on(&[Rest], |it| Ok(it.values().all(|value| value.is_truthy()).into())),
        ],
        &[],
    ),
    function(
        "any",
        &[
            on(&[List], |it| Ok(it.list(0).iter().any(Value::is_truthy).into())),
            on(&[List, Lambda], |it| Ok(first_match(it, true)?.is_some().into())),
            on(&[Rest], |it| Ok(it.values().any(|value| value.is_truthy()).into())),
        ],
        &[],
    ),
    function(
        "none",
        &[
            on(&[List], |it| Ok((!it.list(0).iter().any(Value::is_truthy)).into())),
            on(&[List, Lambda], |it| Ok(first_match(it, true)?.is_none().into())),
            on(&[Rest], |it| Ok((!it.values().any(|value| value.is_truthy())).into())),
        ],
        &[],
    ),
    function(
        "join",
        &[
            on(&[List, Text], |it| joined(it, it.text(1))),
            on(&[List, Null], |it| joined(it, ", ")),
            on(&[Any, Text], |it| text_of(it, 0)),
            on(&[List], |it| joined(it, ", ")),
            on(&[Any], |it| text_of(it, 0)),
        ],
        &[(2, &[1])],
    ),
    function("filter", &[on(&[List, Lambda], filtered), null(&[Null, Any])], &[]),
    function("map", &[on(&[List, Lambda], mapped), null(&[Null, Any])], &[]),
    function(
        "flat",
        &[
            on(&[List], |it| flattened(it, 1.0)),
            on(&[List, Number], |it| flattened(it, it.number(1))),
            null(&[Null]),
        ],
        &[],
    ),
    function(
        "slice",
        &[
            same(&[List]),
            on(&[List, Number], |it| Ok(sliced(it.list(0), it.number(1), f64::INFINITY))),
            on(&[List, Number, Number], |it| Ok(sliced(it.list(0), it.number(1), it.number(2)))),
            null(&[Null]),
        ],
        &[],
    ),
    function("unique", &[on(&[List], |it| Ok(unique(it))), null(&[Null])], &[]),
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
fn sorted(arguments: &Arguments<'_>, key: impl Fn(&Value) -> Evaluated) -> Evaluated {
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

fn joined(arguments: &Arguments<'_>, separator: &str) -> Evaluated {
    let mut text = String::new();
    for (index, value) in arguments.list(0).iter().enumerate() {
        text.push_str(if index > 0 { separator } else { "" });
        text.push_str(&plain_text(value, arguments.context.rendering));
        check_length(text.len())?;
    }
    Ok(Value::Text(text.into()))
}

fn filtered(arguments: &Arguments<'_>) -> Evaluated {
    let mut kept = Vec::new();
    for value in arguments.list(0) {
        if arguments.call(1, std::slice::from_ref(value))?.is_truthy() {
            kept.push(value.clone());
        }
    }
    Ok(Value::list(kept))
}

fn mapped(arguments: &Arguments<'_>) -> Evaluated {
    let values = arguments.list(0).iter();
    let mapped = values.map(|value| arguments.call(1, std::slice::from_ref(value)));
    Ok(Value::List(mapped.collect::<Result<_, _>>()?))
}

fn flattened(arguments: &Arguments<'_>, levels: f64) -> Evaluated {
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
fn sliced(values: &[Value], start: f64, end: f64) -> Value {
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
