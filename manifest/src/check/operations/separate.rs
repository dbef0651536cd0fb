//! Lists whose items are checked one by one. What does not fit is a value of Rust, which only a handler can take.

use crate::diagnostics::{Problem, Report};
use crate::model::{Model, Operation, Shape};
use crate::raw::{RawOperation, RawShape};

/// Reports `separate` of a parameter that is no list, or that no handler gets.
pub(super) fn check(raw: &RawOperation, model: &Model, operation: &Operation, report: &mut Report) {
    let params = raw.params.iter().flat_map(|params| &params.0);
    for (entry, param) in params.zip(&operation.params) {
        let RawShape::Long(long, _) = &entry.value else { continue };
        let Some(separate) = &long.separate else { continue };
        if !matches!(model.resolve(&param.shape), Shape::Array { .. }) {
            report.push(Problem::error(separate.place, "only a list can be `separate`"));
        } else if !model.is_handled(operation) {
            let message = "a list is `separate` only where a handler carries out the operation";
            report.push(Problem::error(separate.place, message).help("remove it"));
        }
    }
}
