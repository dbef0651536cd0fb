//! Methods of strings. Positions count units of UTF-16, as in JavaScript.

use std::rc::Rc;

use unicode_normalization::UnicodeNormalization as _;

use super::convert::{Arguments, count_value, from_end, to_signed};
use super::value::Value;
use super::{Outcome, Position, Run};

impl Run<'_> {
    /// Calls a method; `None` if there is none of this name.
    pub(super) fn string_method(
        &mut self,
        position: Position,
        text: &Rc<str>,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Option<Value>> {
        self.take_steps(position, text.len() / 16)?;
        let result = match name {
            "toString" | "valueOf" => return Ok(Some(Value::String(Rc::clone(text)))),
            "toUpperCase" | "toLocaleUpperCase" => text.to_uppercase(),
            "toLowerCase" | "toLocaleLowerCase" => text.to_lowercase(),
            "trim" => text.trim().to_owned(),
            "trimStart" | "trimLeft" => text.trim_start().to_owned(),
            "trimEnd" | "trimRight" => text.trim_end().to_owned(),
            "normalize" => {
                let form = arguments.next();
                match &*self.convert_to_text(position, &form)? {
                    "NFD" => text.nfd().collect(),
                    "NFKC" => text.nfkc().collect(),
                    "NFKD" => text.nfkd().collect(),
                    _ => text.nfc().collect(),
                }
            }
            "concat" => {
                let mut result = String::new();
                self.push(position, &mut result, text)?;
                for argument in std::mem::take(&mut arguments.0) {
                    let argument = self.convert_to_text(position, &argument)?;
                    self.push(position, &mut result, &argument)?;
                }
                return self.add_built_string(position, result).map(Some);
            }
            "repeat" => {
                let times = self.read_integer(position, &arguments.next(), 0)?;
                let length = text.len().saturating_mul(times.max(0).unsigned_abs());
                self.budget.take_bytes(position, length)?;
                text.repeat(times.max(0).unsigned_abs())
            }
            "padStart" | "padEnd" => self.pad(position, text, name == "padStart", arguments)?,
            "slice" | "substring" | "substr" | "charAt" | "at" => {
                return self.substring_method(position, text, name, arguments).map(Some);
            }
            "charCodeAt" | "codePointAt" => {
                let at = self.read_integer(position, &arguments.next(), 0)?;
                return Ok(Some(unit_at(text, at, name == "codePointAt")));
            }
            "split" => return self.split(position, text, arguments).map(Some),
            "replace" | "replaceAll" => {
                let all = name == "replaceAll";
                return self.replace_method(position, text, all, arguments).map(Some);
            }
            "match" | "matchAll" | "search" => {
                return self.match_method(position, text, name, arguments);
            }
            _ => return self.comparison_method(position, text, name, arguments),
        };
        self.string(position, &result).map(Some)
    }

    /// Methods that look for a text.
    fn comparison_method(
        &mut self,
        position: Position,
        text: &str,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Option<Value>> {
        let other = arguments.next();
        let other = self.convert_to_text(position, &other)?;
        let units = |end: usize| count_value(text[..end].encode_utf16().count());
        // Of `localeCompare` this is the language. The orders of languages differ little.
        let start = arguments.next_given();
        let byte = |run: &mut Self, default: usize| -> Outcome<usize> {
            let Some(start) = &start else { return Ok(default) };
            Ok(byte_at(text, run.read_integer(position, start, 0)?))
        };
        Ok(Some(match name {
            "includes" => Value::Boolean(text[byte(self, 0)?..].contains(&*other)),
            "startsWith" => Value::Boolean(text[byte(self, 0)?..].starts_with(&*other)),
            "endsWith" => Value::Boolean(text[..byte(self, text.len())?].ends_with(&*other)),
            "indexOf" => {
                let start = byte(self, 0)?;
                text[start..].find(&*other).map_or(Value::Number(-1.0), |at| units(start + at))
            }
            "lastIndexOf" => {
                let last = byte(self, text.len())?;
                let end = text.floor_char_boundary(last.saturating_add(other.len()));
                text[..end].rfind(&*other).map_or(Value::Number(-1.0), units)
            }
            "localeCompare" => {
                let folded = |text: &str| (text.to_lowercase(), text.to_owned());
                let order = folded(text).cmp(&folded(&other));
                Value::Number(f64::from(order as i8))
            }
            _ => return Ok(None),
        }))
    }

    /// A whole number of an argument.
    #[expect(clippy::cast_possible_truncation, reason = "casts from floats saturate")]
    pub(super) fn read_integer(
        &mut self,
        position: Position,
        value: &Value,
        default: isize,
    ) -> Outcome<isize> {
        if matches!(value, Value::Undefined) {
            return Ok(default);
        }
        let number = self.convert_to_number(position, value)?;
        Ok(if number.is_nan() { 0 } else { number.trunc() as isize })
    }

    fn substring_method(
        &mut self,
        position: Position,
        text: &str,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let length = to_signed(units.len());
        let first = self.read_integer(position, &arguments.next(), 0)?;
        let second = arguments.next();
        let start = to_signed(from_end(first, length));
        let (start, end) = match name {
            "slice" => {
                let end = self.read_integer(position, &second, length)?;
                (start, to_signed(from_end(end, length)))
            }
            "substr" => {
                let taken = self.read_integer(position, &second, length)?;
                (start, start.saturating_add(taken.max(0)).min(length))
            }
            "substring" => {
                let (a, b) = (first, self.read_integer(position, &second, length)?);
                let (a, b) = (a.clamp(0, length), b.clamp(0, length));
                (a.min(b), a.max(b))
            }
            "at" if first < -length || first >= length => return Ok(Value::Undefined),
            "at" => (start, start + 1),
            _ if first < 0 || first >= length => (0, 0),
            _ => (first, first + 1),
        };
        let range = start.unsigned_abs()..end.unsigned_abs().max(start.unsigned_abs());
        let part = String::from_utf16_lossy(&units[range]);
        self.string(position, &part)
    }

    fn pad(
        &mut self,
        position: Position,
        text: &str,
        at_start: bool,
        arguments: &mut Arguments,
    ) -> Outcome<String> {
        let wanted = self.read_integer(position, &arguments.next(), 0)?;
        let filler = match arguments.next_given() {
            Some(filler) => self.convert_to_text(position, &filler)?.into_owned(),
            None => " ".to_owned(),
        };
        let missing = wanted.saturating_sub(to_signed(text.encode_utf16().count())).max(0);
        self.budget.take_bytes(position, missing.unsigned_abs().saturating_mul(4))?;
        let padding: String = filler.chars().cycle().take(missing.unsigned_abs()).collect();
        Ok(if at_start { padding + text } else { text.to_owned() + &padding })
    }

    fn split(
        &mut self,
        position: Position,
        text: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let separator = arguments.next();
        let limit = arguments.next_given();
        let limit = match limit {
            Some(limit) => {
                usize::try_from(self.read_integer(position, &limit, 0)?).unwrap_or(usize::MAX)
            }
            None => usize::MAX,
        };
        match &separator {
            Value::Undefined => self.texts(position, [text]),
            Value::Regex(id) => {
                let regex = self.heap.regex(*id).regex.clone();
                let (mut parts, mut all) = (regex.split(text).take(limit), Vec::new());
                while let Some(part) = self.search_timed(position, || parts.next())? {
                    all.push(part);
                }
                self.texts(position, all)
            }
            other => match &*self.convert_to_text(position, other)? {
                "" => self.texts(position, text.split("").filter(|c| !c.is_empty()).take(limit)),
                separator => self.texts(position, text.split(separator).take(limit)),
            },
        }
    }

    /// An array of texts. Each counts before the next is made.
    pub(super) fn texts(
        &mut self,
        position: Position,
        texts: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Outcome<Value> {
        let mut values = Vec::new();
        for text in texts {
            let text = text.as_ref();
            self.take_steps(position, 1)?;
            self.budget.take_bytes(position, text.len())?;
            values.push(Value::text(text));
        }
        self.array(position, values)
    }
}

/// The byte at a position, or the next one where a character starts.
fn byte_at(text: &str, at: isize) -> usize {
    let at = usize::try_from(at).unwrap_or(0);
    let mut units = 0;
    let start = text.char_indices().find(|(_, c)| {
        let is_reached = units >= at;
        units += c.len_utf16();
        is_reached
    });
    start.map_or(text.len(), |(byte, _)| byte)
}

/// The unit at a position, or the character that starts there.
fn unit_at(text: &str, at: isize, is_character: bool) -> Value {
    let Ok(at) = usize::try_from(at) else { return no_unit(is_character) };
    let units = text.encode_utf16().skip(at).take(if is_character { 2 } else { 1 });
    match char::decode_utf16(units).next() {
        Some(Ok(c)) => Value::Number(f64::from(u32::from(c))),
        Some(Err(half)) => Value::Number(f64::from(half.unpaired_surrogate())),
        None => no_unit(is_character),
    }
}

/// What `codePointAt` and `charCodeAt` give beyond the end.
fn no_unit(is_character: bool) -> Value {
    if is_character { Value::Undefined } else { Value::Number(f64::NAN) }
}
