//! Translates the arguments of an operation's older name.

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::arguments;
use crate::authority::{Alias, EachItem, Harmless, Mapping};
use crate::fault::wrong_value::describe;
use crate::fault::{Fault, Result};
use crate::json::pointer::Pointer;
use crate::json::unique::ReadValue;
use crate::json::written::parse_row_text;
use toolwrit_text::hex::Hex;

/// Translates names first, then values. A fixed value replaces one that was sent.
///
/// # Errors
/// `VALIDATION_ERROR` for a parameter that was also sent under its older name, because one of its two values
/// would be lost, and for a value with parts that is not an object or a list.
pub(super) fn translate(
    alias: &Alias,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>> {
    translated(&alias.mapping, arguments)
}

fn translated(mapping: &Mapping, mut arguments: Map<String, Value>) -> Result<Map<String, Value>> {
    for name in &mapping.flatten {
        arguments = arguments::flatten(arguments, name)?;
    }
    for path in &mapping.ignore {
        remove(&mut arguments, path);
    }
    for harmless in &mapping.harmless {
        if let Some(value) = arguments.shift_remove(&harmless.name) {
            check_harmless(harmless, &value)?;
        }
    }
    for name in &mapping.parse {
        if let Some(Value::String(text)) = arguments.get(name) {
            let parsed = parse(name, text)?;
            arguments.insert(name.clone(), parsed);
        }
    }
    let mut translated = Map::with_capacity(arguments.len());
    let mut parts = Vec::new();
    let mut lists = Vec::new();
    for (name, value) in arguments {
        if let Some(each) = mapping.each.iter().find(|each| each.from == name) {
            lists.push((each, value));
            continue;
        }
        match mapping.args.iter().find(|(older, _)| *older == name) {
            Some((_, path)) if path.len() > 1 => parts.push((path, value)),
            Some((_, path)) => put(&mut translated, path, value)?,
            None => put(&mut translated, &[name], value)?,
        }
    }
    // After the objects that they belong to.
    for (path, value) in parts {
        put(&mut translated, path, value)?;
    }
    for (each, value) in lists {
        let (target, is_there) = value_at(&mut translated, &each.into)?;
        if !is_there {
            *target = Vec::<Value>::new().into();
        }
        let items = target.as_array_mut().ok_or_else(|| not_container(&each.into, "0"))?;
        items.extend(translated_items(each, value)?);
    }
    for (path, values) in &mapping.values {
        if let Some(value) = find(&mut translated, path)
            && let Some((_, text)) = values.iter().find(|(older, _)| value.as_str() == Some(older))
        {
            *value = parse_row_text(text);
        }
    }
    for (path, text) in &mapping.set {
        *value_at(&mut translated, path)?.0 = parse_row_text(text);
    }
    Ok(translated)
}

/// # Errors
/// `VALIDATION_ERROR` for a value that would change something, which no parameter can do any more.
fn check_harmless(harmless: &Harmless, value: &Value) -> Result<()> {
    let Harmless { name, values, hint } = harmless;
    if values.iter().any(|harmless| value.as_str() == Some(harmless)) {
        return Ok(());
    }
    let fault = Fault::validation(format!("`{name}` does not work with this value any more."));
    let expected =
        if values.is_empty() { "no such parameter".to_owned() } else { values.join("|") };
    Err(fault
        .with_path(Pointer::Key(&Pointer::Root, name).render())
        .expecting(expected)
        .got(describe(value).0)
        .hinting(hint.as_str()))
}

/// Reads an argument that is JSON text.
fn parse(name: &str, text: &str) -> Result<Value> {
    match serde_json::from_str(text) {
        Ok(ReadValue { value, repeated: None }) => Ok(value),
        Ok(_) => Err("a key occurs twice".to_owned()),
        Err(error) => Err(error.to_string()),
    }
    .map_err(|reason| {
        Fault::validation(format!("`{name}` is not JSON: {reason}."))
            .with_path(Pointer::Key(&Pointer::Root, name).render())
            .expecting("JSON text")
            .hinting(format!(
                "Send `{name}` as JSON text, or under the current name of the operation as it is."
            ))
    })
}

/// Translates the items of an older list. Without a mapping they stay as they are.
fn translated_items(each: &EachItem, value: Value) -> Result<Vec<Value>> {
    let mut items = Vec::new();
    for (position, older) in list(&each.from, value)?.into_iter().enumerate() {
        let id = each.id.as_ref().map(|path| (path, identifier(&each.from, position, &older)));
        let mut item = match (older, &each.item) {
            (Value::Object(fields), _) => translated(&each.mapping, fields)?,
            (older, Some(path)) => {
                let mut item = translated(&each.mapping, Map::new())?;
                put(&mut item, path, older)?;
                item
            }
            (older, None) if each.mapping.is_same() => {
                items.push(older);
                continue;
            }
            (older, None) => {
                let at = Pointer::Key(&Pointer::Root, &each.from);
                return Err(Fault::validation(format!(
                    "An item of `{}` is not an object.",
                    each.from
                ))
                .with_path(Pointer::Item(&at, position).render())
                .expecting("object")
                .got(describe(&older).0));
            }
        };
        if let Some((path, id)) = id {
            put(&mut item, path, id.into())?;
        }
        items.push(item.into());
    }
    Ok(items)
}

/// The items of an older list. Like other lists, it may be sent as JSON text.
fn list(name: &str, value: Value) -> Result<Vec<Value>> {
    let value = match value {
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(ReadValue { value: inner @ Value::Array(_), repeated: None }) => inner,
            _ => Value::String(text),
        },
        value => value,
    };
    match value {
        Value::Array(items) => Ok(items),
        other => {
            let (got, kind) = describe(&other);
            Err(Fault::validation(format!("`{name}` must be a list, not {kind}."))
                .with_path(Pointer::Key(&Pointer::Root, name).render())
                .expecting("list")
                .got(got))
        }
    }
}

