//! `select`, `page` and `result_bytes`: handlers return everything, the engine keeps what was asked for and
//! what fits.

use serde_json::{Map, Value};

use crate::authority::{Operation, Page, Returns, Type};
use crate::cut;
use crate::fault::{Fault, Result};
use crate::json_size::size;
use crate::slot::{Slot, Slots};

/// What surfaces put around a result that is no object, at most.
const WRAPPING: usize = r#"{"result":}"#.len();

/// What a call asks of its result.
#[derive(Debug, PartialEq)]
pub(crate) struct Shaping {
    /// The fields to keep.
    fields: Option<Vec<String>>,
    /// Where the page starts, and how many items it has.
    page: Option<(usize, usize)>,
}

/// Where a page stands in its list.
struct Stand {
    /// The field that has the list.
    list: String,
    start: usize,
    /// How many items there are on all pages.
    total: usize,
}

impl Shaping {
    /// # Errors
    /// `VALIDATION_ERROR` for a cursor that no page has given.
    pub(crate) fn of(operation: &Operation, arguments: &Slots) -> Result<Self> {
        let argument = |name: &str| {
            let mut inputs = operation.inputs.iter().zip(arguments.iter());
            inputs.find(|(field, _)| field.name == name)
        };
        let fields = operation.select.then(|| argument("fields")).flatten();
        let page = operation.page.map(|page| {
            let start = match argument("cursor") {
                Some((_, Slot::String(cursor))) => position(cursor)?,
                _ => 0,
            };
            let size = match argument("limit") {
                Some((_, Slot::Integer(limit))) => usize::try_from(*limit).unwrap_or(0),
                _ => usize_of(page),
            };
            Ok::<_, Fault>((start, size))
        });
        Ok(Self {
            fields: fields.and_then(|(field, names)| choices(field.ty, names)),
            page: page.transpose()?,
        })
    }

    /// Cuts a result to what was asked for, and then to the bytes that the operation may answer with.
    ///
    /// # Errors
    /// `RESULT_TOO_LARGE` when what cannot be cut is too much.
    pub(crate) fn apply(&self, operation: &Operation, mut value: Value) -> Result<Value> {
        let limit = usize::try_from(operation.result_bytes).unwrap_or(usize::MAX);
        match (&operation.returns, value) {
            (Returns::Text, Value::String(text)) => {
                return Ok(cut::text(text, limit, operation).into());
            }
            // Larger ones have been refused.
            (Returns::Content | Returns::Resource | Returns::Messages, value) => return Ok(value),
            (_, other) => value = other,
        }
        let stand = self.page.and_then(|(start, size)| cut_page(&mut value, start, size));
        if let Some(fields) = &self.fields {
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            keep_fields(&mut value, &fields);
        }
        let is_wrapped = self.page.is_none() && matches!(operation.returns, Returns::Wrapped(_));
        let around = if is_wrapped { WRAPPING } else { 0 };
        if size(&value) + around <= limit {
            return Ok(value);
        }
        match stand {
            Some(stand) if stand.has_items(&value) => stand.fit(value, limit, operation),
            _ => cut::value(value, limit, operation),
        }
    }
}

fn usize_of(page: Page) -> usize {
    usize::try_from(page.default).unwrap_or(usize::MAX)
}

/// The position that a cursor stands for.
fn position(cursor: &str) -> Result<usize> {
    let digits = cursor.bytes().all(|byte| byte.is_ascii_digit());
    cursor.parse().ok().filter(|_| digits).ok_or_else(|| {
        Fault::validation("No page has given this cursor.")
            .at("/cursor")
            .expecting("the `next_cursor` of the page before")
            .got(cursor.chars().take(100).collect::<String>())
            .hinting("Leave `cursor` out to begin with the first page.")
    })
}

/// The names in a list of choices.
fn choices(ty: &Type<'_>, slot: &Slot) -> Option<Vec<String>> {
    let (Type::Array { items, .. }, Slot::List(slots)) = (ty, slot) else { return None };
    let Type::Enum(names) = *items else { return None };
    let name = |slot: &Slot| match slot {
        Slot::Choice(at) => names.get(*at).map(|name| (*name).to_owned()),
        _ => None,
    };
    Some(slots.iter().filter_map(name).collect())
}

