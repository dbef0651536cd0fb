//! Reading results. Only what the shape declares becomes part of one.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use super::AnswerReader;
use crate::failure::{Failure, Result};
use crate::model::{Field, Read, ResultTable, Segment, Shape};

/// How deep shapes may be nested. JSON that is parsed is not deeper.
const MAX_DEPTH: usize = 128;

/// A path in an answer. Becomes text only if something is wrong there.
#[derive(Clone, Copy)]
struct ResultPath<'p> {
    above: Option<&'p ResultPath<'p>>,
    step: Step<'p>,
    depth: usize,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Answer,
    Read(&'p Read),
    Name(&'p str),
    Index(usize),
}

impl<'p> ResultPath<'p> {
    const ANSWER: ResultPath<'static> = ResultPath { above: None, step: Step::Answer, depth: 0 };

    fn below(&'p self, step: Step<'p>) -> Self {
        ResultPath { above: Some(self), step, depth: self.depth + 1 }
    }
}

impl fmt::Display for ResultPath<'_> {
    /// Writes it as a path of the answer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(above), Step::Read(Read::Body(_)) | Step::Name(_) | Step::Index(_)) =
            (self.above, self.step)
        {
            above.fmt(f)?;
        }
        match self.step {
            Step::Answer => f.write_str("$"),
            Step::Read(Read::Body(paths)) => {
                let segments = paths.first().map(|path| &*path.0).unwrap_or_default();
                segments.iter().try_for_each(|segment| match segment {
                    Segment::Name(name) => write!(f, ".{name}"),
                    Segment::Index(index) => write!(f, "[{index}]"),
                    // The index of the element follows.
                    Segment::Each => Ok(()),
                })
            }
            Step::Read(Read::Text) => f.write_str("its body"),
            Step::Read(Read::Header(name)) => write!(f, "the header {name}"),
            Step::Read(Read::Reference(reference)) => write!(f, "{reference}"),
            Step::Name(name) => write!(f, ".{name}"),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl AnswerReader<'_> {
    /// Reads the result of an operation.
    ///
    /// # Errors
    /// `UPSTREAM_ERROR` with the path of a declared value that is missing or has another type.
    pub(crate) fn result(&self, table: &ResultTable, body: &Value) -> Result<Value> {
        let path = ResultPath::ANSWER.below(Step::Read(&table.read));
        match self.value(&table.read, body) {
            Some(value) => self.shaped(&table.shape, &value, &path),
            // The fields of an object may come from elsewhere.
            None => match &table.shape {
                shape @ Shape::Object(_) => self.shaped(shape, &Value::Null, &path),
                shape => Err(self.missing(shape, &path)),
            },
        }
    }

    /// Reads the result from an answer without content: what is elsewhere, or nothing, which is an empty list for a list.
    pub(crate) fn result_without_content(&self, table: &ResultTable) -> Value {
        match (&table.read, &table.shape) {
            (Read::Text, _) => Value::from(""),
            (_, Shape::List(_)) => Value::Array(Vec::new()),
            _ => match self.result(table, &Value::Null) {
                Ok(Value::Object(object)) if object.is_empty() => Value::Null,
                Ok(value) => value,
                Err(_) => Value::Null,
            },
        }
    }

    /// Returns a value other than null, if there is one.
    pub(crate) fn value<'v>(&self, read: &Read, body: &'v Value) -> Option<Cow<'v, Value>> {
        match read {
            Read::Body(paths) => {
                paths.iter().find_map(|path| path.select(body).filter(|value| !value.is_null()))
            }
            Read::Text => None,
            Read::Header(name) => {
                let text = self.headers.get(&**name)?.to_str().ok()?;
                Some(Cow::Owned(text.into()))
            }
            Read::Reference(reference) => self.scope.value(reference).ok().map(Cow::Owned),
        }
    }

    fn shaped(&self, shape: &Shape, value: &Value, path: &ResultPath<'_>) -> Result<Value> {
        if path.depth > MAX_DEPTH {
            return Err(Failure::defect("a shape contains itself at the same place"));
        }
        let wrong = || self.wrong(shape, value, path);
        Ok(match shape {
            Shape::Any => value.clone(),
            Shape::Text => Value::from(value.as_str().ok_or_else(wrong)?),
            Shape::Choice(texts) => {
                let text = value.as_str().filter(|text| texts.iter().any(|known| known == text));
                Value::from(text.ok_or_else(wrong)?)
            }
            Shape::Boolean => Value::from(boolean(value, path).ok_or_else(wrong)?),
            Shape::Integer => integer(value, path).ok_or_else(wrong)?,
            Shape::Number => number(value, path).ok_or_else(wrong)?,
            Shape::List(element) => {
                let items = value.as_array().ok_or_else(wrong)?.iter().enumerate();
                let shaped =
                    |(index, item)| self.shaped(element, item, &path.below(Step::Index(index)));
                let items = items.filter_map(|item| self.kept(shaped(item)).transpose());
                items.collect::<Result<Value>>()?
            }
            Shape::Map(element) => {
                let members = value.as_object().ok_or_else(wrong)?.iter();
                let shaped = |(name, member): (&String, _)| {
                    let member = self.shaped(element, member, &path.below(Step::Name(name)))?;
                    Ok((name.clone(), member))
                };
                let members = members.filter_map(|member| self.kept(shaped(member)).transpose());
                Value::Object(members.collect::<Result<Map<_, _>>>()?)
            }
            Shape::Object(fields) => self.object(shape, fields, value, path)?,
            Shape::Named(name) => {
                let named = self.shapes.iter().find(|shape| shape.name == *name);
                let named = named
                    .ok_or_else(|| Failure::defect(format_args!("there is no shape `{name}`")))?;
                self.shaped(&named.shape, value, &ResultPath { depth: path.depth + 1, ..*path })?
            }
        })
    }

    fn object(
        &self,
        shape: &Shape,
        fields: &[Field],
        value: &Value,
        path: &ResultPath<'_>,
    ) -> Result<Value> {
        let mut object = Map::new();
        for field in fields {
            let (found, step) = if let Some(read) = &field.read {
                (self.value(read, value), Step::Read(read))
            } else if value.is_object() || value.is_null() {
                let found = value.get(&*field.name).filter(|value| !value.is_null());
                (found.map(Cow::Borrowed), Step::Name(&field.name))
            } else {
                return Err(self.wrong(shape, value, path));
            };
            let path = path.below(step);
            let shaped = match found {
                Some(found) => self.shaped(&field.shape, &found, &path),
                None if field.optional => continue,
                None => Err(self.missing(&field.shape, &path)),
            };
            let shaped = self.kept(shaped)?;
            object.extend(shaped.map(|shaped| (field.name.to_string(), shaped)));
        }
        Ok(Value::Object(object))
    }

    /// A part of the result; `None` if it cannot be read and the rest counts.
    fn kept<T>(&self, part: Result<T>) -> Result<Option<T>> {
        match (part, self.unread) {
            (Err(failure), Some(unread)) => {
                unread.borrow_mut().get_or_insert(failure);
                Ok(None)
            }
            (part, _) => part.map(Some),
        }
    }

    fn missing(&self, shape: &Shape, path: &ResultPath<'_>) -> Box<Failure> {
        let provider = self.provider;
        Failure::upstream(format!("The answer of {provider} has nothing at {path}."))
            .expecting(expected(shape))
            .sent()
            .permanent()
    }

    /// The value is not repeated: it may be long, and it is data of the API.
    fn wrong(&self, shape: &Shape, value: &Value, path: &ResultPath<'_>) -> Box<Failure> {
        let (provider, is) = (self.provider, kind(value));
        Failure::upstream(format!("The answer of {provider} has {is} at {path}."))
            .expecting(expected(shape))
            .sent()
            .permanent()
    }
}

