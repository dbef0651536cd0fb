//! The size of a type with all its references expanded, as clients without `$ref` need it. It is
//! estimated before anything is expanded, so that a few lines of YAML cannot fill the memory.

use crate::diagnostics::{Problem, Report};
use crate::interface::json_schema;
use crate::model::{Field, Model, Operation, Shape, TypeId};
use crate::yaml::Text;

const MAX_DEPTH: usize = 16;
const MAX_BYTES: usize = 64 * 1024;

/// Some clients silently drop larger input schemas.
const MAX_INPUT_SCHEMA: usize = 16_384;

/// A lower bound for the bytes of a schema, and its levels.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SchemaSize {
    bytes: usize,
    depth: usize,
}

impl SchemaSize {
    pub(super) fn measure(shape: &Shape, declared: &dyn Fn(TypeId) -> SchemaSize) -> Self {
        /// `{"type":"string"}`.
        const LEAST: usize = 17;
        match shape {
            Shape::Named(id) => declared(*id),
            Shape::Enum(values) => Self {
                bytes: LEAST + values.iter().map(|value| value.name.len()).sum::<usize>(),
                depth: 1,
            },
            Shape::Array { items, .. } => Self::measure(items, declared).outside(LEAST),
            Shape::Map(values) => Self::measure(values, declared).outside(LEAST),
            Shape::Record(fields) => Self::measure_fields(fields, declared).outside(LEAST),
            _ => Self { bytes: LEAST, depth: 1 },
        }
    }

    fn measure_fields(fields: &[Field], declared: &dyn Fn(TypeId) -> SchemaSize) -> Self {
        fields.iter().fold(Self::default(), |sum, field| {
            let size = Self::measure(&field.shape, declared).and(field.description.as_deref());
            Self {
                bytes: sum.bytes.saturating_add(size.bytes).saturating_add(field.name.len()),
                depth: sum.depth.max(size.depth),
            }
        })
    }

    /// The size with one more level around it.
    fn outside(self, bytes: usize) -> Self {
        Self { bytes: self.bytes.saturating_add(bytes), depth: self.depth + 1 }
    }

    /// With a description.
    pub(super) fn and(self, text: Option<&str>) -> Self {
        Self { bytes: self.bytes.saturating_add(text.map_or(0, str::len)), ..self }
    }

    /// Why it is too large, in words.
    pub(super) fn excess(self) -> Option<String> {
        if self.depth > MAX_DEPTH {
            Some(format!("is nested deeper than {MAX_DEPTH} levels"))
        } else if self.bytes > MAX_BYTES {
            Some(format!("needs more than {MAX_BYTES} bytes with all its references expanded"))
        } else {
            None
        }
    }
}

/// Checks that the input schema of an operation is small enough for every client.
pub(in crate::check) fn check(
    id: &Text,
    model: &Model,
    operation: &Operation,
    report: &mut Report,
) {
    // The estimate for each type is bounded, so the sum over its uses needs no cache.
    let estimate = SchemaSize::measure_fields(&operation.params, &|id| declared(model, id));
    let too_large = |size: String| {
        Problem::error(id.place, format!("the input schema of `{}` has {size} bytes", id.value))
            .expected(format!("fewer than {MAX_INPUT_SCHEMA}"))
            .help("shorten descriptions, or use smaller types: some clients drop larger tools")
    };
    if estimate.bytes > MAX_BYTES {
        report.push(too_large(format!("more than {MAX_BYTES}")));
        return;
    }
    let size = json_schema::input_schema(model, operation).len();
    if size >= MAX_INPUT_SCHEMA {
        report.push(too_large(size.to_string()));
    }
}

fn declared(model: &Model, id: TypeId) -> SchemaSize {
    SchemaSize::measure(&model[id].shape, &|id| declared(model, id))
}
