//! Field tables, which the engine's validator reads.

use toolwrit_rows::{Field, Pattern, Presence, Type};

use super::json;
use crate::interface::json_schema::described;
use crate::model::{self, IntegerFormat, Model, Shape};

/// A table of fields, in order.
pub(super) fn table(model: &Model, fields: &[model::Field]) -> Vec<Field> {
    fields.iter().map(|each| field(model, each)).collect()
}

fn field(model: &Model, field: &model::Field) -> Field {
    let values = model.described_values(&field.shape).into_iter();
    Field {
        name: field.name.clone(),
        ty: ty(model, &field.shape),
        presence: match &field.presence {
            model::Presence::Required => Presence::Required,
            model::Presence::Optional => Presence::Optional,
            model::Presence::Default(value) => Presence::Default(json(value)),
        },
        description: described(model, field).unwrap_or_default(),
        values: values.map(|(name, text)| (name.to_owned(), text.to_owned())).collect(),
        sensitive: model.is_sensitive(field),
        nullable: field.nullable,
        separate: field.separate,
    }
}

/// The type of a shape. A declared type is written out at each of its uses.
fn ty(model: &Model, shape: &Shape) -> Type {
    match model.resolve(shape) {
        Shape::String { min_length, max_length, pattern } => Type::String {
            min: min_length.unwrap_or(0),
            max: max_length.unwrap_or(u64::MAX),
            pattern: pattern.as_ref().map(|pattern| Pattern::new(pattern.as_str().to_owned())),
        },
        Shape::Integer { format, min, max } => integer(*format, *min, *max),
        Shape::Number { min, max } => {
            Type::Number { min: min.unwrap_or(f64::MIN), max: max.unwrap_or(f64::MAX) }
        }
        Shape::Boolean => Type::Boolean,
        Shape::Date => Type::Date,
        Shape::DateTime => Type::DateTime,
        Shape::Json => Type::Json,
        Shape::Enum(values) => Type::Enum(values.iter().map(|value| value.name.clone()).collect()),
        Shape::Array { items, min_items, max_items } => Type::Array {
            items: Box::new(ty(model, items)),
            min: min_items.unwrap_or(0),
            max: max_items.unwrap_or(u64::MAX),
        },
        Shape::Map(values) => Type::Map(Box::new(ty(model, values))),
        Shape::Record(fields) => Type::Record(table(model, fields)),
        Shape::Named(_) => unreachable!("resolved above"),
    }
}

fn integer(format: IntegerFormat, min: Option<i128>, max: Option<i128>) -> Type {
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
