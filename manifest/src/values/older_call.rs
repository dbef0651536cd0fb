//! A call by an older name, beside the same call by the current one.

use serde_json::{Map, Value};

use super::example::example;
use crate::model::{Alias, ArgumentPath, EachItem, Mapping, Model, Operation, Shape};
use crate::values::fits;

/// The arguments of two calls that do the same.
#[derive(Debug, Clone, PartialEq)]
pub struct OlderCall {
    /// The arguments of the call by the older name.
    pub older: Map<String, Value>,
    /// The arguments of the call by the current name. Identifiers that the alias would make are those of the
    /// example.
    pub current: Map<String, Value>,
}

/// Derives the calls from the example of the operation that needs the most of the alias. `None` if no example can be
/// written under the older name.
pub fn older_call(model: &Model, operation: &Operation, alias: &Alias) -> Option<OlderCall> {
    let args = operation.examples.iter().map(|example| example.args.clone());
    let mut examples: Vec<_> = args.collect();
    if examples.is_empty() {
        examples.extend(example(model, operation));
    }
    let inputs = Shape::Record(model.inputs(operation));
    let calls = examples.into_iter().filter_map(|mut current| {
        let mut mapped = prepare(&alias.mapping, &mut current)?;
        let older = older(&alias.mapping, current.clone(), &mut mapped);
        fits(model, &inputs, &current.clone().into()).ok()?;
        Some(((mapped, older.len()), OlderCall { older, current }))
    });
    // The first of those that need as much and have as many arguments.
    let best = calls.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, call)| call)
}

/// Changes current arguments to those that a call by the older name can have: with its fixed values, and only with
/// items that it can give. Counts the fixed values that they had already.
fn prepare(mapping: &Mapping, current: &mut Map<String, Value>) -> Option<usize> {
    let mut had = 0;
    for (path, value) in &mapping.set {
        let place = place(current, path)?;
        had += usize::from(place == value);
        *place = value.clone();
    }
    let args = mapping.args.iter().map(|(_, path)| path);
    let paths: Vec<_> = args.chain(mapping.set.iter().map(|(path, _)| path)).collect();
    for (list, last) in paths.iter().filter_map(|path| list_of(path)) {
        let siblings = paths.iter().filter_map(|path| list_of(path));
        let last = siblings
            .filter(|(sibling, _)| *sibling == list)
            .map(|(_, at)| at)
            .max()
            .unwrap_or(last);
        if let Some(Value::Array(items)) = get_mut(current, list) {
            items.truncate(last + 1);
        }
    }
    for each in &mapping.each {
        let Some(Value::Array(items)) = get_mut(current, each.into.keys()) else { continue };
        let siblings = || mapping.each.iter().filter(|other| other.into == each.into);
        items.retain(|item| siblings().any(|each| older_item(each, item).is_some()));
    }
    Some(had)
}

/// The list into which a path leads, and the position there.
fn list_of(path: &ArgumentPath) -> Option<(&[String], usize)> {
    let positions = path.keys().iter().map(|key| key.parse::<usize>().ok());
    let (at, position) = positions.enumerate().find_map(|(at, position)| Some((at, position?)))?;
    Some((&path.keys()[..at], position))
}

