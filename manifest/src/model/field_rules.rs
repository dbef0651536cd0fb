//! What a field has by itself, or from the declared type of its values.

use super::{EnumValue, Field, Model, Operation, Shape};

impl Model {
    /// A field's own description, otherwise that of its declared type.
    pub fn description_of<'a>(&'a self, field: &'a Field) -> Option<&'a str> {
        let mut description = field.description.as_deref();
        let mut shape = &field.shape;
        while let (None, Shape::Named(id)) = (description, shape) {
            description = self[*id].description.as_deref();
            shape = &self[*id].shape;
        }
        description
    }

    /// The values of an enum, or of a list of them, with their descriptions; empty if none has any.
    pub fn described_values<'a>(&'a self, shape: &'a Shape) -> Vec<(&'a str, &'a str)> {
        match self.resolve(shape) {
            Shape::Array { items, .. } => self.described_values(items),
            Shape::Enum(values) if values.iter().any(|value| value.description.is_some()) => values
                .iter()
                .map(|EnumValue { name, description }| {
                    (name.as_str(), description.as_deref().unwrap_or_default())
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a field must never be logged: it is marked, or the type of its values is. Fields of objects are
    /// marked one by one.
    pub fn is_sensitive(&self, field: &Field) -> bool {
        field.sensitive || self.is_sensitive_shape(&field.shape)
    }

    fn is_sensitive_shape(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Named(id) => self[*id].sensitive || self.is_sensitive_shape(&self[*id].shape),
            Shape::Array { items, .. } => self.is_sensitive_shape(items),
            Shape::Map(values) => self.is_sensitive_shape(values),
            _ => false,
        }
    }

    /// Whether the result of an operation is an object. Structured content carries any other value as
    /// `{"result": ..}`.
    pub fn returns_object(&self, operation: &Operation) -> bool {
        let shape = operation.returns.shape().map(|shape| self.resolve(shape));
        matches!(shape, Some(Shape::Record(_) | Shape::Map(_)))
    }
}
