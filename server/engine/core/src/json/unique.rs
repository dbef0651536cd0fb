//! JSON whose objects must not repeat keys. Most parsers silently keep the last of several values, so two
//! programs that parse the same text may see different calls.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};
use toolwrit_text::shorten;

use crate::fault::Fault;
use crate::json::pointer::Pointer;

/// A key that an object contains more than once.
#[derive(Debug, Clone)]
pub struct Repeated {
    name: String,
    /// JSON pointer (RFC 6901), relative to the value that was parsed.
    pointer: String,
}

impl Repeated {
    /// Returns `VALIDATION_ERROR` that points at the key. `begin` is the pointer of the parsed value.
    pub fn fault(&self, begin: &str) -> Fault {
        let name = shorten::name(&self.name);
        let pointer: String = begin.chars().chain(self.pointer.chars()).take(500).collect();
        Fault::validation(format!("`{name}` occurs twice."))
            .with_path(pointer)
            .expecting("each key once")
            .hinting("Nothing was done. Send the call again with one value.")
    }
}

/// An object, and the first key that is repeated anywhere in it. `entries` has the last value of such a key.
#[derive(Debug, Default)]
pub struct UniqueObject {
    /// The members of the object.
    pub entries: Map<String, Value>,
    /// The first key that is repeated.
    pub repeated: Option<Repeated>,
}

impl<'de> Deserialize<'de> for UniqueObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let repeated = RefCell::default();
        let reader = KeyReader { at: Pointer::Root, repeated: &repeated };
        match reader.deserialize(deserializer)? {
            Value::Object(entries) => Ok(Self { entries, repeated: repeated.into_inner() }),
            _ => Err(D::Error::custom("expected an object")),
        }
    }
}

/// A value of any kind, as [`UniqueObject`].
#[derive(Debug)]
pub(crate) struct ReadValue {
    /// The value.
    pub(crate) value: Value,
    pub(crate) repeated: Option<Repeated>,
}

impl<'de> Deserialize<'de> for ReadValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let repeated = RefCell::default();
        let value =
            KeyReader { at: Pointer::Root, repeated: &repeated }.deserialize(deserializer)?;
        Ok(Self { value, repeated: repeated.into_inner() })
    }
}

/// Deserializes a value as `serde_json` does, and notes the first repeated key.
struct KeyReader<'a> {
    at: Pointer<'a>,
    repeated: &'a RefCell<Option<Repeated>>,
}

impl<'de> DeserializeSeed<'de> for KeyReader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for KeyReader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let at = Pointer::Item(&self.at, list.len());
            match items.next_element_seed(KeyReader { at, repeated: self.repeated })? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let at = Pointer::Key(&self.at, &key);
            let value = entries.next_value_seed(KeyReader { at, repeated: self.repeated })?;
            match object.entry(key) {
                Entry::Vacant(free) => drop(free.insert(value)),
                Entry::Occupied(mut taken) => {
                    self.note(taken.key());
                    taken.insert(value);
                }
            }
        }
        Ok(Value::Object(object))
    }
}

impl KeyReader<'_> {
    fn note(&self, key: &str) {
        self.repeated.borrow_mut().get_or_insert_with(|| Repeated {
            name: key.to_owned(),
            pointer: Pointer::Key(&self.at, key).render(),
        });
    }
}
