//! Methods of lists.

use super::{LazyArguments, Method, method};
use crate::bases::evaluation::conversion::text;
use crate::bases::evaluation::operators::equal;
use crate::evaluation::{Failure, check_count, check_length};
use crate::value::{UnresolvedPaths, Value, sort_order};

pub(super) const METHODS: &[Method<[Value]>] = &[
    method("contains", 1, 1, |list, it| Ok(has(list, &it.value(0)?, it)?.into())),
    method("containsAll", 1, usize::MAX, |list, it| {
        let mut all = true;
        for value in it.values() {
            all = all && has(list, &value?, it)?;
        }
        Ok(all.into())
    }),
    method("containsAny", 1, usize::MAX, |list, it| {
        let mut any = false;
        for value in it.values() {
            any = any || has(list, &value?, it)?;
        }
        Ok(any.into())
    }),
    method("filter", 1, 1, |list, it| {
        let mut kept = Vec::new();
        for (index, value) in list.iter().enumerate() {
            if it.with(0, &[("value", value.clone()), position(index)])?.is_truthy() {
                kept.push(value.clone());
            }
        }
        it.context.list(kept)
    }),
    method("map", 1, 1, |list, it| {
        let each = list.iter().enumerate();
        let mapped =
            each.map(|(index, value)| it.with(0, &[("value", value.clone()), position(index)]));
        it.context.list(mapped.collect::<Result<_, _>>()?)
    }),
    method("reduce", 1, 2, |list, it| {
        let mut acc = it.value(1)?;
        for (index, value) in list.iter().enumerate() {
            acc = it.with(0, &[("value", value.clone()), position(index), ("acc", acc)])?;
        }
        Ok(acc)
    }),
    method("flat", 0, 0, |list, it| {
        let mut flat = Vec::new();
        flatten(list, &mut flat)?;
        it.context.list(flat)
    }),
    method("join", 1, 1, |list, it| {
        let separator = it.text(0)?;
        let mut joined = String::new();
        for (index, value) in list.iter().enumerate() {
            if index > 0 {
                joined.push_str(&separator);
            }
            joined.push_str(&text(value));
            check_length(joined.len())?;
        }
        it.context.text(joined)
    }),
    method("reverse", 0, 0, |list, it| it.context.list(list.iter().rev().cloned().collect())),
    method("slice", 1, 2, |list, it| it.context.list(list[it.range(list.len())?].to_vec())),
    method("sort", 0, 0, |list, it| {
        let mut sorted = list.to_vec();
        sorted.sort_by(|a, b| sort_order(&a.shown(), &b.shown(), &UnresolvedPaths));
        it.context.list(sorted)
    }),
    method("unique", 0, 0, |list, it| {
        let mut unique: Vec<Value> = Vec::new();
        for value in list {
            if !has(&unique, value, it)? {
                unique.push(value.clone());
            }
        }
        it.context.list(unique)
    }),
];

fn has(list: &[Value], value: &Value, arguments: &LazyArguments<'_>) -> Result<bool, Failure> {
    for known in list {
        if equal(known, value, arguments.context)? {
            return Ok(true);
        }
    }
    Ok(false)
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
