//! Conversions and operators, as JavaScript defines them.

use std::borrow::Cow;
use std::rc::Rc;

use super::builtins::Global;
use super::value::Value;
use super::{Outcome, Position, Run};
use crate::templater::script::Binary;

impl Run<'_> {
    /// The text of a value, as when it is inserted.
    pub(super) fn convert_to_text<'v>(
        &mut self,
        position: Position,
        value: &'v Value,
    ) -> Outcome<Cow<'v, str>> {
        Ok(match value {
            Value::Undefined => "undefined".into(),
            Value::Null => "null".into(),
            Value::Boolean(value) => value.to_string().into(),
            Value::Number(number) => format_number(*number).into(),
            Value::String(text) => Cow::Borrowed(&**text),
            Value::Array(id) => {
                let elements = self.heap.array(*id).to_vec();
                self.join(position, &elements, ",")?.into()
            }
            Value::Moment(id) => {
                self.heap.moment(*id).format("ddd MMM DD YYYY HH:mm:ss [GMT]ZZ").into()
            }
            Value::Regex(id) => format!("/{}/", self.heap.regex(*id).source).into(),
            Value::Object(_) | Value::Tp(_) | Value::Global(_) => "[object Object]".into(),
            Value::Function(_) | Value::TpFunction(_) => "[function]".into(),
        })
    }

    /// The texts of elements with a separator between them.
    pub(super) fn join(
        &mut self,
        position: Position,
        elements: &[Value],
        separator: &str,
    ) -> Outcome<String> {
        self.take_steps(position, elements.len())?;
        self.run_nested(position, |run| {
            let mut text = String::new();
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    run.push(position, &mut text, separator)?;
                }
                if !element.is_nullish() {
                    let element = run.convert_to_text(position, element)?;
                    run.push(position, &mut text, &element)?;
                }
            }
            Ok(text)
        })
    }

    pub(super) fn convert_to_number(&mut self, position: Position, value: &Value) -> Outcome<f64> {
        Ok(match value {
            Value::Null => 0.0,
            Value::Boolean(value) => f64::from(u8::from(*value)),
            Value::Number(number) => *number,
            Value::String(text) => parse_number(text),
            Value::Moment(id) => self.heap.moment(*id).milliseconds(),
            Value::Array(_) => parse_number(&self.convert_to_text(position, value)?),
            _ => f64::NAN,
        })
    }

    pub(super) fn apply_binary(
        &mut self,
        position: Position,
        operator: Binary,
        left: &Value,
        right: &Value,
    ) -> Outcome<Value> {
        match operator {
            Binary::Add if is_textual(left) || is_textual(right) => {
                let mut text = self.convert_to_text(position, left)?.into_owned();
                text.push_str(&self.convert_to_text(position, right)?);
                return self.string(position, &text);
            }
            Binary::Equal => return Ok(Value::Boolean(self.equals(position, left, right)?)),
            Binary::NotEqual => return Ok(Value::Boolean(!self.equals(position, left, right)?)),
            Binary::StrictEqual => return Ok(Value::Boolean(left.is(right))),
            Binary::StrictNotEqual => return Ok(Value::Boolean(!left.is(right))),
            Binary::In => {
                let key = self.convert_to_text(position, left)?.into_owned();
                return Ok(Value::Boolean(self.has_property(right, &key)));
            }
            _ => {}
        }
        if let (Value::String(left), Value::String(right)) = (left, right) {
            let order = || left.encode_utf16().cmp(right.encode_utf16());
            match operator {
                Binary::Less => return Ok(Value::Boolean(order().is_lt())),
                Binary::LessEqual => return Ok(Value::Boolean(order().is_le())),
                Binary::Greater => return Ok(Value::Boolean(order().is_gt())),
                Binary::GreaterEqual => return Ok(Value::Boolean(order().is_ge())),
                _ => {}
            }
        }
        let (left, right) =
            (self.convert_to_number(position, left)?, self.convert_to_number(position, right)?);
        Ok(match operator {
            Binary::Add => Value::Number(left + right),
            Binary::Subtract => Value::Number(left - right),
            Binary::Multiply => Value::Number(left * right),
            Binary::Divide => Value::Number(left / right),
            Binary::Remainder => Value::Number(left % right),
            Binary::Power => Value::Number(left.powf(right)),
            Binary::Less => Value::Boolean(left < right),
            Binary::LessEqual => Value::Boolean(left <= right),
            Binary::Greater => Value::Boolean(left > right),
            Binary::GreaterEqual => Value::Boolean(left >= right),
            // Decided above.
            Binary::Equal
            | Binary::NotEqual
            | Binary::StrictEqual
            | Binary::StrictNotEqual
            | Binary::In => Value::Undefined,
        })
    }

    /// Whether two values are equal after conversion: `==`.
    fn equals(&mut self, position: Position, left: &Value, right: &Value) -> Outcome<bool> {
        let is_simple = |value: &Value| {
            matches!(value, Value::Boolean(_) | Value::Number(_) | Value::String(_))
        };
        if left.is_nullish() || right.is_nullish() {
            return Ok(left.is_nullish() && right.is_nullish());
        }
        if left.type_name() == right.type_name() || !is_simple(left) && !is_simple(right) {
            return Ok(left.is(right));
        }
        if is_textual(left) && is_textual(right) {
            return Ok(
                self.convert_to_text(position, left)? == self.convert_to_text(position, right)?
            );
        }
        #[expect(clippy::float_cmp, reason = "JavaScript compares numbers exactly")]
        Ok(self.convert_to_number(position, left)? == self.convert_to_number(position, right)?)
    }

    /// The elements of something that can be looped over.
    pub(super) fn elements(&mut self, position: Position, value: &Value) -> Outcome<Vec<Value>> {
        match value {
            Value::Array(id) => {
                self.take_steps(position, self.heap.array(*id).len())?;
                Ok(self.heap.array(*id).to_vec())
            }
            Value::String(text) => {
                self.take_steps(position, text.chars().count())?;
                Ok(text.chars().map(|c| Value::text(c.encode_utf8(&mut [0; 4]) as &str)).collect())
            }
            other => Self::failure(position, format!("{} is not a list", other.kind())),
        }
    }

    /// The properties of an object, or the elements of a list by their positions.
    pub(super) fn entries(
        &mut self,
        position: Position,
        value: &Value,
    ) -> Outcome<Vec<(Rc<str>, Value)>> {
        let entries: Vec<_> = match value {
            Value::Object(id) => {
                let entries = self.heap.object(*id).iter();
                entries.map(|(key, value)| (Rc::clone(key), value.clone())).collect()
            }
            Value::Array(id) => {
                let elements = self.heap.array(*id).iter().enumerate();
                elements.map(|(at, value)| (Rc::from(at.to_string()), value.clone())).collect()
            }
            Value::Undefined | Value::Null => Vec::new(),
            other => return Self::failure(position, format!("{} has no properties", other.kind())),
        };
        self.take_steps(position, entries.len())?;
        self.grow(position, entries.len())?;
        Ok(entries)
    }

    pub(super) fn keys(&mut self, position: Position, value: &Value) -> Outcome<Vec<Value>> {
        Ok(self.entries(position, value)?.into_iter().map(|(key, _)| Value::String(key)).collect())
    }

    /// A property; undefined if there is none.
    pub(super) fn property(
        &mut self,
        position: Position,
        value: &Value,
        name: &str,
    ) -> Outcome<Value> {
        match value {
            Value::Undefined | Value::Null => {
                Self::failure(position, format!("cannot read `{name}` of {}", value.kind()))
            }
            Value::Object(id) => {
                Ok(self.heap.object(*id).get(name).cloned().unwrap_or(Value::Undefined))
            }
            Value::Array(id) => {
                let array = self.heap.array(*id);
                let element = || array.get(name.parse::<usize>().ok()?).cloned();
                Ok(match name {
                    "length" => count_value(array.len()),
                    _ => element().unwrap_or(Value::Undefined),
                })
            }
            Value::String(text) => {
                let text = Rc::clone(text);
                if name == "length" {
                    self.take_steps(position, text.len() / 16)?;
                    return Ok(count_value(text.encode_utf16().count()));
                }
                match name.parse::<usize>() {
                    Ok(at) => {
                        let unit = text.encode_utf16().nth(at);
                        let unit = unit.map(|unit| String::from_utf16_lossy(&[unit]));
                        Ok(unit.map_or(Value::Undefined, Value::text))
                    }
                    Err(_) => Ok(Value::Undefined),
                }
            }
            Value::Tp(module) => self.tp_member(position, *module, name),
            Value::Global(Global::Math) if name == "PI" => Ok(Value::Number(std::f64::consts::PI)),
            Value::Global(global) => match global.member(name) {
                Some(function) => Ok(Value::Global(function)),
                None => Self::unsupported_failure(position, format!("`{name}` of a global object")),
            },
            _ => Ok(Value::Undefined),
        }
    }

    pub(super) fn has_property(&self, value: &Value, name: &str) -> bool {
        match value {
            Value::Object(id) => self.heap.object(*id).contains_key(name),
            Value::Array(id) => {
                name.parse::<usize>().is_ok_and(|at| at < self.heap.array(*id).len())
                    || name == "length"
            }
            _ => true,
        }
    }

    pub(super) fn method(
        &mut self,
        position: Position,
        object: &Value,
        name: &str,
        arguments: Vec<Value>,
    ) -> Outcome<Value> {
        let mut arguments = Arguments(arguments);
        let done = match object {
            Value::String(text) => self.string_method(position, text, name, &mut arguments)?,
            Value::Array(id) => self.array_method(position, *id, name, &mut arguments)?,
            Value::Moment(id) => self.moment_method(position, *id, name, &mut arguments)?,
            Value::Regex(id) => self.regex_method(position, *id, name, &mut arguments)?,
            Value::Number(number) => self.number_method(position, *number, name, &mut arguments)?,
            other if name == "toString" => {
                let text = self.convert_to_text(position, other)?.into_owned();
                Some(self.string(position, &text)?)
            }
            _ => None,
        };
        match done {
            // An argument that is not read would mean something that is not done.
            Some(_) if !arguments.0.is_empty() => {
                Self::unsupported_failure(position, format!("another argument of `{name}()`"))
            }
            Some(value) => Ok(value),
            None => Self::unsupported_failure(position, format!("`{name}()` of {}", object.kind())),
        }
    }

    fn number_method(
        &mut self,
        position: Position,
        number: f64,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Option<Value>> {
        let text = match name {
            "toString" | "toLocaleString" if arguments.0.is_empty() => format_number(number),
            "toFixed" => {
                let digits = self.convert_to_number(position, &arguments.next())?;
                let digits = index(digits).unwrap_or(0).min(100);
                format!("{number:.digits$}")
            }
            _ => return Ok(None),
        };
        self.string(position, &text).map(Some)
    }
}