/// Keeps one page of the result's list. A cursor is the position of the page's first item.
fn cut_page(value: &mut Value, start: usize, size: usize) -> Option<Stand> {
    if value.is_array() {
        *value = Value::Object(Map::from_iter([("result".to_owned(), value.take())]));
    }
    let object = value.as_object_mut()?;
    let (list, items) =
        object.iter_mut().find_map(|(name, value)| Some((name, value.as_array_mut()?)))?;
    let stand = Stand { list: list.clone(), start, total: items.len() };
    let end = start.saturating_add(size);
    items.truncate(end);
    items.drain(..start.min(items.len()));
    stand.point_behind(object, end);
    Some(stand)
}

impl Stand {
    /// Says where the next page starts, if there is one.
    fn point_behind(&self, object: &mut Map<String, Value>, end: usize) {
        if end < self.total {
            object.insert("next_cursor".to_owned(), end.to_string().into());
        }
    }

    /// Whether the page has something that can be left out.
    fn has_items(&self, value: &Value) -> bool {
        value.get(&self.list).and_then(Value::as_array).is_some_and(|items| !items.is_empty())
    }

    /// Ends the page before the first item that does not fit, which is the first of the next page.
    fn fit(&self, mut value: Value, limit: usize, operation: &Operation) -> Result<Value> {
        let Value::Object(object) = &mut value else { return Ok(value) };
        let Some(Value::Array(items)) = object.get_mut(&self.list).map(Value::take) else {
            return Ok(value);
        };
        object.insert(self.list.clone(), Value::Array(Vec::new()));
        // As long as any cursor of this page.
        self.point_behind(object, self.total - 1);
        cut::tell(object, operation);
        let beside = size(&Value::Object(object.clone()));
        let kept = cut::fitting(&items, limit.saturating_sub(beside));
        if kept == 0 {
            return Err(self.too_large(beside + size(&items[0]), limit));
        }
        let end = self.start + kept;
        object.remove("next_cursor");
        self.point_behind(object, end);
        object.insert(self.list.clone(), items.into_iter().take(kept).collect());
        Ok(value)
    }

    /// No page can hold the first item.
    fn too_large(&self, bytes: usize, limit: usize) -> Fault {
        let next = self.start + 1;
        let fault = Fault::too_large(format!(
            "The next item alone makes an answer of {bytes} bytes: number {next} of {}.",
            self.total
        ))
        .at("/cursor")
        .expecting(format!("at most {limit} bytes"));
        if next < self.total {
            fault.hinting(format!("`\"cursor\": \"{next}\"` goes on behind it."))
        } else {
            fault.hinting("It is the last one: there is nothing behind it.")
        }
    }
}

/// Keeps the named fields of the result, or of each item when it is a list.
fn keep_fields(value: &mut Value, fields: &[&str]) {
    match value {
        Value::Object(object) => {
            if let Some(Value::Array(items)) = object.get_mut("result") {
                return keep_of_items(items, fields);
            }
            let cursor = object.get("next_cursor").cloned();
            keep(object, fields);
            object.extend(cursor.map(|cursor| ("next_cursor".to_owned(), cursor)));
        }
        Value::Array(items) => keep_of_items(items, fields),
        _ => {}
    }
}

fn keep_of_items(items: &mut [Value], fields: &[&str]) {
    items.iter_mut().filter_map(Value::as_object_mut).for_each(|item| keep(item, fields));
}

/// Keeps the named fields. `list.field` keeps a field of the items of a list, and with it the list.
fn keep(object: &mut Map<String, Value>, fields: &[&str]) {
    object.retain(|key, value| {
        if fields.contains(&key.as_str()) {
            return true;
        }
        let inner = fields.iter().filter_map(|field| {
            let (list, inner) = field.split_once('.')?;
            (list == key).then_some(inner)
        });
        let inner: Vec<&str> = inner.collect();
        if let Value::Array(items) = value
            && !inner.is_empty()
        {
            keep_of_items(items, &inner);
            return true;
        }
        false
    });
}
