//! Types: from expressions and long forms to shapes.

mod constraints;
mod expression;
mod unions;

use std::collections::HashMap;

use serde_json::Value;

use super::enumeration;
use super::lookup::{BUILT_IN, DeclaredNames};
use super::naming::{self, Style};
use super::optional::split_optional;
use super::text;
use super::weight::SchemaSize;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{Field, IntegerFormat, Presence, Shape, TypeDef, TypeId};
use crate::raw::{Entries, Entry, Located, RawLongShape, RawShape};
use crate::values::fits_with;
use crate::yaml::{self, Text};
use expression::{Expression, ExpressionError, SpannedWord};

/// Declared types. Each is lowered when it is first needed.
pub(super) struct TypeTable<'a> {
    raw: &'a [Entry<RawShape>],
    lookup: &'a DeclaredNames<'a>,
    states: Vec<LoweringState>,
}

enum LoweringState {
    Waiting,
    /// It is being lowered; a further reference to it is a cycle.
    Active,
    Done(Box<TypeDef>, SchemaSize),
}

/// A type with the other properties of its long form.
pub(super) struct Lowered {
    pub(super) shape: Shape,
    description: Option<String>,
    example: Option<Value>,
    sensitive: bool,
    /// Also if it is invalid, which is reported: the presence of the field, and with it the type in Rust,
    /// stays as the author meant it.
    default: Option<Located<Value>>,
}

impl From<Shape> for Lowered {
    fn from(shape: Shape) -> Self {
        Self { shape, description: None, example: None, sensitive: false, default: None }
    }
}

impl<'a> TypeTable<'a> {
    pub(super) fn new(raw: &'a [Entry<RawShape>], lookup: &'a DeclaredNames<'a>) -> Self {
        Self { raw, lookup, states: raw.iter().map(|_| LoweringState::Waiting).collect() }
    }

    pub(super) fn lower_all(&mut self, report: &mut Report) {
        for index in 0..self.raw.len() {
            self.lower(TypeId(index), report);
        }
    }

    /// All definitions, in the order of the document.
    pub(super) fn into_definitions(self) -> Vec<TypeDef> {
        self.states
            .into_iter()
            .filter_map(|state| match state {
                LoweringState::Done(definition, _) => Some(*definition),
                LoweringState::Waiting | LoweringState::Active => None,
            })
            .collect()
    }

    fn definition(&self, id: TypeId) -> Option<&TypeDef> {
        match self.states.get(id.0) {
            Some(LoweringState::Done(definition, _)) => Some(definition),
            _ => None,
        }
    }

    fn lower(&mut self, id: TypeId, report: &mut Report) {
        if !matches!(self.states[id.0], LoweringState::Waiting) {
            return;
        }
        let Entry { key, value } = &self.raw[id.0];
        self.states[id.0] = LoweringState::Active;
        if BUILT_IN.contains(&key.value.as_str()) {
            report.push(Problem::error(key.place, format!("`{}` is a built-in type", key.value)));
        }
        let lowered = self.shape(value, report);
        if let Some(default) = &lowered.default {
            report.push(
                Problem::error(default.place, "a declared type cannot have a default")
                    .help("add the default to the parameters that use the type"),
            );
        }
        let weight = self.weigh(&lowered.shape).and(lowered.description.as_deref());
        let (shape, weight) = match weight.excess() {
            None => (lowered.shape, weight),
            Some(excess) => {
                report.push(
                    Problem::error(key.place, format!("the type `{}` {excess}", key.value)).help(
                        "each use repeats the whole type, because clients do not support `$ref`",
                    ),
                );
                (Shape::Json, SchemaSize::default())
            }
        };
        let definition = TypeDef {
            name: naming::key("type", key, Style::UpperCamel, report),
            shape,
            description: lowered.description,
            example: lowered.example,
            sensitive: lowered.sensitive,
        };
        self.states[id.0] = LoweringState::Done(Box::new(definition), weight);
    }

    fn weigh(&self, shape: &Shape) -> SchemaSize {
        SchemaSize::measure(shape, &|id| match &self.states[id.0] {
            LoweringState::Done(_, weight) => *weight,
            LoweringState::Waiting | LoweringState::Active => SchemaSize::default(),
        })
    }

    /// Lowers a type in any position.
    pub(super) fn shape(&mut self, raw: &RawShape, report: &mut Report) -> Lowered {
        match raw {
            RawShape::Unreadable => Shape::Json.into(),
            RawShape::Expression(text) => self.expression(text, report),
            RawShape::Long(long, place) => self.long(long, *place, report),
        }
    }

