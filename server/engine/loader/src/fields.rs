//! Field tables, which the engine's validator reads. Each declared type is one table, which all its uses share.

use std::collections::HashMap;

use toolwrit_core::authority::{Field, Presence, Type};
use toolwrit_manifest::{self as manifest, IntegerFormat, Shape, TypeId};

use crate::rows::Rows;

/// Builds field tables, and remembers those of declared types.
pub(crate) struct Fields<'m, 'a> {
    rows: Rows<'m, 'a>,
    declared: HashMap<TypeId, &'a Type<'a>>,
}

impl<'m, 'a> Fields<'m, 'a> {
    pub(crate) fn new(rows: Rows<'m, 'a>) -> Self {
        Self { rows, declared: HashMap::new() }
    }

    /// A table of fields, in order.
    pub(crate) fn table(&mut self, fields: &[manifest::Field]) -> &'a [Field<'a>] {
        let fields: Vec<_> = fields.iter().map(|field| self.field(field)).collect();
        self.rows.arena.list(fields)
    }

    fn field(&mut self, field: &manifest::Field) -> Field<'a> {
        let Rows { model, arena } = self.rows;
        let values = model.described_values(&field.shape).into_iter();
        Field {
            name: arena.text(&field.name),
            ty: self.reference(&field.shape),
            presence: match &field.presence {
                manifest::Presence::Required => Presence::Required,
                manifest::Presence::Optional => Presence::Optional,
                manifest::Presence::Default(value) => Presence::Default(self.rows.json(value)),
            },
            description: arena.text(model.description_of(field).unwrap_or_default()),
            values: arena.list(values.map(|(name, text)| (arena.text(name), arena.text(text)))),
            sensitive: model.is_sensitive(field),
        }
    }

    /// The table of a shape.
    fn reference(&mut self, shape: &Shape) -> &'a Type<'a> {
        let Shape::Named(id) = shape else {
            let table = self.table_of(shape);
            return self.rows.arena.item(table);
        };
        if let Some(known) = self.declared.get(id) {
            return known;
        }
        let model = self.rows.model;
        let table = self.table_of(model.resolve(shape));
        let table = self.rows.arena.item(table);
        self.declared.insert(*id, table);
        table
    }

    fn table_of(&mut self, shape: &Shape) -> Type<'a> {
        let Rows { model, arena } = self.rows;
        match model.resolve(shape) {
            Shape::String { min_length, max_length, pattern } => Type::String {
                min: min_length.unwrap_or(0),
                max: max_length.unwrap_or(u64::MAX),
                pattern: pattern.as_ref().map(|pattern| arena.pattern(pattern.as_str())),
            },
            Shape::Integer { format, min, max } => integer(*format, *min, *max),
            Shape::Number { min, max } => {
                Type::Number { min: min.unwrap_or(f64::MIN), max: max.unwrap_or(f64::MAX) }
            }
            Shape::Boolean => Type::Boolean,
            Shape::Date => Type::Date,
            Shape::DateTime => Type::DateTime,
            Shape::Json => Type::Json,
            Shape::Enum(values) => {
                Type::Enum(self.rows.texts(values.iter().map(|value| &value.name)))
            }
            Shape::Array { items, min_items, max_items } => Type::Array {
                items: self.reference(items),
                min: min_items.unwrap_or(0),
                max: max_items.unwrap_or(u64::MAX),
            },
            Shape::Map(values) => Type::Map(self.reference(values)),
            Shape::Record(fields) => Type::Record(self.table(fields)),
            Shape::Named(_) => unreachable!("resolved above"),
        }
    }
}

fn integer(format: IntegerFormat, min: Option<i128>, max: Option<i128>) -> Type<'static> {
    let (lowest, highest) = format.range();
    let (min, max) = (min.unwrap_or(lowest), max.unwrap_or(highest));
    if format == IntegerFormat::U64 {
        Type::Unsigned { min: bound(min), max: bound(max) }
    } else {
        Type::Integer { min: bound(min), max: bound(max) }
    }
}

/// A bound of an integer in the type of its format.
fn bound<T: TryFrom<i128>>(bound: i128) -> T {
    T::try_from(bound).unwrap_or_else(|_| unreachable!("the load has checked the bounds"))
}
