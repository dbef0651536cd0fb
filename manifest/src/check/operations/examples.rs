//! Examples fit the operation's parameters.

use serde_json::Value;

use crate::diagnostics::{Place, Problem, Report};
use crate::model::{Field, Model, Operation, Presence};
use crate::raw::{Entries, Entry, Located, RawOperation};
use crate::values::fits;

pub(super) fn check(raw: &RawOperation, model: &Model, operation: &Operation, report: &mut Report) {
    let inputs = model.inputs(operation);
    for example in raw.examples.iter().flatten() {
        let Some(args) = &example.args else { continue };
        values(args, &inputs, model, report);
        for field in inputs.iter().filter(|field| field.presence == Presence::Required) {
            if args.0.iter().all(|entry| entry.key.value != field.name) {
                let place = args.0.first().map(|entry| entry.key.place);
                let place = place.or_else(|| raw.summary.as_ref().map(|text| text.place));
                let place = place.unwrap_or(Place::start_of(0));
                let message = format!("the example lacks the parameter `{}`", field.name);
                report.push(Problem::error(place, message).help("add it"));
            }
        }
    }
}

/// Checks that every argument belongs to a parameter and fits it.
fn values(
    entries: &Entries<Option<Located<Value>>>,
    inputs: &[Field],
    model: &Model,
    report: &mut Report,
) {
    for Entry { key, value } in &entries.0 {
        let Some(field) = inputs.iter().find(|field| field.name == key.value) else {
            let known = inputs.iter().map(|field| field.name.as_str());
            report.unknown_reference(key.place, "parameter", &key.value, known);
            continue;
        };
        let Some(value) = value else { continue };
        if let Err(fault) = fits(model, &field.shape, &value.value) {
            let message =
                format!("the argument `{}` does not fit its parameter: {fault}", key.value);
            report.push(Problem::error(value.place, message));
        }
    }
}
