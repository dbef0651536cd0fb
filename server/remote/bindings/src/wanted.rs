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
/// How often shapes may stand for others at one place.
const MAX_DEPTH: usize = 128;

/// What is wanted of a text: the values at these places, as far as their shapes name them.
pub(crate) struct Wanted<'t> {
    places: Vec<Place<'t>>,
    shapes: &'t [NamedShape],
}

/// What is wanted of a value.
#[derive(Clone, Copy)]
enum Place<'t> {
    /// What a path leads to: all of it, or what a shape names.
    At(&'t [Segment], Option<&'t Shape>),
    /// All of it.
    All,
    /// What the shape names.
    Shape(&'t Shape),
}

/// More values are wanted than may be read.
pub(crate) struct TooMany;

impl<'t> Wanted<'t> {
    /// The whole text.
    pub(crate) fn all() -> Self {
        Self { places: vec![Place::All], shapes: &[] }
    }

    /// What a result and its pages need, and what says that an answer is a failure.
    pub(crate) fn from_tables(
        result: Option<&'t ResultTable>,
        page: Option<&'t Page>,
        (errors, shapes): (&'t ErrorRules, &'t [NamedShape]),
    ) -> Self {
        let mut places = Vec::new();
        let mut add = |read: &'t Read, shape| {
            if let Read::Body(paths) = read {
                places.extend(paths.iter().map(|path| Place::At(&path.0, shape)));
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
        let all = |path: &'t Path| Place::At(&path.0, None);
        places.extend(errors.message.iter().chain(&errors.fields).chain(marks).map(all));
        Self { places, shapes }
    }

    /// Reads what is wanted. Objects and lists stay what they are, without what nobody wants; the elements of a list keep
    /// their positions. `None` if the text is not JSON.
    pub(crate) fn read(&self, text: &str) -> Result<Option<Value>, TooMany> {
        let left = Cell::new(MAX_VALUES);
        let seed = Seed { places: self.places.clone(), shapes: self.shapes, left: &left };
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = seed.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
        if left.get() == 0 { Err(TooMany) } else { Ok(read.ok()) }
    }
}

/// Reads one value.
struct Seed<'t, 'c> {
    places: Vec<Place<'t>>,
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
        let mut places = Vec::new();
        for place in &self.places {
            self.add(*place, step, MAX_DEPTH, &mut places);
        }
        let Self { shapes, left, .. } = *self;
        (!places.is_empty()).then_some(Self { places, shapes, left })
    }

    fn add(&self, place: Place<'t>, step: Step<'_>, depth: usize, below: &mut Vec<Place<'t>>) {
        let Some(depth) = depth.checked_sub(1) else { return below.push(Place::All) };
        match (place, step) {
            (Place::All | Place::At([], None) | Place::Shape(Shape::Any), _) => {
                below.push(Place::All);
            }
            (Place::At([], Some(shape)), _) => self.add(Place::Shape(shape), step, depth, below),
            // The elements are a list, also those of an object.
            (Place::At([Segment::Each], shape), _) => below.push(match shape {
                Some(Shape::List(element)) => Place::Shape(element),
                _ => Place::All,
            }),
            (Place::At([Segment::Name(name), rest @ ..], shape), Step::Member(member))
                if *name == member =>
            {
                below.push(Place::At(rest, shape));
            }
            (Place::At([Segment::Index(index), rest @ ..], shape), Step::Element(at))
                if *index == at =>
            {
                below.push(Place::At(rest, shape));
            }
            (Place::Shape(Shape::List(element)), Step::Element(_))
            | (Place::Shape(Shape::Map(element)), Step::Member(_)) => {
                below.push(Place::Shape(element));
            }
            (Place::Shape(Shape::Object(fields)), _) => {
                for field in fields.iter() {
                    match (&field.read, step) {
                        (Some(Read::Body(paths)), _) => paths.iter().for_each(|path| {
                            self.add(Place::At(&path.0, Some(&field.shape)), step, depth, below);
                        }),
                        (None, Step::Member(member)) if field.name == member => {
                            below.push(Place::Shape(&field.shape));
                        }
                        _ => {}
                    }
                }
            }
            (Place::Shape(Shape::Named(name)), _) => {
                let named = self.shapes.iter().find(|shape| shape.name == *name);
                if let Some(named) = named {
                    self.add(Place::Shape(&named.shape), step, depth, below);
                }
            }
            (Place::At(..) | Place::Shape(_), _) => {}
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
