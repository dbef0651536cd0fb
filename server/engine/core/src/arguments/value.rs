//! Checked arguments, between JSON and generated structs. The validator makes [`ArgValue`]s from a static
//! field table. A generated struct takes them in the same order, which cannot fail.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use indexmap::IndexMap;
use jiff::{Timestamp, civil::Date};
use serde_json::{Map, Number, Value};

use crate::arguments::refused::RefusedItem;
use crate::authority::{Field, Type};

/// A checked argument.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgValue {
    /// Optional and not given.
    Absent,
    /// Null, of a field that may be null.
    Null,
    /// A boolean.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A whole number of at least 0.
    Unsigned(u64),
    /// A finite number, as it was written: APIs that want `10` may refuse `10.0`.
    Number(Number),
    /// A string.
    String(String),
    /// A date.
    Date(Date),
    /// An instant, and as it was written, because its offset may have a meaning for an API.
    Timestamp(Timestamp, String),
    /// The position of an enum value.
    Choice(usize),
    /// A list.
    List(Vec<ArgValue>),
    /// An object with free keys, in the order in which they were sent. The order does not matter for equality.
    Map(IndexMap<String, ArgValue>),
    /// An object with declared fields.
    Record(ArgValues),
    /// Any JSON.
    Json(Value),
    /// An item that does not fit, of a list whose items are checked one by one.
    Refused(Box<RefusedItem>),
}

impl Eq for ArgValue {}

impl Hash for ArgValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            ArgValue::Absent | ArgValue::Null => {}
            ArgValue::Boolean(value) => value.hash(state),
            ArgValue::Integer(value) => value.hash(state),
            ArgValue::Unsigned(value) => value.hash(state),
            ArgValue::Number(value) => value.hash(state),
            ArgValue::String(value) => value.hash(state),
            ArgValue::Date(value) => value.hash(state),
            ArgValue::Timestamp(value, _) => value.hash(state),
            ArgValue::Choice(value) => value.hash(state),
            ArgValue::List(value) => value.hash(state),
            ArgValue::Map(value) => sorted_entries(value).hash(state),
            ArgValue::Record(value) => value.hash(state),
            ArgValue::Json(value) => value.hash(state),
            ArgValue::Refused(item) => item.given.hash(state),
        }
    }
}

impl ArgValue {
    /// Returns the argument as JSON. The validator has made it from this type.
    fn into_json(self, ty: &Type) -> Value {
        match (ty, self) {
            (_, Self::Absent | Self::Null) => Value::Null,
            (_, Self::Boolean(value)) => value.into(),
            (_, Self::Integer(value)) => value.into(),
            (_, Self::Unsigned(value)) => value.into(),
            (_, Self::Number(value)) => Value::Number(value),
            (_, Self::String(text) | Self::Timestamp(_, text)) => text.into(),
            (_, Self::Date(date)) => date.to_string().into(),
            (_, Self::Json(value)) => value,
            (_, Self::Refused(item)) => item.given,
            (Type::Enum(values), Self::Choice(at)) => values[at].as_str().into(),
            (Type::Array { items, .. }, Self::List(slots)) => {
                slots.into_iter().map(|slot| slot.into_json(items)).collect()
            }
            (Type::Map(inner), Self::Map(slots)) => {
                let entries = slots.into_iter().map(|(key, slot)| (key, slot.into_json(inner)));
                Value::Object(entries.collect())
            }
            (Type::Record(fields), Self::Record(slots)) => Value::Object(slots.into_map(fields)),
            (_, Self::Choice(_) | Self::List(_) | Self::Map(_) | Self::Record(_)) => {
                unreachable!("the validator filled the slot from this table")
            }
        }
    }
}

/// Returns the entries of an object in the order of their keys.
pub(super) fn sorted_entries<'a, T>(
    object: impl IntoIterator<Item = (&'a String, T)>,
) -> Vec<(&'a String, T)> {
    let mut entries: Vec<_> = object.into_iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries
}

/// Checked arguments in the order of the field table.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ArgValues {
    slots: Vec<ArgValue>,
    next: usize,
}

impl ArgValues {
    pub(crate) fn with_capacity(fields: usize) -> Self {
        Self { slots: Vec::with_capacity(fields), next: 0 }
    }