    fn expression(&mut self, text: &Text, report: &mut Report) -> Lowered {
        let parsed = match expression::parse(&text.value) {
            Ok(parsed) => parsed,
            Err(fault) => {
                reported(fault, text, report);
                return Shape::Json.into();
            }
        };
        let shape = self.lower_expression(&parsed.expression, text, report);
        let default = match parsed.default.map(|default| short_default(default, text, report)) {
            Some(Ok(default)) => {
                self.check_value("default", &shape, Some(&default), report);
                Some(default)
            }
            Some(Err(place)) => Some(Located { value: Value::Null, place }),
            None => None,
        };
        Lowered { default, ..shape.into() }
    }

    fn lower_expression(
        &mut self,
        expression: &Expression,
        text: &Text,
        report: &mut Report,
    ) -> Shape {
        match expression {
            Expression::Name(name) => self.lower_name(name, text, report),
            Expression::Words(words) => self.words(words, text, report),
            Expression::Array(items) => Shape::Array {
                items: Box::new(self.lower_expression(items, text, report)),
                min_items: None,
                max_items: None,
            },
            Expression::Map(values) => {
                Shape::Map(Box::new(self.lower_expression(values, text, report)))
            }
        }
    }

    fn lower_name(&mut self, name: &SpannedWord, text: &Text, report: &mut Report) -> Shape {
        if let Some(shape) = built_in(&name.text) {
            return shape;
        }
        let place = text.part(name.at.start, name.at.len());
        let Some(id) = self.lookup.type_id(&name.text, place, report) else {
            return Shape::Json;
        };
        self.lower(id, report);
        if matches!(self.states[id.0], LoweringState::Active) {
            report.push(
                Problem::error(place, format!("the type `{}` contains itself", name.text)).help(
                    "clients do not support `$ref`; use `json`, or ids instead of nested values",
                ),
            );
            return Shape::Json;
        }
        Shape::Named(id)
    }

    /// `a | b`: words. Some of them may be names of built-in types, but not all.
    fn words(&mut self, words: &[SpannedWord], text: &Text, report: &mut Report) -> Shape {
        let types = words.iter().find(|word| self.lookup.types.position(&word.text).is_some());
        let is_type =
            |word: &SpannedWord| BUILT_IN.contains(&&*word.text) || unions::is_foreign(word);
        let all_built_in = words.iter().all(is_type);
        if let Some(word) = types.or(words.first().filter(|_| all_built_in)) {
            report.push(
                Problem::error(
                    text.part(word.at.start, word.at.len()),
                    format!("`{}` is a type, and `|` joins words", word.text),
                )
                .expected("plain words, such as `markdown | html`")
                .help(unions::instead(words)),
            );
            return Shape::Json;
        }
        let values = words
            .iter()
            .map(|word| (word.text.as_str(), text.part(word.at.start, word.at.len())))
            .collect();
        enumeration::plain(values, report)
    }

    fn long(&mut self, raw: &RawLongShape, owner: Place, report: &mut Report) -> Lowered {
        let (base, inherited) = self.base(raw, owner, report);
        let constrained = constraints::is_constrained(raw);
        let shape = match (&base, constrained) {
            // A constraint on a declared type applies to this use only.
            (Shape::Named(id), true) => constraints::apply(self.follow(*id), raw, report),
            (_, true) => constraints::apply(base, raw, report),
            (_, false) => base,
        };
        let inherited = inherited.filter(|_| constrained);
        let inherited = inherited.and_then(|id| self.definition(id));
        let mut lowered = Lowered {
            description: text::description(raw.description.as_ref(), report)
                .or_else(|| inherited.and_then(|base| base.description.clone())),
            sensitive: raw.sensitive.as_ref().map_or_else(
                || inherited.is_some_and(|base| base.sensitive),
                |sensitive| sensitive.value,
            ),
            example: None,
            default: raw.default.clone(),
            shape,
        };
        lowered.example = match &raw.example {
            Some(example) => self
                .check_value("example", &lowered.shape, Some(example), report)
                .map(|()| example.value.clone()),
            None => None,
        };
        self.check_value("default", &lowered.shape, lowered.default.as_ref(), report);
        lowered
    }

