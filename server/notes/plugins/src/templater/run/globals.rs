//! Functions and namespaces of the language, and of Obsidian's environment.

use std::rc::Rc;

use serde_json::Value as Json;

use super::builtins::{Global, Namespace};
use super::convert::{Arguments, count_value, index, parse_number};
use super::heap::Object;
use super::value::Value;
use super::{Outcome, Position, Run};
use toolwrit_moment::Moment;

/// How many characters of an indent count.
const MOST_INDENT: usize = 10;

impl Run<'_> {
    pub(super) fn apply_global(
        &mut self,
        position: Position,
        global: Global,
        arguments: Vec<Value>,
    ) -> Outcome<Value> {
        let mut arguments = Arguments(arguments);
        match global {
            Global::Member(namespace, name) => {
                self.apply_member(position, namespace, name, arguments)
            }
            Global::Moment => self.create_moment(position, &mut arguments),
            Global::Number if arguments.0.is_empty() => Ok(Value::Number(0.0)),
            Global::Number => {
                Ok(Value::Number(self.convert_to_number(position, &arguments.next())?))
            }
            Global::String => {
                let value = arguments.next_given().unwrap_or_else(|| Value::text(""));
                let text = self.convert_to_text(position, &value)?.into_owned();
                self.string(position, &text)
            }
            Global::Boolean => Ok(Value::Boolean(arguments.next().is_truthy())),
            Global::Array => match arguments.0[..] {
                [Value::Number(length)] => {
                    let Some(length) = index(length) else {
                        return Self::failure(position, "the length of a list is a whole number");
                    };
                    let elements = self.empty(position, length)?;
                    self.array(position, elements)
                }
                _ => self.array(position, arguments.0),
            },
            Global::ParseInt => self.parse_int(position, &mut arguments),
            Global::ParseFloat => self.parse_float(position, &mut arguments),
            Global::IsNan => {
                Ok(Value::Boolean(self.convert_to_number(position, &arguments.next())?.is_nan()))
            }
            Global::Math | Global::Json | Global::Object | Global::Console => {
                Self::failure(position, "an object is not a function")
            }
        }
    }

    fn apply_member(
        &mut self,
        position: Position,
        namespace: Namespace,
        name: &'static str,
        mut arguments: Arguments,
    ) -> Outcome<Value> {
        match namespace {
            Namespace::Math => self.math(position, name, &mut arguments),
            Namespace::Console => Ok(Value::Undefined),
            Namespace::Json if name == "parse" => {
                let text = arguments.next();
                let text = self.convert_to_text(position, &text)?.into_owned();
                self.take_steps(position, text.len() / 16)?;
                match serde_json::from_str::<Json>(&text) {
                    Ok(value) => self.convert_from_json(position, &value),
                    Err(error) => Self::failure(position, format!("invalid JSON: {error}")),
                }
            }
            Namespace::Json => {
                let (value, replacer) = (arguments.next(), arguments.next());
                if !replacer.is_nullish() {
                    return Self::unsupported_failure(
                        position,
                        "the replacer of `JSON.stringify()`",
                    );
                }
                let Some(json) = self.convert_to_json(position, &value)? else {
                    return Ok(Value::Undefined);
                };
                let indent = match arguments.next() {
                    Value::String(indent) => indent.chars().take(MOST_INDENT).collect(),
                    number => {
                        let width = usize::try_from(self.read_integer(position, &number, 0)?);
                        " ".repeat(width.unwrap_or(0).min(MOST_INDENT))
                    }
                };
                self.json_text(position, &json, &indent)
            }
            Namespace::Object => self.object_function(position, name, &mut arguments),
            Namespace::Array => self.array_function(position, name, arguments),
            Namespace::Number => match name {
                "parseInt" => self.parse_int(position, &mut arguments),
                "parseFloat" => self.parse_float(position, &mut arguments),
                _ => {
                    let Value::Number(number) = arguments.next() else {
                        return Ok(Value::Boolean(false));
                    };
                    Ok(Value::Boolean(match name {
                        "isInteger" => number.fract() == 0.0,
                        "isNaN" => number.is_nan(),
                        _ => number.is_finite(),
                    }))
                }
            },
            Namespace::String => {
                let mut units = Vec::new();
                for argument in arguments.0 {
                    let unit = index(self.convert_to_number(position, &argument)?);
                    units.push(unit.and_then(|unit| u16::try_from(unit).ok()).unwrap_or(0));
                }
                self.string(position, &String::from_utf16_lossy(&units))
            }
        }
    }

    fn math(
        &mut self,
        position: Position,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        if name == "random" {
            return Ok(Value::Number(self.random()));
        }
        if matches!(name, "max" | "min") {
            let mut best = if name == "max" { f64::NEG_INFINITY } else { f64::INFINITY };
            for argument in std::mem::take(&mut arguments.0) {
                let number = self.convert_to_number(position, &argument)?;
                best = match name {
                    _ if number.is_nan() || best.is_nan() => f64::NAN,
                    "max" => best.max(number),
                    _ => best.min(number),
                };
            }
            return Ok(Value::Number(best));
        }
        let number = self.convert_to_number(position, &arguments.next())?;
        Ok(Value::Number(match name {
            "abs" => number.abs(),
            "ceil" => number.ceil(),
            "floor" => number.floor(),
            // Halves are rounded up, not away from zero.
            "round" => (number + 0.5).floor(),
            "trunc" => number.trunc(),
            "sqrt" => number.sqrt(),
            "sign" if number == 0.0 || number.is_nan() => number,
            "sign" => number.signum(),
            _ => number.powf(self.convert_to_number(position, &arguments.next())?),
        }))
    }

    pub(super) fn parse_int(
        &mut self,
        position: Position,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let text = arguments.next();
        let text = self.convert_to_text(position, &text)?.into_owned();
        let radix = u32::try_from(self.read_integer(position, &arguments.next(), 0)?).unwrap_or(1);
        let text = text.trim();
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1.0, digits),
            None => (1.0, text.strip_prefix('+').unwrap_or(text)),
        };
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let (radix, digits) = match (radix, hex) {
            (0 | 16, Some(digits)) => (16, digits),
            (0, None) => (10, digits),
            (radix, _) => (radix, digits),
        };
        if !(2..=36).contains(&radix) {
            return Ok(Value::Number(f64::NAN));
        }
        let digits = digits.chars().map_while(|c| c.to_digit(radix));
        let number = digits.fold(None, |number: Option<f64>, digit| {
            Some(number.unwrap_or(0.0) * f64::from(radix) + f64::from(digit))
        });
        Ok(Value::Number(number.map_or(f64::NAN, |number| sign * number)))
    }

    fn parse_float(&mut self, position: Position, arguments: &mut Arguments) -> Outcome<Value> {
        let text = arguments.next();
        let text = self.convert_to_text(position, &text)?;
        let text = text.trim();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len()).min(64);
        // The longest start that is a number.
        let number = (1..=end).rev().map(|end| parse_number(&text[..end]));
        Ok(Value::Number(number.into_iter().find(|number| !number.is_nan()).unwrap_or(f64::NAN)))
    }

    fn object_function(
        &mut self,
        position: Position,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let object = arguments.next();
        match name {
            "keys" => {
                let keys = self.keys(position, &object)?;
                self.array(position, keys)
            }
            "values" => {
                let entries = self.entries(position, &object)?;
                self.array(position, entries.into_iter().map(|(_, value)| value).collect())
            }
            "entries" => {
                let mut pairs = Vec::new();
                for (key, value) in self.entries(position, &object)? {
                    pairs.push(self.array(position, vec![Value::String(key), value])?);
                }
                self.array(position, pairs)
            }
            "assign" => {
                let Value::Object(id) = object else {
                    return Self::unsupported_failure(
                        position,
                        "`Object.assign()` to something else than an object",
                    );
                };
                for source in std::mem::take(&mut arguments.0) {
                    let entries = self.entries(position, &source)?;
                    self.heap.object_mut(id).extend(entries);
                }
                Ok(Value::Object(id))
            }
            _ => {
                let mut made = Object::new();
                for pair in self.elements(position, &object)? {
                    let mut pair = Arguments(self.elements(position, &pair)?);
                    let key = pair.next();
                    let key = Rc::from(&*self.convert_to_text(position, &key)?);
                    made.insert(key, pair.next());
                }
                self.object(position, made)
            }
        }
    }

    fn array_function(
        &mut self,
        position: Position,
        name: &str,
        arguments: Arguments,
    ) -> Outcome<Value> {
        let mut arguments = arguments;
        match name {
            "of" => self.array(position, arguments.0),
            "isArray" => Ok(Value::Boolean(matches!(arguments.next(), Value::Array(_)))),
            _ => {
                let list = arguments.next();
                let elements = match &list {
                    Value::Object(_) => {
                        let length = self.property(position, &list, "length")?;
                        let length = self.read_integer(position, &length, 0)?.max(0).unsigned_abs();
                        self.empty(position, length)?
                    }
                    other => self.elements(position, other)?,
                };
                let Some(function) = arguments.next_given() else {
                    return self.array(position, elements);
                };
                let mut mapped = Vec::new();
                for (at, element) in elements.into_iter().enumerate() {
                    mapped.push(self.apply(position, &function, vec![element, count_value(at)])?);
                }
                self.array(position, mapped)
            }
        }
    }

    /// The elements of a list of which only the length is known.
    fn empty(&mut self, position: Position, length: usize) -> Outcome<Vec<Value>> {
        self.take_steps(position, length)?;
        self.grow(position, length)?;
        Ok(vec![Value::Undefined; length])
    }

    /// A number from 0 to 1, by the generator splitmix64.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn random(&mut self) -> f64 {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.seed;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The current time as a date.
    pub(super) fn now(&self) -> Moment {
        self.environment.now.clone()
    }
}
