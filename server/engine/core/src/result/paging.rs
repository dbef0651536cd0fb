//! `page`: one page of a list at a time. A handler returns all items, or a page of its own. The engine keeps
//! the items that the caller asked for and that fit into `result_bytes`.

use serde_json::{Map, Value};

use crate::arguments::value::{ArgValue, ArgValues};
use crate::authority::Operation;
use crate::fault::{Fault, Result};
use crate::json::size::size;
use crate::result::cursor::{Cursor, CursorScope};
use crate::result::cut;
use crate::result::page::{Behind, NEXT};

/// The page that a call asks for.
#[derive(Debug, PartialEq)]
pub(crate) struct Wanted {
    /// Where it begins.
    cursor: Cursor,
    /// How many items it has at most.
    limit: usize,
    scope: CursorScope,
}

impl Wanted {
    /// Reads the page from the arguments; `None` if the operation has no pages.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a cursor that no page of this call returned.
    pub(crate) fn parse(operation: &Operation, arguments: &ArgValues) -> Result<Option<Self>> {
        let Some(sizes) = operation.page else { return Ok(None) };
        let argument = |name: &str| arguments.iter().nth(operation.input(name)?);
        let scope = CursorScope::new(operation, arguments);
        let cursor = match argument("cursor") {
            Some(ArgValue::String(text)) => Cursor::decode(text, &scope)?,
            _ => Cursor::default(),
        };
        let limit = match argument("limit") {
            Some(ArgValue::Integer(limit)) => usize::try_from(*limit).unwrap_or(0),
            _ => usize::try_from(sizes.default).unwrap_or(usize::MAX),
        };
        Ok(Some(Self { cursor, limit, scope }))
    }

    /// Replaces the arguments by the handler's own cursor and a limit that counts from there.
    pub(crate) fn adjust_arguments(&self, operation: &Operation, arguments: &mut ArgValues) {
        let handler_cursor =
            self.cursor.position.clone().map_or(ArgValue::Absent, ArgValue::String);
        let limit = self.limit.saturating_add(self.cursor.skip);
        let limit = ArgValue::Integer(i64::try_from(limit).unwrap_or(i64::MAX));
        for (name, slot) in [("cursor", handler_cursor), ("limit", limit)] {
            if let Some(at) = operation.input(name) {
                arguments.put_at(at, slot);
            }
        }
    }

    /// Cuts the page out of the handler's result; `None` if the result has no list.
    pub(crate) fn cut(&self, value: &mut Value) -> Option<CutPage<'_>> {
        if value.is_array() {
            *value = Value::Object(Map::from_iter([("result".to_owned(), value.take())]));
        }
        let object = value.as_object_mut()?;
        let behind = Behind::take(object);
        let mut lists = object.iter_mut();
        let (list, items) = lists.find_map(|(name, value)| Some((name, value.as_array_mut()?)))?;
        let (list, given) = (list.clone(), items.len());
        let end = self.cursor.skip.saturating_add(self.limit);
        items.truncate(end);
        items.drain(..self.cursor.skip.min(items.len()));
        Some(CutPage { wanted: self, list, given, end, behind })
    }
}

/// A page, and its position among the items that the handler returned.
pub(crate) struct CutPage<'a> {
    wanted: &'a Wanted,
    /// The field that holds the list.
    list: String,
    /// How many items the handler returned.
    given: usize,
    /// How many of them are on this page or skipped before it.
    end: usize,
    behind: Behind,
}

impl CutPage<'_> {
    /// Adds the cursor of the next page, if there is one, and the total.
    pub(crate) fn add_cursor(&self, object: &mut Map<String, Value>) {
        if let Some(total) = self.behind.total {
            object.entry("total").or_insert_with(|| total.into());
        }
        if let Some(next) = self.next(self.end) {
            object.insert(NEXT.to_owned(), next.into());
        }
    }

    /// Returns the cursor after the first `end` of the handler's items; `None` after the last item.
    fn next(&self, end: usize) -> Option<String> {
        let next = if end < self.given {
            Cursor { position: self.wanted.cursor.position.clone(), skip: end }
        } else {
            Cursor::begin(self.behind.next.clone()?)
        };
        Some(next.encode(&self.wanted.scope))
    }

    /// Whether the page has any items.
    pub(crate) fn has_items(&self, value: &Value) -> bool {
        value.get(&self.list).and_then(Value::as_array).is_some_and(|items| !items.is_empty())
    }

    /// Ends the page before the first item that does not fit. The next page begins with it.
    ///
    /// # Errors
    /// `RESULT_TOO_LARGE` if not even one item fits.
    pub(crate) fn fit(
        &self,
        mut value: Value,
        most: usize,
        operation: &Operation,
    ) -> Result<Value> {
        let Value::Object(object) = &mut value else { return Ok(value) };
        let Some(Value::Array(items)) = object.get_mut(&self.list).map(Value::take) else {
            return Ok(value);
        };
        object.insert(self.list.clone(), Value::Array(Vec::new()));
        // The longest cursor that the page can have.
        let longest = self.next(self.given - 1);
        object.extend(longest.map(|next| (NEXT.to_owned(), next.into())));
        cut::mark_truncated(object, operation);
        let without_items = size(&Value::Object(object.clone()));
        let kept = cut::fitting(&items, most.saturating_sub(without_items));
        if kept == 0 {
            return Err(self.too_large(without_items + size(&items[0]), most));
        }
        let next = self.next(self.wanted.cursor.skip + kept);
        object.shift_remove(NEXT);
        object.extend(next.map(|next| (NEXT.to_owned(), next.into())));
        object.insert(self.list.clone(), items.into_iter().take(kept).collect());
        Ok(value)
    }

    /// Returns the fault for a first item that does not fit. The hint says how to skip it.
    fn too_large(&self, bytes: usize, most: usize) -> Fault {
        let number = self.wanted.cursor.skip + 1;
        let is_whole = self.wanted.cursor.position.is_none() && self.behind.next.is_none();
        let which =
            if is_whole { format!(" with item {number} of {}", self.given) } else { String::new() };
        let message =
            format!("The next item is too large: the result would have {bytes} bytes{which}.");
        let fault = Fault::too_large(message)
            .with_path("/cursor")
            .expecting(format!("at most {most} bytes"));
        match self.next(number) {
            Some(next) => fault.hinting(format!("`\"cursor\": \"{next}\"` skips this item.")),
            None => fault.hinting("It is the last item."),
        }
    }
}