/// Whether calls of a property are methods of the language.
pub(super) fn has_methods(value: &Value) -> bool {
    matches!(
        value,
        Value::String(_)
            | Value::Array(_)
            | Value::Number(_)
            | Value::Boolean(_)
            | Value::Moment(_)
            | Value::Regex(_)
    )
}

/// The arguments of a call that are not read yet.
pub(super) struct Arguments(pub(super) Vec<Value>);

impl Arguments {
    /// The next argument; undefined if there is none.
    pub(super) fn next(&mut self) -> Value {
        if self.0.is_empty() { Value::Undefined } else { self.0.remove(0) }
    }

    /// The next argument, unless it is missing or undefined.
    pub(super) fn next_given(&mut self) -> Option<Value> {
        Some(self.next()).filter(|value| !matches!(value, Value::Undefined))
    }
}

/// The number of elements as a value.
#[expect(clippy::cast_precision_loss, reason = "lengths are below 2^53")]
pub(super) fn count_value(length: usize) -> Value {
    Value::Number(length as f64)
}

/// A length as a position.
pub(super) fn to_signed(length: usize) -> isize {
    isize::try_from(length).unwrap_or(isize::MAX)
}

/// A position, which counts from the end if it is negative, within a length.
pub(super) fn from_end(at: isize, length: isize) -> usize {
    (if at < 0 { length.saturating_add(at).max(0) } else { at.min(length) }).unsigned_abs()
}

