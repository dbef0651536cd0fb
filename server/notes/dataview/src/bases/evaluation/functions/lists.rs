//! Methods of lists.

use super::{LazyArguments, Method, method};
use crate::bases::evaluation::conversion::text;
use crate::bases::evaluation::equality::{are_equal, contains};
use crate::bases::statistics::{mean, median, numbers_in, standard_deviation};
use crate::evaluation::{Failure, check_count, check_length};
use crate::value::{UnresolvedPaths, Value, sort_order};

pub(super) const METHODS: &[Method<[Value]>] = &[
    method(
        "contains",
        1,
        1,
        |list, args| Ok(contains(list, &args.value(0)?, args.context)?.into()),
    ),
    method("containsAll", 1, usize::MAX, |list, args| {
        let mut all = true;
        for value in wanted(args)? {
            all = all && contains(list, &value, args.context)?;
        }
        Ok(all.into())
    }),
    method("containsAny", 1, usize::MAX, |list, args| {
        let mut any = false;
        for value in wanted(args)? {
            any = any || contains(list, &value, args.context)?;
        }
        Ok(any.into())
    }),
    method("filter", 1, 1, |list, args| {
        let mut kept = Vec::new();
        for (index, value) in list.iter().enumerate() {
            if args.evaluate_with(0, &[("value", value.clone()), position(index)])?.is_truthy() {
                kept.push(value.clone());
            }
        }
        args.context.list(kept)
    }),
    method("map", 1, 1, |list, args| {
        let each = list.iter().enumerate();
        let mapped = each.map(|(index, value)| {
            args.evaluate_with(0, &[("value", value.clone()), position(index)])
        });
        args.context.list(mapped.collect::<Result<_, _>>()?)
    }),
    method("reduce", 1, 2, |list, args| {
        let mut acc = args.value(1)?;
        for (index, value) in list.iter().enumerate() {
            acc =
                args.evaluate_with(0, &[("value", value.clone()), position(index), ("acc", acc)])?;
        }
        Ok(acc)
    }),
    method("flat", 0, 0, |list, args| {
        let mut flat = Vec::new();
        flatten(list, &mut flat)?;
        args.context.list(flat)
    }),
    method("join", 1, 1, |list, args| {
        let separator = args.text(0)?;
        let mut joined = String::new();
        for (index, value) in list.iter().enumerate() {
            if index > 0 {
                joined.push_str(&separator);
            }
            joined.push_str(&text(value));
            check_length(joined.len())?;
        }
        args.context.text(joined)
    }),
    method("reverse", 0, 0, |list, args| args.context.list(list.iter().rev().cloned().collect())),
    method("slice", 1, 2, |list, args| args.context.list(list[args.range(list.len())?].to_vec())),
    method("sort", 0, 0, |list, args| {
        let mut sorted = list.to_vec();
        sorted.sort_by(|a, b| sort_order(&a.to_summary(), &b.to_summary(), &UnresolvedPaths));
        args.context.list(sorted)
    }),
    method("unique", 0, 0, |list, args| {
        let mut unique: Vec<Value> = Vec::new();
        for value in list {
            let mut is_new = true;
            for known in &unique {
                is_new = is_new && !are_equal(known, value, args.context)?;
            }
            if is_new {
                unique.push(value.clone());
            }
        }
        args.context.list(unique)
    }),
    method("mean", 0, 0, |list, _| Ok(statistic(list, mean))),
    method("median", 0, 0, |list, _| Ok(statistic(list, median))),
    method("stddev", 0, 0, |list, _| Ok(statistic(list, standard_deviation))),
];

/// A statistic of the numbers in a list; null if there are none.
fn statistic(list: &[Value], of: fn(&[f64]) -> f64) -> Value {
    let numbers = numbers_in(list);
    if numbers.is_empty() { Value::Null } else { of(&numbers).into() }
}

/// The arguments. A list among them stands for its values.
fn wanted(arguments: &LazyArguments<'_>) -> Result<Vec<Value>, Failure> {
    let mut wanted = Vec::new();
    for value in arguments.values() {
        match value? {
            Value::List(values) => wanted.extend(values.iter().cloned()),
            value => wanted.push(value),
        }
    }
    Ok(wanted)
}

fn position(index: usize) -> (&'static str, Value) {
    ("index", Value::Number(u32::try_from(index).map_or(f64::MAX, f64::from)))
}

/// Lists are nested only as deeply as a context allows.
fn flatten(list: &[Value], flat: &mut Vec<Value>) -> Result<(), Failure> {
    for value in list {
        match value {
            Value::List(values) => flatten(values, flat)?,
            other => flat.push(other.clone()),
        }
        check_count(flat.len())?;
    }
    Ok(())
}
