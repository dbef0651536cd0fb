//! Places in JSON documents: the part of RFC 9535 that needs no search, `$.a[0].b` and `$.items[*]`.

use serde_json::Value;

/// A place in a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JsonPath(Vec<Segment>);

/// A step down.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Name(String),
    Index(usize),
    /// The elements of a list. Only the last segment.
    Each,
}

impl JsonPath {
    /// Parses a path: `$`, and its segments.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        Self::segments(text.strip_prefix('$').ok_or("a path begins with `$`")?)
    }

    /// Parses what follows the root: `.a[0]`.
    pub(super) fn segments(mut rest: &str) -> Result<Self, &'static str> {
        let mut segments = Vec::new();
        while !rest.is_empty() {
            if segments.last() == Some(&Segment::Each) {
                return Err("nothing may follow `[*]`");
            }
            let segment;
            (segment, rest) = match rest.strip_prefix('.') {
                Some(named) => dotted(named)?,
                None => bracketed(rest)?,
            };
            segments.push(segment);
        }
        Ok(Self(segments))
    }

    pub(super) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it leads to a list of elements.
    pub(super) fn is_each(&self) -> bool {
        self.0.last() == Some(&Segment::Each)
    }

    /// The name of the first segment, and the rest, if the first is a name.
    pub(super) fn split_name(&self) -> Option<(&str, Self)> {
        match self.0.split_first() {
            Some((Segment::Name(name), rest)) => Some((name, Self(rest.to_vec()))),
            _ => None,
        }
    }

    /// The path in a table: names, indexes, and null for `[*]`.
    pub(super) fn table(&self) -> Value {
        let segment = |segment: &Segment| match segment {
            Segment::Name(name) => Value::from(name.as_str()),
            Segment::Index(index) => Value::from(*index),
            Segment::Each => Value::Null,
        };
        self.0.iter().map(segment).collect()
    }
}

fn dotted(text: &str) -> Result<(Segment, &str), &'static str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("a name follows `.`; write others as `[\"name\"]`");
    }
    Ok((Segment::Name(name.to_owned()), rest))
}

fn bracketed(text: &str) -> Result<(Segment, &str), &'static str> {
    const EXPECTED: &str = "expected `.name`, `[0]`, `[\"name\"]` or `[*]`";
    let inner = text.strip_prefix('[').ok_or(EXPECTED)?;
    if let Some(quote) = inner.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let (name, rest) = inner[1..].split_once(quote).ok_or("the quote does not end")?;
        let rest = rest.strip_prefix(']').ok_or("`]` is missing")?;
        return Ok((Segment::Name(name.to_owned()), rest));
    }
    let (inner, rest) = inner.split_once(']').ok_or("`]` is missing")?;
    if inner == "*" {
        return Ok((Segment::Each, rest));
    }
    let index = inner.parse().map_err(|_| EXPECTED)?;
    Ok((Segment::Index(index), rest))
}