/// Whether `+` with the value joins texts.
fn is_textual(value: &Value) -> bool {
    !matches!(value, Value::Undefined | Value::Null | Value::Boolean(_) | Value::Number(_))
        && !matches!(value, Value::Moment(_))
}

/// A number as JavaScript writes it.
pub(super) fn format_number(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let magnitude = number.abs();
    if number == 0.0 {
        "0".to_owned()
    } else if (1e-6..1e21).contains(&magnitude) {
        number.to_string()
    } else {
        let text = format!("{number:e}");
        if magnitude >= 1.0 { text.replace('e', "e+") } else { text }
    }
}

/// A text as a number; not a number if it is none.
pub(super) fn parse_number(text: &str) -> f64 {
    let text = text.trim();
    if text.is_empty() {
        return 0.0;
    }
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u32::from_str_radix(hex, 16).map_or(f64::NAN, f64::from);
    }
    match text.trim_start_matches(['+', '-']) {
        "Infinity" => text.replace("Infinity", "inf").parse().unwrap_or(f64::NAN),
        digits if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            text.parse().unwrap_or(f64::NAN)
        }
        _ => f64::NAN,
    }
}

/// A number as the index of an element.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
pub(super) fn index(number: f64) -> Option<usize> {
    (number >= 0.0 && number.fract() == 0.0 && number < 1e9).then_some(number as usize)
}