/// Headers are text, whatever their type.
fn text_of_header<'v>(value: &'v Value, path: &ResultPath<'_>) -> Option<&'v str> {
    matches!(path.step, Step::Read(Read::Header(_))).then(|| value.as_str().map(str::trim))?
}

fn boolean(value: &Value, path: &ResultPath<'_>) -> Option<bool> {
    match text_of_header(value, path) {
        Some(text) => text.parse().ok(),
        None => value.as_bool(),
    }
}

fn integer(value: &Value, path: &ResultPath<'_>) -> Option<Value> {
    if let Some(text) = text_of_header(value, path) {
        return text.parse::<i64>().ok().map(Value::from);
    }
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(value.clone()),
        // Some APIs write 1.0.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "checked to be a whole number in range"
        )]
        Value::Number(number) => {
            let float = number.as_f64()?;
            (float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0)
                .then(|| Value::from(float as i64))
        }
        _ => None,
    }
}

fn number(value: &Value, path: &ResultPath<'_>) -> Option<Value> {
    match text_of_header(value, path) {
        Some(text) => serde_json::Number::from_f64(text.parse().ok()?).map(Value::Number),
        None => value.is_number().then(|| value.clone()),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "another number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Any => "a value",
        Shape::Text => "a text",
        Shape::Choice(_) => "one of the declared texts",
        Shape::Integer => "a whole number",
        Shape::Number => "a number",
        Shape::Boolean => "true or false",
        Shape::List(_) => "a list",
        Shape::Map(_) | Shape::Object(_) | Shape::Named(_) => "an object",
    }
}
