//! Checked arguments as JSON text. The text is written from the field table, if there is one, so it cannot
//! contain anything that the manifest does not declare or that failed validation.

use serde_json::{Number, Value};

use crate::arguments::value::{ArgValue, ArgValues, sorted_entries};
use crate::authority::{Field, Type};

/// Replaces a sensitive value.
const REDACTED: &[u8] = br#""[redacted]""#;
/// Replaces an item that does not fit.
const REFUSED: &[u8] = br#""[refused]""#;
/// Replaces the rest of a list or a map that is too long.
const CUT: &[u8] = br#""[cut]""#;
/// Characters of a string that the audit keeps.
const LONGEST_STRING: usize = 200;
/// Bytes of text after which the audit leaves out the rest of a list or a map.
const ENOUGH: usize = 16 * 1024;

/// Writes arguments for the audit: without sensitive values, with long texts and lists cut.
pub(crate) fn redacted(fields: &[Field], arguments: &ArgValues) -> String {
    write(fields, arguments, RecordDetail::Redacted)
}

/// Writes all arguments. Two calls with the same meaning get the same text: with defaults, and with keys in
/// a fixed order.
pub(crate) fn canonical(fields: &[Field], arguments: &ArgValues) -> String {
    write(fields, arguments, RecordDetail::Whole)
}

fn write(fields: &[Field], arguments: &ArgValues, detail: RecordDetail) -> String {
    let mut writer = CanonicalWriter { text: Vec::with_capacity(128), detail };
    match arguments.iter().next() {
        // The operation has no field table.
        Some(ArgValue::Json(whole)) if fields.is_empty() => writer.json(whole),
        _ => writer.record(fields, arguments),
    }
    #[expect(clippy::expect_used, reason = "JSON is UTF-8, and texts are cut between characters")]
    String::from_utf8(writer.text).expect("the text is UTF-8")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RecordDetail {
    Redacted,
    Whole,
}

/// `10.0` and `10` are one number.
#[expect(clippy::cast_possible_truncation, reason = "only below 2^53, where it is exact")]
fn canonical_number(number: &Number) -> Number {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(float) if float.fract() == 0.0 && float.abs() < EXACT => (float as i64).into(),
        _ => number.clone(),
    }
}

struct CanonicalWriter {
    text: Vec<u8>,
    detail: RecordDetail,
}

impl CanonicalWriter {
    fn record(&mut self, fields: &[Field], slots: &ArgValues) {
        let given = fields.iter().zip(slots.iter()).filter(|(_, slot)| **slot != ArgValue::Absent);
        self.list(*b"{}", given, |writer, (field, slot)| {
            writer.key(&field.name);
            if field.sensitive && writer.detail == RecordDetail::Redacted {
                writer.text.extend_from_slice(REDACTED);
            } else {
                writer.value(&field.ty, slot);
            }
        });
    }

    fn value(&mut self, ty: &Type, slot: &ArgValue) {
        match (ty, slot) {
            (_, ArgValue::Absent | ArgValue::Null) => self.scalar(&Value::Null),
            (_, ArgValue::Boolean(value)) => self.scalar(&Value::from(*value)),
            (_, ArgValue::Integer(value)) => self.scalar(&Value::from(*value)),
            (_, ArgValue::Unsigned(value)) => self.scalar(&Value::from(*value)),
            (_, ArgValue::Number(value)) => self.scalar(&canonical_number(value)),
            (_, ArgValue::String(text)) => self.string(text),
            (_, ArgValue::Date(date)) => self.string(&date.to_string()),
            (_, ArgValue::Timestamp(instant, _)) => self.string(&instant.to_string()),
            (Type::Enum(values), ArgValue::Choice(at)) => {
                self.string(values.get(*at).map_or("", String::as_str));
            }
            (Type::Array { items, .. }, ArgValue::List(slots)) => {
                self.list(*b"[]", slots, |writer, slot| writer.value(items, slot));
            }
            (Type::Map(inner), ArgValue::Map(slots)) => {
                self.list(*b"{}", sorted_entries(slots), |writer, (key, slot)| {
                    writer.key(key);
                    writer.value(inner, slot);
                });
            }
            (Type::Record(fields), ArgValue::Record(slots)) => self.record(fields, slots),
            (_, ArgValue::Json(value)) => self.json(value),
            // What is sensitive in it is not known.
            (_, ArgValue::Refused(_)) if self.detail == RecordDetail::Redacted => {
                self.text.extend_from_slice(REFUSED);
            }
            (_, ArgValue::Refused(item)) => self.json(&item.given),
            (
                _,
                ArgValue::Choice(_) | ArgValue::List(_) | ArgValue::Map(_) | ArgValue::Record(_),
            ) => {
                unreachable!("the validator filled the slot from this table")
            }
        }
    }

    /// Writes free JSON with sorted keys, because their order has no meaning.
    fn json(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.string(text),
            Value::Array(items) => self.list(*b"[]", items, Self::json),
            Value::Object(object) => {
                self.list(*b"{}", sorted_entries(object), |writer, (key, value)| {
                    writer.key(key);
                    writer.json(value);
                });
            }
            scalar => self.scalar(scalar),
        }
    }

    fn list<T>(
        &mut self,
        [open, close]: [u8; 2],
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.text.push(open);
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.text.push(b',');
            }
            if self.detail == RecordDetail::Redacted && self.text.len() > ENOUGH {
                if open == b'{' {
                    self.key("");
                }
                self.text.extend_from_slice(CUT);
                break;
            }
            write(self, item);
        }
        self.text.push(close);
    }

    fn key(&mut self, key: &str) {
        self.string(key);
        self.text.push(b':');
    }

    fn string(&mut self, text: &str) {
        let cut = match self.detail {
            // Text of at most this many bytes has at most this many characters.
            RecordDetail::Redacted if text.len() > LONGEST_STRING => {
                text.char_indices().nth(LONGEST_STRING).map_or(text, |(end, _)| &text[..end])
            }
            _ => text,
        };
        self.scalar(&cut);
    }

    fn scalar(&mut self, value: &impl serde::Serialize) {
        #[expect(
            clippy::expect_used,
            reason = "scalars always serialize, and writing to memory cannot fail"
        )]
        serde_json::to_writer(&mut self.text, value).expect("a scalar can be written");
    }
}
