//! Types: from expressions and long forms to shapes.

mod constraints;
pub(super) mod enumeration;
mod expression;
pub(super) mod pattern;
pub(super) mod schema_size;
mod short_form;
mod unions;

use std::collections::HashMap;

use serde_json::Value;

use crate::check::names::lookup::{BUILT_IN, DeclaredNames};
use crate::check::names::optional::split_optional;
use crate::check::names::spelling::{self, Style};
use crate::check::text;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{Field, Presence, Shape, TypeDef, TypeId};
use crate::raw::{Entries, Entry, Located, RawLongShape, RawShape};
use crate::values::fits_with;
use schema_size::SchemaSize;

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
    nullable: Option<Located<bool>>,
    separate: bool,
    /// Also if it is invalid, which is reported: the presence of the field, and with it the type in Rust,
    /// stays as the author meant it.
    default: Option<Located<Value>>,
}

impl From<Shape> for Lowered {
    fn from(shape: Shape) -> Self {
        Self {
            shape,
            description: None,
            example: None,
            sensitive: false,
            nullable: None,
            separate: false,
            default: None,
        }
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
        only_of_fields(lowered.nullable.as_ref(), report);
        only_of_parameters(value, report);
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
            name: spelling::key("type", key, Style::UpperCamel, report),
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
            nullable: raw.nullable.clone(),
            separate: raw.separate.as_ref().is_some_and(|separate| separate.value),
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
            fields.0.iter().for_each(|field| only_of_parameters(&field.value, report));
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
            let name = spelling::name(kind, name, key.place, Style::Snake, report);
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
                nullable: lowered.nullable.is_some_and(|nullable| nullable.value),
                separate: lowered.separate,
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
        only_of_fields(lowered.nullable.as_ref(), report);
        only_of_parameters(raw, report);
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

/// Reports `nullable` where null would not be the value of a field.
fn only_of_fields(nullable: Option<&Located<bool>>, report: &mut Report) {
    if let Some(nullable) = nullable {
        report.push(
            Problem::error(nullable.place, "only a parameter or a field can be `nullable`")
                .help("add it where the type is used"),
        );
    }
}

/// Reports `separate` of a type that is not that of a parameter.
fn only_of_parameters(raw: &RawShape, report: &mut Report) {
    if let RawShape::Long(long, _) = raw
        && let Some(separate) = &long.separate
    {
        report.push(
            Problem::error(separate.place, "only a parameter can be `separate`")
                .help("add it where a parameter has the list"),
        );
    }
}