/// Translates current arguments back. Counts what has an older form.
fn older(
    mapping: &Mapping,
    mut current: Map<String, Value>,
    mapped: &mut usize,
) -> Map<String, Value> {
    for (path, _) in &mapping.set {
        remove(&mut current, path);
    }
    for (path, values) in &mapping.values {
        let Some(value) = get_mut(&mut current, path.keys()) else { continue };
        if let Some((older, _)) = values.iter().find(|(_, now)| *now == value) {
            *value = older.as_str().into();
            *mapped += 1;
        }
    }
    let mut older = Map::new();
    for (name, path) in &mapping.args {
        let Some(value) = remove(&mut current, path) else { continue };
        older.insert(name.clone(), value);
        *mapped += 1;
    }
    for name in &mapping.parse {
        let renamed = older.get_mut(name);
        if let Some(value) = renamed.or_else(|| current.get_mut(name)) {
            *value = value.to_string().into();
            *mapped += 1;
        }
    }
    for each in &mapping.each {
        let Some(Value::Array(items)) = get_mut(&mut current, each.into.keys()) else { continue };
        let older_items: Vec<Value> =
            items.iter().filter_map(|item| older_item(each, item)).collect();
        items.retain(|item| older_item(each, item).is_none());
        if !older_items.is_empty() {
            *mapped += older_items.len();
            older.insert(each.from.clone(), older_items.into());
        }
    }
    for each in &mapping.each {
        remove(&mut current, &each.into);
    }
    older.extend(current);
    older
}

/// Translates an item back. `None` if it does not come from this older list.
fn older_item(each: &EachItem, item: &Value) -> Option<Value> {
    if each.mapping == Mapping::default() && each.item.is_none() && each.id.is_none() {
        return Some(item.clone());
    }
    let mut fields = item.as_object()?.clone();
    let is_fixed = |(path, value): &(ArgumentPath, Value)| {
        get_mut(&mut fields, path.keys()) == Some(&mut value.clone())
    };
    if !each.mapping.set.iter().all(is_fixed) {
        return None;
    }
    if let Some(path) = &each.id {
        remove(&mut fields, path);
    }
    let Some(path) = &each.item else {
        return Some(older(&each.mapping, fields, &mut 0).into());
    };
    let older_item = remove(&mut fields, path)?;
    let rest = older(&each.mapping, fields, &mut 0);
    rest.is_empty().then_some(older_item)
}

/// The member of a value at a key of a path.
fn member<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    match value {
        Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
        value => value.get_mut(key),
    }
}

fn get_mut<'a>(arguments: &'a mut Map<String, Value>, path: &[String]) -> Option<&'a mut Value> {
    let (first, inner) = path.split_first()?;
    inner.iter().try_fold(arguments.get_mut(first)?, |value, key| member(value, key))
}

/// The value at a path, created with the objects and lists around it.
fn place<'a>(arguments: &'a mut Map<String, Value>, path: &ArgumentPath) -> Option<&'a mut Value> {
    let (first, inner) = path.keys().split_first()?;
    inner.iter().try_fold(arguments.entry(first).or_insert(Value::Null), |value, key| {
        let position = key.parse::<usize>().ok();
        if value.is_null() {
            *value = if position.is_some() { Value::Array(Vec::new()) } else { Map::new().into() };
        }
        match (value, position) {
            (Value::Array(items), Some(position)) => {
                items.resize(items.len().max(position + 1), Value::Null);
                items.get_mut(position)
            }
            (Value::Object(members), _) => Some(members.entry(key).or_insert(Value::Null)),
            _ => None,
        }
    })
}

/// Removes the value at a path, and the objects and lists that are empty without it.
fn remove(arguments: &mut Map<String, Value>, path: &ArgumentPath) -> Option<Value> {
    let (first, inner) = path.keys().split_first()?;
    if inner.is_empty() {
        return arguments.shift_remove(first);
    }
    let value = arguments.get_mut(first)?;
    let removed = remove_inner(value, inner);
    if is_empty(value) {
        arguments.shift_remove(first);
    }
    removed
}

fn remove_inner(value: &mut Value, path: &[String]) -> Option<Value> {
    let (first, inner) = path.split_first()?;
    if inner.is_empty() {
        return value.as_object_mut()?.shift_remove(first);
    }
    let child = member(value, first)?;
    let removed = remove_inner(child, inner);
    if is_empty(child) {
        match value {
            Value::Array(items) => drop(items.pop()),
            Value::Object(members) => drop(members.shift_remove(first)),
            _ => {}
        }
    }
    removed
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}
