//! Examples and the arguments of aliases fit the operation's parameters.

use serde_json::Value;

use crate::fits::fits;
use crate::model::{Field, Model, Operation, Presence};
use crate::problem::Problem;
use crate::raw::{Entries, Entry, Located, RawLongAlias, RawOperation};
use crate::report::Report;
use crate::source::Place;
use crate::yaml::Text;

pub(super) fn check(raw: &RawOperation, model: &Model, operation: &Operation, report: &mut Report) {
    let inputs = model.inputs(operation);
    for example in raw.examples.iter().flatten() {
        let Some(args) = &example.args else { continue };
        values("the argument", args, &inputs, model, report);
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
    for alias in raw.aliases.iter().flatten() {
        check_alias(&alias.0, &inputs, model, report);
    }
}

fn check_alias(raw: &RawLongAlias, inputs: &[Field], model: &Model, report: &mut Report) {
    let mut targets: Vec<&str> = Vec::new();
    for Entry { key, value } in raw.args.iter().flat_map(|args| &args.0) {
        let Some(target) = value else { continue };
        if find(inputs, target, report).is_none() {
            continue;
        }
        if key.value != target.value && inputs.iter().any(|field| field.name == key.value) {
            report.push(
                Problem::error(key.place, format!("`{}` is a current parameter", key.value)).help(
                    "a name that is in use cannot also be the older name of another parameter",
                ),
            );
        }
        targets.push(&target.value);
    }
    let Some(set) = &raw.set else { return };
    values("the fixed argument", set, inputs, model, report);
    for Entry { key, .. } in &set.0 {
        if targets.contains(&key.value.as_str()) {
            report.push(
                Problem::error(key.place, format!("`{}` is both renamed and fixed", key.value))
                    .help("keep it under `args` or under `set`, not both"),
            );
        }
    }
}

/// Checks that every value belongs to a parameter and fits it.
fn values(
    what: &str,
    entries: &Entries<Option<Located<Value>>>,
    inputs: &[Field],
    model: &Model,
    report: &mut Report,
) {
    for Entry { key, value } in &entries.0 {
        let Some(field) = find(inputs, key, report) else { continue };
        let Some(value) = value else { continue };
        if let Err(fault) = fits(model, &field.shape, &value.value) {
            let message = format!("{what} `{}` does not fit its parameter: {fault}", key.value);
            report.push(Problem::error(value.place, message));
        }
    }
}

fn find<'a>(inputs: &'a [Field], name: &Text, report: &mut Report) -> Option<&'a Field> {
    let field = inputs.iter().find(|field| field.name == name.value);
    if field.is_none() {
        let known = inputs.iter().map(|field| field.name.as_str());
        report.unknown_reference(name.place, "parameter", &name.value, known);
    }
    field
}
