//! `asks`, how people ask for operations: given for all operations or for none.

use crate::diagnostics::{Problem, Report};
use crate::model::Model;
use crate::raw::RawManifest;

/// Warns of operations without `asks` if others have them, because a search ranks those others
/// first. Deprecated operations need none.
pub(in crate::check) fn check(raw: &RawManifest, model: &Model, report: &mut Report) {
    if report.has_errors() || model.tools().all(|operation| operation.asks.is_empty()) {
        return;
    }
    for (entry, operation) in raw.operations.iter().zip(&model.operations) {
        if operation.asks.is_empty() && operation.deprecated.is_none() {
            let message =
                format!("`{}` has no `asks`, but other operations have some", operation.id);
            let help = "search ranks operations with `asks` higher; write them for all operations or for none";
            report.push(Problem::warning(entry.key.place, message).help(help));
        }
    }
}
