//! Translates the arguments of an operation's older name.

use serde_json::map::Entry;
use serde_json::{Map, Value};

use crate::arguments;
use crate::authority::{Alias, ArgumentPath};
use crate::fault::{Fault, Result};
use crate::pointer::Pointer;

/// Translates names first, then values. A fixed value replaces one that was sent.
///
/// # Errors
/// `VALIDATION_ERROR` for a parameter that was also sent under its older name, because one of its two values
/// would be lost, and for a value with parts that is not an object.
pub(super) fn translate(
    alias: &Alias<'_>,
    mut arguments: Map<String, Value>,
) -> Result<Map<String, Value>> {
    for name in alias.flatten {
        arguments = arguments::flatten(arguments, name)?;
    }
    let mut translated = Map::with_capacity(arguments.len());
    let mut parts = Vec::new();
    for (name, value) in arguments {
        match alias.args.iter().find(|(older, _)| *older == name) {
            Some((_, path)) if path.len() > 1 => parts.push((*path, value)),
            Some((_, path)) => put(&mut translated, path, value)?,
            None => put(&mut translated, &[&name], value)?,
        }
    }
    // After the objects that they belong to.
    for (path, value) in parts {
        put(&mut translated, path, value)?;
    }
    for (path, values) in alias.values {
        if let Some(value) = find(&mut translated, path)
            && let Some((_, text)) = values.iter().find(|(older, _)| value.as_str() == Some(*older))
        {
            *value = parsed(text);
        }
    }
    for (path, text) in alias.set {
        let (owner, key) = owner(&mut translated, path)?;
        owner.insert(key.to_owned(), parsed(text));
    }
    Ok(translated)
}

/// Parses a value of the table. It was checked with the manifest, so it fits its parameter.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn put(arguments: &mut Map<String, Value>, path: ArgumentPath<'_>, value: Value) -> Result<()> {
    let (owner, key) = owner(arguments, path)?;
    match owner.entry(key) {
        Entry::Vacant(entry) => drop(entry.insert(value)),
        Entry::Occupied(_) => {
            let message = format!("`{key}` occurs twice, once under an older name.");
            return Err(Fault::validation(message)
                .at(pointer(path))
                .expecting("each parameter once")
                .hinting(format!("Send only `{key}`.")));
        }
    }
    Ok(())
}

/// Returns the object that has the last key of a path. Creates missing objects.
fn owner<'a, 'p>(
    mut arguments: &'a mut Map<String, Value>,
    path: ArgumentPath<'p>,
) -> Result<(&'a mut Map<String, Value>, &'p str)> {
    let Some((last, outer)) = path.split_last() else {
        return Err(Fault::internal("an alias has an empty path"));
    };
    for (depth, key) in outer.iter().enumerate() {
        let value = arguments.entry(*key).or_insert_with(|| Map::new().into());
        arguments = value.as_object_mut().ok_or_else(|| {
            Fault::validation(format!("`{key}` must be an object, because `{last}` is in it."))
                .at(pointer(&path[..=depth]))
                .expecting("object")
        })?;
    }
    Ok((arguments, last))
}

fn find<'a>(
    arguments: &'a mut Map<String, Value>,
    path: ArgumentPath<'_>,
) -> Option<&'a mut Value> {
    let (first, inner) = path.split_first()?;
    inner.iter().try_fold(arguments.get_mut(*first)?, |value, key| value.get_mut(*key))
}

fn pointer(path: ArgumentPath<'_>) -> String {
    path.iter()
        .fold(String::new(), |begin, key| begin + &Pointer::Key(&Pointer::Root, key).render())
}
