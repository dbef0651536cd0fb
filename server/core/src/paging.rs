//! `page`: one page of a list at a time. A handler gives all items, or a page of its own; of either the
//! engine keeps what was asked for, and what fits.

use serde_json::{Map, Value};

use crate::arg_value::{ArgValue, ArgValues};
use crate::authority::Operation;
use crate::cursor::{Cursor, CursorScope};
use crate::cut;
use crate::fault::{Fault, Result};
use crate::json_size::size;
use crate::page::{Behind, NEXT};

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
    /// None where the operation has no pages.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a cursor that no page of such a call has given.
    pub(crate) fn of(operation: &Operation, arguments: &ArgValues) -> Result<Option<Self>> {
        let Some(sizes) = operation.page else { return Ok(None) };
        let argument = |name: &str| arguments.iter().nth(operation.input(name)?);
        let scope = CursorScope::of(operation, arguments);
        let cursor = match argument("cursor") {
            Some(ArgValue::String(text)) => Cursor::open(text, &scope)?,
            _ => Cursor::default(),
        };
        let limit = match argument("limit") {
            Some(ArgValue::Integer(limit)) => usize::try_from(*limit).unwrap_or(0),
            _ => usize::try_from(sizes.default).unwrap_or(usize::MAX),
        };
        Ok(Some(Self { cursor, limit, scope }))
    }

    /// Gives the handler its own cursor, and a limit that counts from there.
    pub(crate) fn tell(&self, operation: &Operation, arguments: &mut ArgValues) {
        let own = self.cursor.own.clone().map_or(ArgValue::Absent, ArgValue::String);
        let limit = self.limit.saturating_add(self.cursor.skip);
        let limit = ArgValue::Integer(i64::try_from(limit).unwrap_or(i64::MAX));
        for (name, slot) in [("cursor", own), ("limit", limit)] {
            if let Some(at) = operation.input(name) {
                arguments.put_at(at, slot);
            }
        }
    }

    /// Keeps the page of what the handler gave; none where that is no list and has none.
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

/// A page that was cut, and where it stands among the items that the handler gave.
pub(crate) struct CutPage<'a> {
    wanted: &'a Wanted,
    /// The field that has the list.
    list: String,
    /// How many items the handler gave.
    given: usize,
    /// How many of them are on this page and before.
    end: usize,
    behind: Behind,
}

impl CutPage<'_> {
    /// Says where the next page begins, if there is one, and how many items there are.
    pub(crate) fn tell(&self, object: &mut Map<String, Value>) {
        if let Some(total) = self.behind.total {
            object.entry("total").or_insert_with(|| total.into());
        }
        if let Some(next) = self.next(self.end) {
            object.insert(NEXT.to_owned(), next.into());
        }
    }

    /// The cursor behind so many of the items that the handler gave.
    fn next(&self, end: usize) -> Option<String> {
        let next = if end < self.given {
            Cursor { own: self.wanted.cursor.own.clone(), skip: end }
        } else {
            Cursor::begin(self.behind.next.clone()?)
        };
        Some(next.seal(&self.wanted.scope))
    }

    /// Whether the page has something that can be left out.
    pub(crate) fn has_items(&self, value: &Value) -> bool {
        value.get(&self.list).and_then(Value::as_array).is_some_and(|items| !items.is_empty())
    }

    /// Ends the page before the first item that does not fit, which is the first of the next page.
    ///
    /// # Errors
    /// `RESULT_TOO_LARGE` when not even one fits.
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
        // As long as any cursor of this page.
        let longest = self.next(self.given - 1);
        object.extend(longest.map(|next| (NEXT.to_owned(), next.into())));
        cut::tell(object, operation);
        let beside = size(&Value::Object(object.clone()));
        let kept = cut::fitting(&items, most.saturating_sub(beside));
        if kept == 0 {
            return Err(self.too_large(beside + size(&items[0]), most));
        }
        let next = self.next(self.wanted.cursor.skip + kept);
        object.shift_remove(NEXT);
        object.extend(next.map(|next| (NEXT.to_owned(), next.into())));
        object.insert(self.list.clone(), items.into_iter().take(kept).collect());
        Ok(value)
    }

    /// No page can hold the first item.
    fn too_large(&self, bytes: usize, most: usize) -> Fault {
        let number = self.wanted.cursor.skip + 1;
        let is_whole = self.wanted.cursor.own.is_none() && self.behind.next.is_none();
        let which =
            if is_whole { format!(": number {number} of {}", self.given) } else { String::new() };
        let message = format!("The next item alone makes an answer of {bytes} bytes{which}.");
        let fault =
            Fault::too_large(message).at("/cursor").expecting(format!("at most {most} bytes"));
        match self.next(number) {
            Some(next) => fault.hinting(format!("`\"cursor\": \"{next}\"` goes on behind it.")),
            None => fault.hinting("It is the last one: there is nothing behind it."),
        }
    }
}
