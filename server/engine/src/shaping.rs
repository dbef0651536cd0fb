//! `select` and `page`: handlers return everything, the engine keeps what was asked for.

use serde_json::{Map, Value};

use crate::authority::Operation;

/// What a call asks of its result. Read from the raw arguments; whether they fit is decided by
/// validation, before any of this is applied.
#[derive(Debug, PartialEq)]
pub(crate) struct Shaping {
    /// The fields to keep.
    fields: Option<Vec<String>>,
    /// Where the page starts, and how many items it has.
    page: Option<(usize, usize)>,
}

impl Shaping {
    pub(crate) fn of(operation: &Operation, arguments: &Map<String, Value>) -> Self {
        let fields = operation.select.then(|| arguments.get("fields")).flatten();
        let whole = |name: &str| {
            let value = arguments.get(name)?;
            let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
            usize::try_from(number).ok()
        };
        Self {
            fields: fields.and_then(|names| match names {
                // Clients may send the list as JSON text.
                Value::String(text) => serde_json::from_str(text).ok(),
                names => serde_json::from_value(names.clone()).ok(),
            }),
            page: operation.page.map(|page| {
                let size = whole("limit").unwrap_or(page.default as usize);
                (whole("cursor").unwrap_or_default(), size)
            }),
        }
    }

    pub(crate) fn apply(&self, value: &mut Value) {
        if let Some((start, size)) = self.page {
            cut_page(value, start, size);
        }
        if let Some(fields) = &self.fields {
            keep_fields(value, fields);
        }
    }
}

/// Keeps one page of the result's list. A cursor is the position of the page's first item.
fn cut_page(value: &mut Value, start: usize, size: usize) {
    if value.is_array() {
        *value = Value::Object(Map::from_iter([("result".to_owned(), value.take())]));
    }
    let Value::Object(object) = value else { return };
    let Some(items) = object.values_mut().find_map(Value::as_array_mut) else { return };
    let end = start.saturating_add(size);
    let more = items.len() > end;
    items.truncate(end);
    items.drain(..start.min(items.len()));
    if more {
        object.insert("next_cursor".to_owned(), end.to_string().into());
    }
}

/// Keeps the named fields of the result, or of each item when it is a list.
fn keep_fields(value: &mut Value, fields: &[String]) {
    let keep = |object: &mut Map<String, Value>| object.retain(|key, _| fields.contains(key));
    match value {
        Value::Object(object) => match object.get_mut("result") {
            Some(Value::Array(items)) => {
                items.iter_mut().filter_map(Value::as_object_mut).for_each(keep);
            }
            _ => object.retain(|key, _| fields.contains(key) || key == "next_cursor"),
        },
        Value::Array(items) => items.iter_mut().filter_map(Value::as_object_mut).for_each(keep),
        _ => {}
    }
}
