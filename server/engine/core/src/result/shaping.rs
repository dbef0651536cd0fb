//! `select`, `page` and `result_bytes`: handlers return everything, the engine keeps what the caller asked
//! for and what fits.

use serde_json::{Map, Value};

use crate::arguments::value::{ArgValue, ArgValues};
use crate::authority::{Operation, Returns, Type};
use crate::fault::{Fault, Result};
use crate::json::size::size;
use crate::result::content::{ToolResult, media_bytes};
use crate::result::cut;
use crate::result::paging::Wanted;

/// Bytes that a surface adds to a result that is not an object.
const WRAPPING: usize = r#"{"result":}"#.len();

/// The part of the result that a call asks for.
#[derive(Debug, PartialEq)]
pub(crate) struct Shaping {
    /// The fields to keep; `None` for all.
    fields: Option<Vec<String>>,
    /// The page to keep; `None` if the operation has no pages.
    page: Option<Wanted>,
}

/// A result that fits.
#[derive(Debug, PartialEq)]
pub(crate) struct Shaped {
    pub(crate) value: Value,
    /// What [`Outcome::beside`](crate::result::outcome::Outcome::beside) has.
    pub(crate) beside: Option<Value>,
    /// `_meta` of the result of a tool of another MCP server.
    pub(crate) meta: Option<Map<String, Value>>,
}

impl Shaping {
    /// Reads the arguments `fields`, `cursor` and `limit`.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a cursor that no page of this call returned.
    pub(crate) fn parse(operation: &Operation, arguments: &ArgValues) -> Result<Self> {
        let argument = |name: &str| {
            let mut inputs = operation.inputs.iter().zip(arguments.iter());
            inputs.find(|(field, _)| field.name == name)
        };
        let fields = operation.select.then(|| argument(Operation::FIELDS)).flatten();
        Ok(Self {
            fields: fields.and_then(|(field, names)| choices(&field.ty, names)),
            page: Wanted::parse(operation, arguments)?,
        })
    }

    /// Keeps these fields, or all.
    pub(crate) fn selecting(fields: Option<Vec<String>>) -> Self {
        Self { fields, page: None }
    }

    /// Replaces `cursor` and `limit` by the handler's own values.
    pub(crate) fn adjust_arguments(&self, operation: &Operation, arguments: &mut ArgValues) {
        if let Some(page) = &self.page {
            page.adjust_arguments(operation, arguments);
        }
    }

    /// Reduces a result to what the caller asked for, and then to the `result_bytes` of the operation.
    ///
    /// # Errors
    /// `RESULT_TOO_LARGE` if the parts that cannot be truncated are too large.
    pub(crate) fn apply(&self, operation: &Operation, value: Value) -> Result<Shaped> {
        if !operation.returns_tool_result {
            let value = self.reduced(operation, value)?;
            return Ok(Shaped { value, beside: None, meta: None });
        }
        let ToolResult { content, structured, meta } = ToolResult::parse(value);
        if operation.returns == Returns::Content {
            return Ok(Shaped { value: Value::Array(content), beside: structured, meta });
        }
        let value = self.reduced(operation, structured.unwrap_or_default())?;
        // Content has all fields, and without blocks says nothing.
        let is_beside = self.fields.is_none() && !content.is_empty();
        Ok(Shaped { value, beside: is_beside.then_some(Value::Array(content)), meta })
    }

    fn reduced(&self, operation: &Operation, mut value: Value) -> Result<Value> {
        let limit = usize::try_from(operation.result_bytes).unwrap_or(usize::MAX);
        match (&operation.returns, value) {
            (Returns::Text, Value::String(text)) => {
                return Ok(cut::text(text, limit, operation).into());
            }
            // The dispatcher has already refused larger ones.
            (Returns::Content | Returns::Resource | Returns::Messages, value) => return Ok(value),
            (_, other) => value = other,
        }
        let page = self.page.as_ref().and_then(|wanted| wanted.cut(&mut value));
        if let Some(fields) = &self.fields {
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            keep_fields(&mut value, &fields);
        }
        if let (Some(page), Some(object)) = (&page, value.as_object_mut()) {
            page.add_cursor(object);
        }
        let is_wrapped = self.page.is_none() && matches!(operation.returns, Returns::Wrapped(_));
        let around = if is_wrapped { WRAPPING } else { 0 };
        let media = if operation.returns_tool_result { media_bytes(&value) } else { 0 };
        if size(&value) + around <= limit + media {
            return Ok(value);
        }
        if media > 0 {
            return Err(Fault::too_large("A result with images or files cannot be truncated.")
                .expecting(format!("at most {limit} bytes besides them")));
        }
        match page {
            Some(page) if page.has_items(&value) => page.fit(value, limit, operation),
            _ => cut::value(value, limit, operation),
        }
    }
}

/// Returns the names of the enum values in a list.
fn choices(ty: &Type, slot: &ArgValue) -> Option<Vec<String>> {
    let (Type::Array { items, .. }, ArgValue::List(slots)) = (ty, slot) else { return None };
    let Type::Enum(names) = &**items else { return None };
    let name = |slot: &ArgValue| match slot {
        ArgValue::Choice(at) => names.get(*at).cloned(),
        _ => None,
    };
    Some(slots.iter().filter_map(name).collect())
}

/// Keeps the named fields of the result, or of each item if it is a list.
fn keep_fields(value: &mut Value, fields: &[&str]) {
    match value {
        Value::Object(object) => {
            if let Some(Value::Array(items)) = object.get_mut("result") {
                return keep_of_items(items, fields);
            }
            keep(object, fields);
        }
        Value::Array(items) => keep_of_items(items, fields),
        _ => {}
    }
}

fn keep_of_items(items: &mut [Value], fields: &[&str]) {
    items.iter_mut().filter_map(Value::as_object_mut).for_each(|item| keep(item, fields));
}

/// Keeps the named fields. `list.field` keeps the list, and this field of its items.
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
