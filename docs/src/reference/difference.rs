//! How an operation differs from what it was.

use toolwrit_manifest::policy::{focus_allows, role_allows};
use toolwrit_manifest::{Field, Model, Operation, OperationId, Presence, Shape};

use super::fields;
use crate::document::{Inline, Line, badge, code, plain_text, text};

/// A change of an operation.
pub(super) struct Change {
    words: Line,
    /// Whether calls that worked may fail.
    breaks: bool,
}

impl Change {
    fn new(breaks: bool, words: impl Into<Line>) -> Self {
        Self { words: words.into(), breaks }
    }

    pub(super) fn into_line(self) -> Line {
        let mut line = self.words;
        if self.breaks {
            line.extend([text(" "), badge("deprecated", "may break calls")]);
        }
        line
    }
}

/// The changes of an operation, as callers notice them.
pub(super) fn compare_operations(
    (older, before): (&Model, &Operation),
    (model, id): (&Model, OperationId),
) -> Vec<Change> {
    let now = &model[id];
    let mut changes = compare_effects(before, now);
    changes.extend(compare_parameters((older, &older.inputs(before)), (model, &model.inputs(now))));
    changes.extend(compare_results((older, before), (model, now)));
    changes.extend(compare_access((older, before), (model, id)));
    let known = |name: &str| before.aliases.iter().any(|alias| alias.name == name);
    let older_names = now.aliases.iter().filter(|alias| !known(&alias.name));
    changes.extend(older_names.map(|alias| {
        Change::new(false, [text("It can also be called as "), code(&alias.name), text(".")])
    }));
    if now.deprecated.is_some() && before.deprecated.is_none() {
        changes.push(Change::new(false, [text("It is deprecated.")]));
    }
    changes
}

fn compare_effects(before: &Operation, now: &Operation) -> Vec<Change> {
    let mut changes = Vec::new();
    if before.effect != now.effect {
        let (before, now) = (before.effect.as_str(), now.effect.as_str());
        let words =
            [text("Its effect is now "), code(now), text(", was "), code(before), text(".")];
        changes.push(Change::new(true, words));
    }
    match (before.confirm, now.confirm) {
        (false, true) => changes.push(Change::new(true, [text("It asks the user to confirm.")])),
        (true, false) => changes.push(Change::new(false, [text("It no longer asks to confirm.")])),
        _ => {}
    }
    changes
}

/// A part of a manifest, with the manifest.
type WithModel<'a, T> = (&'a Model, &'a T);

fn compare_parameters(
    before: WithModel<'_, Vec<Field>>,
    now: WithModel<'_, Vec<Field>>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for field in before.1 {
        match now.1.iter().find(|current| current.name == field.name) {
            Some(current) => changes.extend(compare_parameter((before.0, field), (now.0, current))),
            None => changes.push(parameter_change(true, field, "is gone")),
        }
    }
    for field in now.1.iter().filter(|field| before.1.iter().all(|older| older.name != field.name))
    {
        changes.push(match field.presence {
            Presence::Required => parameter_change(true, field, "is new, and required"),
            _ => parameter_change(false, field, "is new"),
        });
    }
    changes
}

/// A sentence about a parameter.
fn parameter_change(breaks: bool, field: &Field, words: &str) -> Change {
    Change::new(breaks, [text("The parameter "), code(&field.name), text(format!(" {words}."))])
}

fn compare_parameter(before: WithModel<'_, Field>, now: WithModel<'_, Field>) -> Vec<Change> {
    let mut changes = compare_shapes("parameter", before, now);
    let field = now.1;
    match (&before.1.presence, &field.presence) {
        (before, now) if before == now => {}
        (_, Presence::Required) => changes.push(parameter_change(true, field, "is now required")),
        (_, Presence::Optional) => changes.push(parameter_change(false, field, "is now optional")),
        (_, Presence::Default(value)) => {
            changes.push(parameter_change(false, field, &format!("has now the default {value}")));
        }
    }
    changes
}