    pub(crate) fn push(&mut self, slot: ArgValue) {
        self.slots.push(slot);
    }

    /// Holds the arguments of an operation without a field table, unchecked, as one JSON value.
    pub(crate) fn whole(arguments: Map<String, Value>) -> Self {
        Self { slots: vec![ArgValue::Json(Value::Object(arguments))], next: 0 }
    }

    /// Returns the arguments by name, as JSON: declared fields in the order of their table, and the keys of free JSON in the
    /// order in which they were sent.
    pub(crate) fn into_map(mut self, fields: &[Field]) -> Map<String, Value> {
        if fields.is_empty()
            && let ArgValue::Json(Value::Object(whole)) = self.take_at(0)
        {
            return whole;
        }
        let given = fields.iter().zip(self.slots).filter(|(_, slot)| *slot != ArgValue::Absent);
        given.map(|(field, slot)| (field.name.clone(), slot.into_json(&field.ty))).collect()
    }

    /// All arguments in order. Those already taken are `Absent`.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ArgValue> {
        self.slots.iter()
    }

    /// Replaces the argument at this position.
    pub(crate) fn put_at(&mut self, at: usize, slot: ArgValue) {
        if let Some(old) = self.slots.get_mut(at) {
            *old = slot;
        }
    }

    /// Takes the argument at this position, and leaves `Absent`.
    pub(crate) fn take_at(&mut self, at: usize) -> ArgValue {
        let slot = self.slots.get_mut(at);
        slot.map_or(ArgValue::Absent, |slot| std::mem::replace(slot, ArgValue::Absent))
    }

    /// Takes the next argument. Called by generated code, once per field, in the table's order.
    pub fn take<T: FromArgValue>(&mut self) -> T {
        T::from_slot(self.next())
    }

    fn next(&mut self) -> ArgValue {
        self.next += 1;
        self.take_at(self.next - 1)
    }
}

/// A type that a checked argument converts to.
///
/// The validator and the generated struct read the same manifest, so the kinds always agree; a
/// disagreement is a bug in the macro, and the panic guard reports it as `INTERNAL`.
pub trait FromArgValue: Sized {
    /// Converts the argument.
    fn from_slot(slot: ArgValue) -> Self;
}

macro_rules! from_slot {
    ($($ty:ty, $variant:ident);* $(;)?) => {$(
        impl FromArgValue for $ty {
            fn from_slot(slot: ArgValue) -> Self {
                match slot {
                    ArgValue::$variant(value) => value,
                    other => mismatch(stringify!($variant), &other),
                }
            }
        }
    )*};
}

from_slot! {
    bool, Boolean;
    i64, Integer;
    u64, Unsigned;
    String, String;
    Date, Date;
    Value, Json;
    ArgValues, Record;
}

impl FromArgValue for Timestamp {
    fn from_slot(slot: ArgValue) -> Self {
        match slot {
            ArgValue::Timestamp(instant, _) => instant,
            other => mismatch("Timestamp", &other),
        }
    }
}

impl FromArgValue for f64 {
    fn from_slot(slot: ArgValue) -> Self {
        match &slot {
            ArgValue::Number(value) if let Some(value) = value.as_f64() => value,
            other => mismatch("Number", other),
        }
    }
}

/// For the narrower integers. The validator has checked their bounds against the field table.
macro_rules! from_integer {
    ($($ty:ty),*) => {$(
        impl FromArgValue for $ty {
            fn from_slot(slot: ArgValue) -> Self {
                match slot {
                    ArgValue::Integer(value) if let Ok(value) = value.try_into() => value,
                    other => mismatch(stringify!($ty), &other),
                }
            }
        }
    )*};
}

from_integer!(i32, u32);

impl<T: FromArgValue> FromArgValue for Option<T> {
    fn from_slot(slot: ArgValue) -> Self {
        match slot {
            ArgValue::Absent => None,
            slot => Some(T::from_slot(slot)),
        }
    }
}

impl<T: FromArgValue> FromArgValue for Result<T, RefusedItem> {
    fn from_slot(slot: ArgValue) -> Self {
        match slot {
            ArgValue::Refused(item) => Err(*item),
            slot => Ok(T::from_slot(slot)),
        }
    }
}

