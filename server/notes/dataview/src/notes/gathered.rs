//! The fields of a note or a list item, gathered by their keys.

use indexmap::IndexMap;
use jiff::Zoned;

use super::inline::Field;
use crate::syntax::field_value;
use crate::value::{Map, Name, Value};
use crate::words::canonical;

/// Values by key, as they are gathered from all parts of a note.
pub(super) type Gathered = IndexMap<Name, Vec<Value>>;

/// Adds a value to the field of a key.
pub(super) fn gather(gathered: &mut Gathered, key: &str, value: Value) {
    match gathered.get_mut(key) {
        Some(values) => values.push(value),
        None => drop(gathered.insert(key.into(), vec![value])),
    }
}

/// Adds inline fields.
pub(super) fn gather_fields(gathered: &mut Gathered, fields: Vec<Field<'_>>, now: &Zoned) {
    for field in fields.into_iter().filter(|field| !field.key.is_empty()) {
        gather(gathered, field.key, field_value(field.value, now));
    }
}

/// Adds the canonical forms of keys. A key with several values has a list.
pub(super) fn to_map(gathered: Gathered) -> Map {
    let mut canonical_forms = Gathered::new();
    for (key, values) in &gathered {
        let form = canonical(key);
        if !form.is_empty() && !gathered.contains_key(form.as_str()) {
            let entry = canonical_forms.entry(form.into()).or_default();
            entry.extend(values.iter().cloned());
        }
    }
    let all = gathered.into_iter().chain(canonical_forms);
    all.map(|(key, values)| (key, single_or_list(values))).collect()
}

/// The only value, or a list of all.
pub(super) fn single_or_list(mut values: Vec<Value>) -> Value {
    if values.len() == 1 { values.pop().unwrap_or_default() } else { Value::list(values) }
}