    /// The shape before constraints, and the declared type that it names.
    fn base(
        &mut self,
        raw: &RawLongShape,
        owner: Place,
        report: &mut Report,
    ) -> (Shape, Option<TypeId>) {
        let given = [raw.r#type.is_some(), raw.r#enum.is_some(), raw.fields.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            report.push(
                Problem::error(owner, "the long form has no type, or more than one")
                    .expected("exactly one of `type`, `enum` and `fields`"),
            );
        }
        if let Some(expression) = &raw.r#type {
            let lowered = self.expression(expression, report);
            if let Some(default) = lowered.default {
                report.push(
                    Problem::error(default.place, "a default inside `type`")
                        .help("in the long form, write it under `default`"),
                );
            }
            let named = if let Shape::Named(id) = lowered.shape { Some(id) } else { None };
            (lowered.shape, named)
        } else if let Some(values) = &raw.r#enum {
            if values.0.is_empty() {
                report.push(Problem::error(owner, "an enum without values"));
                return (Shape::Json, None);
            }
            (enumeration::described(values, report), None)
        } else if let Some(fields) = &raw.fields {
            if fields.0.is_empty() {
                report.push(
                    Problem::error(owner, "an object without fields")
                        .help("use `map<json>` for arbitrary keys"),
                );
            }
            (Shape::Record(self.fields("field", fields, report)), None)
        } else {
            (Shape::Json, None)
        }
    }

    /// The shape that a chain of declared types leads to.
    fn follow(&self, id: TypeId) -> Shape {
        let mut id = id;
        loop {
            match self.definition(id).map(|definition| &definition.shape) {
                Some(Shape::Named(next)) => id = *next,
                Some(shape) => return shape.clone(),
                None => return Shape::Json,
            }
        }
    }

    /// Lowers parameters or fields. A key that ends in `?` and a default both mean optional.
    pub(super) fn fields(
        &mut self,
        kind: &str,
        entries: &Entries<RawShape>,
        report: &mut Report,
    ) -> Vec<Field> {
        let mut places: HashMap<String, Place> = HashMap::new();
        let mut fields = Vec::new();
        for Entry { key, value } in &entries.0 {
            let (name, optional) = split_optional(&key.value);
            let name = naming::name(kind, name, key.place, Style::Snake, report);
            if let Some(first) = places.get(&name) {
                report.push(
                    Problem::error(key.place, format!("the {kind} `{name}` is given twice"))
                        .note("first given at", *first),
                );
                continue;
            }
            places.insert(name.clone(), key.place);
            let lowered = self.shape(value, report);
            let presence = match lowered.default {
                Some(default) => Presence::Default(default.value),
                None if optional => Presence::Optional,
                None => Presence::Required,
            };
            fields.push(Field {
                name,
                shape: lowered.shape,
                presence,
                description: lowered.description,
                example: lowered.example,
                sensitive: lowered.sensitive,
            });
        }
        fields
    }

    /// The type of a result, which cannot have a default.
    pub(super) fn result(&mut self, raw: &RawShape, report: &mut Report) -> Shape {
        let lowered = self.shape(raw, report);
        if let Some(default) = lowered.default {
            report.push(Problem::error(default.place, "a result cannot have a default"));
        }
        lowered.shape
    }

    /// Checks a value, if there is one. `None` if it does not fit, which is reported.
    fn check_value(
        &self,
        what: &str,
        shape: &Shape,
        value: Option<&Located<Value>>,
        report: &mut Report,
    ) -> Option<()> {
        let Some(value) = value else { return Some(()) };
        let known = |id| self.definition(id).map(|definition| &definition.shape);
        match fits_with(&known, shape, &value.value) {
            Ok(()) => Some(()),
            Err(fault) => {
                let message = format!("the {what} does not fit its type: {fault}");
                report.push(Problem::error(value.place, message));
                None
            }
        }
    }
}

/// The default after `=` in the short form; its place if it is missing or invalid, which is reported.
fn short_default(
    default: Result<SpannedWord, ExpressionError>,
    text: &Text,
    report: &mut Report,
) -> Result<Located<Value>, Place> {
    let default = default.map_err(|fault| reported(fault, text, report))?;
    let place = text.part(default.at.start, default.at.len());
    yaml::parse_value(&default.text).map(|value| Located { value, place }).map_err(|message| {
        report.push(Problem::error(place, format!("the default is invalid: {message}")));
        place
    })
}

/// Reports a fault of an expression, and returns its place.
fn reported(fault: ExpressionError, text: &Text, report: &mut Report) -> Place {
    let place = text.part(fault.at.start, fault.at.len());
    report.push(Problem::error(place, fault.message).expected(fault.expected));
    place
}

fn built_in(name: &str) -> Option<Shape> {
    Some(match name {
        "string" => Shape::String { min_length: None, max_length: None, pattern: None },
        "integer" => Shape::Integer { format: IntegerFormat::default(), min: None, max: None },
        "number" => Shape::Number { min: None, max: None },
        "boolean" => Shape::Boolean,
        "date" => Shape::Date,
        "datetime" => Shape::DateTime,
        "json" => Shape::Json,
        _ => return None,
    })
}
