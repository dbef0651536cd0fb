//! Reading only what is wanted of a JSON text. A value takes many times its bytes once it is parsed, and APIs answer with
//! much that no table names.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::model::{
    ErrorRules, Mark, NamedShape, Page, Paging, Path, Read, ResultTable, Segment, Shape,
};

/// Values that are read of one text.
pub(crate) const MAX_VALUES: usize = 200_000;
/// How often shapes may stand for others at one value.
const MAX_DEPTH: usize = 128;

/// What is wanted of a text: the values at these paths, as far as their shapes name them.
pub(crate) struct Wanted<'t> {
    wants: Vec<Want<'t>>,
    shapes: &'t [NamedShape],
}

/// What is wanted of a value.
#[derive(Clone, Copy)]
enum Want<'t> {
    /// What a path leads to: all of it, or what a shape names.
    At(&'t [Segment], Option<&'t Shape>),
    All,
    /// What the shape names.
    Shape(&'t Shape),
}

/// More values are wanted than may be read.
pub(crate) struct TooMany;

impl<'t> Wanted<'t> {
    /// The whole text.
    pub(crate) fn all() -> Self {
        Self { wants: vec![Want::All], shapes: &[] }
    }

    /// What a result and its pages need, and what says that an answer is a failure.
    pub(crate) fn from_tables(
        result: Option<&'t ResultTable>,
        page: Option<&'t Page>,
        (errors, shapes): (&'t ErrorRules, &'t [NamedShape]),
    ) -> Self {
        let mut wants = Vec::new();
        let mut add = |read: &'t Read, shape| {
            if let Read::Body(paths) = read {
                wants.extend(paths.iter().map(|path| Want::At(&path.0, shape)));
            }
        };
        if let Some(table) = result {
            add(&table.read, Some(&table.shape));
        }
        if let Some(page) = page {
            page.total.iter().for_each(|read| add(read, None));
            match &page.paging {
                Paging::Number { pages, .. } => pages.iter().for_each(|read| add(read, None)),
                Paging::Cursor { next, .. } => add(next, None),
                Paging::Offset { .. } | Paging::Link => {}
            }
        }
        let marks = errors.rules.iter().flat_map(|rule| rule.when.iter());
        let marks = marks.filter_map(|mark| match mark {
            Mark::Body(path, _) => Some(path),
            _ => None,
        });
        let all = |path: &'t Path| Want::At(&path.0, None);
        wants.extend(errors.message.iter().chain(&errors.fields).chain(marks).map(all));
        Self { wants, shapes }
    }

    /// Reads what is wanted. Objects and lists stay what they are, without what nobody wants; the elements of a list keep
    /// their positions. `None` if the text is not JSON.
    pub(crate) fn read(&self, text: &str) -> Result<Option<Value>, TooMany> {
        let left = Cell::new(MAX_VALUES);
        let seed = Seed { wants: self.wants.clone(), shapes: self.shapes, left: &left };
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = seed.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
        if left.get() == 0 { Err(TooMany) } else { Ok(read.ok()) }
    }
}

/// Reads one value.
struct Seed<'t, 'c> {
    wants: Vec<Want<'t>>,
    shapes: &'t [NamedShape],
    left: &'c Cell<usize>,
}

/// A step down from a value.
#[derive(Clone, Copy)]
enum Step<'n> {
    Member(&'n str),
    Element(usize),
}

impl<'t> Seed<'t, '_> {
    /// What is wanted below a step; `None` for nothing.
    fn below(&self, step: Step<'_>) -> Option<Self> {
        let mut wants = Vec::new();
        for want in &self.wants {
            self.add(*want, step, MAX_DEPTH, &mut wants);
        }
        let Self { shapes, left, .. } = *self;
        (!wants.is_empty()).then_some(Self { wants, shapes, left })
    }

    fn add(&self, want: Want<'t>, step: Step<'_>, depth: usize, below: &mut Vec<Want<'t>>) {
        let Some(depth) = depth.checked_sub(1) else { return below.push(Want::All) };
        match (want, step) {
            (Want::All | Want::At([], None) | Want::Shape(Shape::Any), _) => {
                below.push(Want::All);
            }
            (Want::At([], Some(shape)), _) => self.add(Want::Shape(shape), step, depth, below),
            // The elements are a list, also those of an object.
            (Want::At([Segment::Each], shape), _) => below.push(match shape {
                Some(Shape::List(element)) => Want::Shape(element),
                _ => Want::All,
            }),
            (Want::At([Segment::Name(name), rest @ ..], shape), Step::Member(member))
                if *name == member =>
            {
                below.push(Want::At(rest, shape));
            }
            (Want::At([Segment::Index(index), rest @ ..], shape), Step::Element(at))
                if *index == at =>
            {
                below.push(Want::At(rest, shape));
            }
            (Want::Shape(Shape::List(element)), Step::Element(_))
            | (Want::Shape(Shape::Map(element)), Step::Member(_)) => {
                below.push(Want::Shape(element));
            }
            (Want::Shape(Shape::Object(fields)), _) => {
                for field in fields.iter() {
                    match (&field.read, step) {
                        (Some(Read::Body(paths)), _) => paths.iter().for_each(|path| {
                            self.add(Want::At(&path.0, Some(&field.shape)), step, depth, below);
                        }),
                        (None, Step::Member(member)) if field.name == member => {
                            below.push(Want::Shape(&field.shape));
                        }
                        _ => {}
                    }
                }
            }
            (Want::Shape(Shape::Named(name)), _) => {
                let named = self.shapes.iter().find(|shape| shape.name == *name);
                if let Some(named) = named {
                    self.add(Want::Shape(&named.shape), step, depth, below);
                }
            }
            (Want::At(..) | Want::Shape(_), _) => {}
        }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.left.get().checked_sub(1).filter(|left| *left > 0);
        self.left.set(left.unwrap_or_default());
        if left.is_none() {
            return Err(D::Error::custom("too many values"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let (mut list, mut at) = (Vec::new(), 0);
        loop {
            let element = match self.below(Step::Element(at)) {
                Some(seed) => {
                    // Those before it were not wanted.
                    list.resize(at, Value::Null);
                    let read = elements.next_element_seed(seed)?;
                    read.map(|value| list.push(value))
                }
                None => elements.next_element::<IgnoredAny>()?.map(|_| ()),
            };
            if element.is_none() {
                return Ok(Value::Array(list));
            }
            at += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            match self.below(Step::Member(&name)) {
                Some(seed) => drop(object.insert(name, members.next_value_seed(seed)?)),
                None => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Value::Object(object))
    }
}
