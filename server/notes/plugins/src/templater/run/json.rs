//! Converts between values and JSON.

use std::io;
use std::rc::Rc;

use serde::Serialize as _;
use serde_json::Value as Json;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::budget::Budget;
use super::convert::format_number;
use super::heap::Object;
use super::value::Value;
use super::{Outcome, Position, Run};
use crate::templater::script::Fault;

impl Run<'_> {
    /// A value of JSON as a value of the run.
    pub(super) fn convert_from_json(&mut self, position: Position, json: &Json) -> Outcome<Value> {
        self.take_steps(position, 1)?;
        self.run_nested(position, |run| match json {
            Json::Null => Ok(Value::Null),
            Json::Bool(value) => Ok(Value::Boolean(*value)),
            Json::Number(number) => Ok(Value::Number(number.as_f64().unwrap_or(f64::NAN))),
            Json::String(text) => run.string(position, text),
            Json::Array(elements) => {
                let mut values = Vec::new();
                for element in elements {
                    values.push(run.convert_from_json(position, element)?);
                }
                run.array(position, values)
            }
            Json::Object(entries) => {
                let mut object = Object::new();
                for (key, value) in entries {
                    object.insert(Rc::from(key.as_str()), run.convert_from_json(position, value)?);
                }
                run.object(position, object)
            }
        })
    }

    /// A value as JSON; `None` for values that JSON leaves out.
    pub(super) fn convert_to_json(
        &mut self,
        position: Position,
        value: &Value,
    ) -> Outcome<Option<Json>> {
        self.take_steps(position, 1)?;
        self.budget.take_bytes(position, 64)?;
        self.run_nested(position, |run| {
            Ok(Some(match value {
                Value::Null => Json::Null,
                Value::Boolean(value) => Json::Bool(*value),
                Value::Number(number) if !number.is_finite() => Json::Null,
                // JSON has all other numbers as JavaScript writes them.
                Value::Number(number) => {
                    serde_json::from_str(&format_number(*number)).unwrap_or(Json::Null)
                }
                Value::String(text) => {
                    run.budget.take_bytes(position, text.len())?;
                    Json::String(text.to_string())
                }
                Value::Moment(id) => Json::String(run.heap.moment(*id).to_iso()),
                Value::Array(_) => {
                    let mut elements = Vec::new();
                    for element in run.elements(position, value)? {
                        elements
                            .push(run.convert_to_json(position, &element)?.unwrap_or(Json::Null));
                    }
                    Json::Array(elements)
                }
                Value::Object(_) => {
                    let mut object = serde_json::Map::new();
                    for (key, value) in run.entries(position, value)? {
                        if let Some(value) = run.convert_to_json(position, &value)? {
                            object.insert(key.to_string(), value);
                        }
                    }
                    Json::Object(object)
                }
                Value::Regex(_) => Json::Object(serde_json::Map::new()),
                _ => return Ok(None),
            }))
        })
    }

    /// JSON as text, in lines if there is an indent.
    pub(super) fn json_text(
        &mut self,
        position: Position,
        json: &Json,
        indent: &str,
    ) -> Outcome<Value> {
        let mut counted =
            Counted { budget: &mut self.budget, position, text: Vec::new(), fault: None };
        let written = if indent.is_empty() {
            json.serialize(&mut Serializer::new(&mut counted))
        } else {
            let formatter = PrettyFormatter::with_indent(indent.as_bytes());
            json.serialize(&mut Serializer::with_formatter(&mut counted, formatter))
        };
        let Counted { text, fault, .. } = counted;
        match (fault, written) {
            (Some(fault), _) => Err(fault),
            (None, Err(error)) => Self::failure(position, error.to_string()),
            (None, Ok(())) => {
                self.add_built_string(position, String::from_utf8_lossy(&text).into_owned())
            }
        }
    }
}

/// A text that is being written. Its bytes count before they are there.
struct Counted<'a> {
    budget: &'a mut Budget,
    position: Position,
    text: Vec<u8>,
    fault: Option<Fault>,
}

impl io::Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(fault) = self.budget.take_bytes(self.position, bytes.len()) {
            self.fault = Some(fault);
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.text.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