/// How the values of a field differ.
fn compare_shapes(
    kind: &str,
    before: WithModel<'_, Field>,
    now: WithModel<'_, Field>,
) -> Vec<Change> {
    let change = |words: Vec<Inline>, breaks| {
        let start = [text(format!("The {kind} ")), code(&now.1.name), text(" ")];
        Change::new(breaks, start.into_iter().chain(words).collect::<Vec<_>>())
    };
    let (older, current) = (before.0.resolve(&before.1.shape), now.0.resolve(&now.1.shape));
    if let (Shape::Enum(older), Shape::Enum(current)) = (older, current) {
        let gone =
            older.iter().filter(|value| current.iter().all(|other| other.name != value.name));
        let new = current.iter().filter(|value| older.iter().all(|other| other.name != value.name));
        let gone = gone.map(|value| {
            change(vec![text("no longer has the value "), code(&value.name), text(".")], true)
        });
        let new = new.map(|value| {
            change(
                vec![text("has the new value "), code(&value.name), text(".")],
                kind != "parameter",
            )
        });
        return gone.chain(new).collect();
    }
    let words =
        |(model, field): WithModel<'_, Field>| plain_text(&fields::type_line(model, &field.shape));
    let (was, is) = (words(before), words(now));
    if was != is && std::mem::discriminant(older) != std::mem::discriminant(current) {
        return vec![change(vec![text(format!("is now {is}, was {was}."))], true)];
    }
    if fields::constraints(before.0, &before.1.shape) == fields::constraints(now.0, &now.1.shape) {
        return Vec::new();
    }
    vec![change(vec![text("allows other values.")], true)]
}

fn compare_results(
    (older, before): WithModel<'_, Operation>,
    (model, now): WithModel<'_, Operation>,
) -> Vec<Change> {
    let (was, is) = (before.returns.shape(), now.returns.shape());
    let (Some(was), Some(is)) = (was, is) else {
        let differs = was.is_some() != is.is_some();
        let change = || Change::new(true, [text("Its result has another form.")]);
        return differs.then(change).into_iter().collect();
    };
    let (was, is) = (fields::inner_fields(older, was), fields::inner_fields(model, is));
    let (was, is) = (was.unwrap_or_default(), is.unwrap_or_default());
    let sentence = |breaks, field: &Field, words: &str| {
        let line =
            [text("The field "), code(&field.name), text(format!(" of its result {words}."))];
        Change::new(breaks, line)
    };
    let mut changes = Vec::new();
    for field in was {
        match is.iter().find(|current| current.name == field.name) {
            Some(current) => {
                changes.extend(compare_shapes("field", (older, field), (model, current)));
            }
            None => changes.push(sentence(true, field, "is gone")),
        }
    }
    let new = is.iter().filter(|field| was.iter().all(|older| older.name != field.name));
    changes.extend(new.map(|field| sentence(false, field, "is new")));
    changes
}

/// Which roles and focus modes allow it now, of those that both manifests have.
fn compare_access(
    (older, before): WithModel<'_, Operation>,
    (model, id): (&Model, OperationId),
) -> Vec<Change> {
    let Some(was) = older.operation_ids().find(|at| older[*at].id == before.id) else {
        return Vec::new();
    };
    let mut changes = Vec::new();
    for role in model.role_ids() {
        let name = &model[role].name;
        if let Some(same) = older.role_ids().find(|at| older[*at].name == *name) {
            let allowed = (role_allows(older, same, was), role_allows(model, role, id));
            changes.extend(compare_allowance("role", name, allowed));
        }
    }
    for focus in model.focus_ids() {
        let name = &model[focus].name;
        if let Some(same) = older.focus_ids().find(|at| older[*at].name == *name) {
            let allowed = (focus_allows(older, same, was), focus_allows(model, focus, id));
            changes.extend(compare_allowance("focus mode", name, allowed));
        }
    }
    changes
}

fn compare_allowance(kind: &str, name: &str, (before, now): (bool, bool)) -> Option<Change> {
    let words = if now { " allows it now." } else { " no longer allows it." };
    let line = [text(format!("The {kind} ")), code(name), text(words)];
    (before != now).then(|| Change::new(before, line))
}
