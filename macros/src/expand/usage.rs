//! Which declared types are used in arguments and which in results, so that only the needed
//! conversions are written.

use toolwrit_manifest::{Model, Shape};

/// Where a type is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// In arguments.
    pub(super) input: bool,
    /// In results.
    pub(super) output: bool,
}

impl Usage {
    pub(super) const INPUT: Usage = Usage { input: true, output: false };
    pub(super) const OUTPUT: Usage = Usage { input: false, output: true };
}

/// The usage of every declared type, in the order of the model's list.
pub(super) fn of_types(model: &Model) -> Vec<Usage> {
    let mut usage = vec![Usage::default(); model.types.len()];
    for operation in &model.operations {
        for field in &operation.params {
            mark(model, &field.shape, Usage::INPUT, &mut usage);
        }
        if let Some(shape) = operation.returns.shape() {
            mark(model, shape, Usage::OUTPUT, &mut usage);
        }
    }
    usage
}

fn mark(model: &Model, shape: &Shape, direction: Usage, usage: &mut [Usage]) {
    match shape {
        Shape::Named(id) => {
            let known = &mut usage[id.index()];
            let merged = Usage {
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