impl<T: FromArgValue> FromArgValue for Vec<T> {
    fn from_slot(slot: ArgValue) -> Self {
        match slot {
            ArgValue::List(items) => items.into_iter().map(T::from_slot).collect(),
            other => mismatch("List", &other),
        }
    }
}

impl FromArgValue for Map<String, Value> {
    /// Keeps the order in which the keys were sent.
    fn from_slot(slot: ArgValue) -> Self {
        match slot {
            ArgValue::Map(entries) => {
                entries.into_iter().map(|(key, slot)| (key, Value::from_slot(slot))).collect()
            }
            other => mismatch("Map", &other),
        }
    }
}

impl<T: FromArgValue> FromArgValue for BTreeMap<String, T> {
    fn from_slot(slot: ArgValue) -> Self {
        match slot {
            ArgValue::Map(entries) => {
                entries.into_iter().map(|(key, slot)| (key, T::from_slot(slot))).collect()
            }
            other => mismatch("Map", &other),
        }
    }
}

/// Returns the position of an enum value. Called by generated enums.
pub fn choice(slot: &ArgValue) -> usize {
    match slot {
        ArgValue::Choice(at) => *at,
        other => mismatch("Choice", other),
    }
}

/// The error for a text that is not a value of an enum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not one of {values}")]
pub struct UnknownValue {
    word: String,
    values: String,
}

/// Parses a value of a generated enum.
///
/// # Errors
/// If there is no such value. The error lists all values.
pub fn value<T: Copy>(
    word: &str,
    all: &[T],
    as_str: fn(T) -> &'static str,
) -> Result<T, UnknownValue> {
    let found = all.iter().copied().find(|value| as_str(*value) == word);
    found.ok_or_else(|| {
        let values: Vec<&str> = all.iter().copied().map(as_str).collect();
        UnknownValue { word: word.to_owned(), values: values.join(", ") }
    })
}

#[cold]
fn mismatch(wanted: &str, slot: &ArgValue) -> ! {
    unreachable!("generated code expected {wanted}, but the field table gave {slot:?}")
}

/// A type that a handler may return.
pub trait IntoJson: Sized {
    /// Returns the JSON value on the wire.
    fn into_json(self) -> Value;

    /// Returns the value as a field of an object; `None` leaves the field out.
    fn into_field(self) -> Option<Value> {
        Some(self.into_json())
    }
}

macro_rules! into_json {
    ($($ty:ty),* $(,)?) => {$(
        impl IntoJson for $ty {
            fn into_json(self) -> Value {
                self.into()
            }
        }
    )*};
}

into_json!(bool, i32, u32, i64, u64, f64, String, &'static str, Value);

impl IntoJson for Date {
    fn into_json(self) -> Value {
        self.to_string().into()
    }
}

impl IntoJson for Timestamp {
    fn into_json(self) -> Value {
        self.to_string().into()
    }
}

impl<T: IntoJson> IntoJson for Option<T> {
    fn into_json(self) -> Value {
        self.map_or(Value::Null, T::into_json)
    }

    fn into_field(self) -> Option<Value> {
        self.map(T::into_json)
    }
}

impl<T: IntoJson> IntoJson for Vec<T> {
    fn into_json(self) -> Value {
        Value::Array(self.into_iter().map(T::into_json).collect())
    }
}

impl<T: IntoJson> IntoJson for BTreeMap<String, T> {
    fn into_json(self) -> Value {
        Value::Object(self.into_iter().map(|(key, value)| (key, value.into_json())).collect())
    }
}

/// Builds the JSON object of a generated result struct, in the order of its fields.
#[derive(Debug)]
pub struct Object(Map<String, Value>);

impl Object {
    /// Returns an empty object with capacity for this number of fields.
    pub fn with_capacity(fields: usize) -> Self {
        Self(Map::with_capacity(fields))
    }

    /// Adds a field, unless it is absent.
    #[must_use]
    pub fn field(mut self, name: &'static str, value: impl IntoJson) -> Self {
        if let Some(value) = value.into_field() {
            self.0.insert(name.to_owned(), value);
        }
        self
    }

    /// Returns the finished object.
    pub fn build(self) -> Value {
        Value::Object(self.0)
    }
}
