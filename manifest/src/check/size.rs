//! How many entries a manifest may have. The engine keeps positions of entries in 16 bits, and some checks compare all of
//! them with each other.

use crate::diagnostics::{Place, Problem, Report};
use crate::model::Model;

/// The most entries of each kind.
const MOST: usize = 10_000;

/// Reports lists that are too long.
pub(super) fn check(model: &Model, report: &mut Report) {
    let aliases = model.operations.iter().map(|operation| operation.aliases.len());
    let lists = [
        ("operations, resources and prompts", model.operations.len()),
        ("older names of an operation", aliases.max().unwrap_or_default()),
        ("categories", model.categories.len()),
        ("providers", model.providers.len()),
        ("errors", model.errors.len()),
    ];
    for (what, count) in lists.into_iter().filter(|(_, count)| *count > MOST) {
        let problem = Problem::error(Place::start_of(0), format!("there are {count} {what}"));
        report.push(problem.expected(format!("at most {MOST}")));
    }
}
