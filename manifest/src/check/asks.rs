//! How people ask for operations: said of all of them, or of none.

use crate::model::Model;
use crate::problem::Problem;
use crate::raw::Merged;
use crate::report::Report;

/// Warns of operations without asks where others have some: a search ranks those first. One that is on
/// its way out need not be found.
pub(super) fn check(raw: &Merged, model: &Model, report: &mut Report) {
    if report.has_errors() || model.tools().all(|operation| operation.asks.is_empty()) {
        return;
    }
    for (entry, operation) in raw.operations.iter().zip(&model.operations) {
        if operation.asks.is_empty() && operation.deprecated.is_none() {
            let message = format!("`{}` has no `asks`, and other operations have", operation.id);
            let help =
                "a search ranks the others before it; write asks for all operations or for none";
            report.push(Problem::warning(entry.key.place, message).help(help));
        }
    }
}
