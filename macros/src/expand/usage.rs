//! Which declared types are used in arguments and which in results, so that only the needed
//! conversions are written.

use toolwrit_manifest::{Model, Shape};

/// Where a type is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TypeUsage {
    /// In arguments.
    pub(super) input: bool,
    /// In results.
    pub(super) output: bool,
}

impl TypeUsage {
    pub(super) const INPUT: TypeUsage = TypeUsage { input: true, output: false };
    pub(super) const OUTPUT: TypeUsage = TypeUsage { input: false, output: true };
}

/// The usage of every declared type, in the order of the model's list.
pub(super) fn of_types(model: &Model) -> Vec<TypeUsage> {
    let mut usage = vec![TypeUsage::default(); model.types.len()];
    for operation in &model.operations {
        for field in &operation.params {
            mark(model, &field.shape, TypeUsage::INPUT, &mut usage);
        }
        if let Some(shape) = operation.returns.shape() {
            mark(model, shape, TypeUsage::OUTPUT, &mut usage);
        }
    }
    usage
}

fn mark(model: &Model, shape: &Shape, direction: TypeUsage, usage: &mut [TypeUsage]) {
    match shape {
        Shape::Named(id) => {
            let known = &mut usage[id.index()];
            let merged = TypeUsage {
                input: known.input || direction.input,
                output: known.output || direction.output,
            };
            if *known != merged {
                *known = merged;
                mark(model, &model[*id].shape, direction, usage);
            }
        }
        Shape::Array { items, .. } => mark(model, items, direction, usage),
        Shape::Map(values) => mark(model, values, direction, usage),
        Shape::Record(fields) => {
            for field in fields {
                mark(model, &field.shape, direction, usage);
            }
        }
        _ => {}
    }
}