/// An identifier of an item: the same for the same item at the same position, so that a repeated call has the same
/// ones.
fn identifier(name: &str, position: usize, item: &Value) -> String {
    let digest = Sha256::digest(item.to_string());
    format!("{name}-{position}-{}", Hex(&digest[..4]))
}

fn put(arguments: &mut Map<String, Value>, path: &[String], value: Value) -> Result<()> {
    let (target, is_there) = value_at(arguments, path)?;
    if is_there {
        let key = path.last().map_or("", String::as_str);
        let message = format!("`{key}` occurs twice, once under an older name.");
        return Err(Fault::validation(message)
            .with_path(pointer(path))
            .expecting("each parameter once")
            .hinting(format!("Send only `{key}`.")));
    }
    *target = value;
    Ok(())
}

/// Returns the value at a path, and whether it was there before. Creates missing objects and lists.
fn value_at<'a>(
    arguments: &'a mut Map<String, Value>,
    path: &[String],
) -> Result<(&'a mut Value, bool)> {
    let Some((first, inner)) = path.split_first() else {
        return Err(Fault::internal("an alias has an empty path"));
    };
    let mut is_there = arguments.contains_key(first);
    let mut value = arguments.entry(first).or_insert(Value::Null);
    for (depth, key) in inner.iter().enumerate() {
        let outer = &path[..=depth];
        (value, is_there) =
            member(value, is_there, key).ok_or_else(|| not_container(outer, key))?;
    }
    Ok((value, is_there))
}

/// Returns the member of an object or a list, and whether it was there before. Creates the object or the list if it
/// was not there; its key says which. `None` for a value without members.
fn member<'a>(owner: &'a mut Value, is_there: bool, key: &str) -> Option<(&'a mut Value, bool)> {
    let position: Option<usize> = key.parse().ok();
    if !is_there {
        *owner = if position.is_some() { Vec::<Value>::new().into() } else { Map::new().into() };
    }
    match (owner, position) {
        (Value::Object(members), _) => {
            let is_there = members.contains_key(key);
            Some((members.entry(key).or_insert(Value::Null), is_there))
        }
        (Value::Array(items), Some(position)) => {
            let is_there = position < items.len();
            // The manifest's check bounds the position.
            items.resize_with(items.len().max(position + 1), || Map::new().into());
            Some((&mut items[position], is_there))
        }
        _ => None,
    }
}

/// The fault of a value that should have the member `key`, and has no members.
fn not_container(path: &[String], key: &str) -> Fault {
    let name = path.last().map_or("", String::as_str);
    let (kind, member) = match key.parse::<usize>() {
        Ok(_) => ("list", "its items have older names".to_owned()),
        Err(_) => ("object", format!("`{key}` is in it")),
    };
    let article = if kind == "list" { "a" } else { "an" };
    Fault::validation(format!("`{name}` must be {article} {kind}, because {member}."))
        .with_path(pointer(path))
        .expecting(kind)
}

fn find<'a>(arguments: &'a mut Map<String, Value>, path: &[String]) -> Option<&'a mut Value> {
    let (first, inner) = path.split_first()?;
    inner.iter().try_fold(arguments.get_mut(first)?, |value, key| match value {
        Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
        value => value.get_mut(key),
    })
}

fn remove(arguments: &mut Map<String, Value>, path: &[String]) {
    let Some((last, outer)) = path.split_last() else { return };
    if outer.is_empty() {
        arguments.shift_remove(last);
    } else if let Some(Value::Object(owner)) = find(arguments, outer) {
        owner.shift_remove(last);
    }
}

fn pointer(path: &[String]) -> String {
    path.iter()
        .fold(String::new(), |begin, key| begin + &Pointer::Key(&Pointer::Root, key).render())
}
