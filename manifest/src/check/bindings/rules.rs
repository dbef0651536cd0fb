//! Rules for bindings beside other keys.

use super::RawBound;
use super::scope::Scope;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{BindingKind, Effect, Model, Operation, Provider, Returns, Shape};
use crate::raw::{RawOperation, RawProvider, RawRequest};

/// Checks a binding against the other keys of its operation.
pub(super) fn check(
    raw: &RawOperation,
    bound: RawBound<'_>,
    model: &Model,
    (operation, provider): (&Operation, &Provider),
    report: &mut Report,
) {
    excluded(raw, bound, provider, report);
    if operation.returns == Returns::Content && bound.kind() != BindingKind::Mcp {
        report.push(
            Problem::error(bound.place(), "a bound operation returns no content blocks")
                .expected("`returns` with a type, or none"),
        );
    }
    if let (true, Some(flag), Some(shape)) =
        (operation.dry_run, &raw.dry_run, operation.returns.shape().map(|shape| model.resolve(shape)))
        && !matches!(shape, Shape::Record(_))
        // `Json` may stand for an invalid type, which is already reported.
        && !(*shape == Shape::Json && report.has_errors())
    {
        report.push(
            Problem::error(
                flag.place,
                format!(
                    "`dry_run` of a bound operation shows its {} in an object",
                    word(bound.kind())
                ),
            )
            .expected("`returns` with an object, or none"),
        );
    }
}

/// What carries out a bound operation.
fn word(kind: BindingKind) -> &'static str {
    match kind {
        BindingKind::Http => "request",
        BindingKind::Command => "command",
        BindingKind::Mcp => "call",
    }
}

/// Checks how a provider is bound.
pub(super) fn provider(raw: &RawProvider, report: &mut Report) {
    if let Some(command) = &raw.command {
        stands_in_root(command.place, report);
    }
    if let Some(mcp) = raw.mcp.as_ref().filter(|mcp| mcp.keys.command.is_some()) {
        stands_in_root(mcp.place, report);
    }
    let places = [
        raw.http.as_ref().map(|binding| binding.place),
        raw.command.as_ref().map(|binding| binding.place),
        raw.mcp.as_ref().map(|binding| binding.place),
    ];
    if let Some(place) = places.into_iter().flatten().nth(1) {
        report.push(
            Problem::error(place, "the provider is bound to something else already")
                .expected("one of `http`, `command` and `mcp`"),
        );
    }
}

/// Whether nothing else carries out the operation, too, which is reported.
pub(super) fn is_alone(raw: &RawOperation, bound: RawBound<'_>, report: &mut Report) -> bool {
    if let Some(command) = &raw.command {
        stands_in_root(command.place, report);
    }
    if let Some(builtin) = &raw.builtin {
        let key = bound.kind().as_str();
        report.push(
            Problem::error(builtin.place, "the engine carries out the operation, or its provider")
                .expected(format!("one of `builtin` and `{key}`")),
        );
        return false;
    }
    let places = [
        raw.http.as_ref().map(|binding| binding.place),
        raw.command.as_ref().map(|binding| binding.place),
        raw.mcp.as_ref().map(|binding| binding.place),
    ];
    if let Some(place) = places.into_iter().flatten().nth(1) {
        report.push(
            Problem::error(place, "the operation is bound to something else already")
                .expected("one of `http`, `command` and `mcp`"),
        );
        return false;
    }
    true
}

/// Reports a command of an included file. Whoever reads the root file sees every command.
fn stands_in_root(place: Place, report: &mut Report) {
    if place.file != 0 {
        report.push(
            Problem::error(place, "an included file has no commands")
                .help("move it to the root file of the manifest"),
        );
    }
}

/// Keys that do not go together with a binding.
fn excluded(raw: &RawOperation, bound: RawBound<'_>, provider: &Provider, report: &mut Report) {
    let repeated = match bound.kind() {
        BindingKind::Http => Some("requests of a bound operation are repeated already"),
        BindingKind::Command => Some("a command is run once"),
        BindingKind::Mcp => None,
    };
    if let (Some(retry), Some(message)) = (&raw.retry, repeated) {
        report.push(Problem::error(retry.place, message).help("remove `retry`"));
    }
    if let Some(requires) = raw.requires.as_ref().filter(|name| name.value != provider.name) {
        report.push(
            Problem::error(
                requires.place,
                format!("the operation is bound to `{}`", provider.name),
            )
            .help("remove `requires`"),
        );
    }
    let shared = raw.cache.as_ref().and_then(|cache| cache.0.shared.as_ref());
    let is_per_account = provider.settings.iter().any(|setting| setting.per_account);
    if let Some(shared) = shared.filter(|shared| shared.value && is_per_account) {
        report.push(
            Problem::error(shared.place, "accounts have their own settings, and share no answers")
                .help("remove `shared`"),
        );
    }
}

/// Warns of a method that does not fit the effect.
pub(super) fn method_fits_effect(
    raw: &RawOperation,
    binding: &RawRequest,
    operation: &Operation,
    report: &mut Report,
) {
    let Some(effect) = &raw.effect else { return };
    let word = effect.value.as_str();
    if binding.get.is_some() && effect.value != Effect::Read {
        report.push(
            Problem::warning(
                effect.place,
                format!("a GET changes nothing, and the effect is `{word}`"),
            )
            .help("correct the effect, unless the API changes something on a GET"),
        );
    }
    let changing = [("PUT", &binding.put), ("PATCH", &binding.patch), ("DELETE", &binding.delete)];
    let changing = changing.iter().find(|(_, path)| path.is_some());
    if let (Effect::Read, Some((method, _))) = (operation.effect, changing) {
        report.push(
            Problem::warning(
                effect.place,
                format!("a {method} changes something, and the effect is `{word}`"),
            )
            .help("correct the effect, or callers without the right to write can use it"),
        );
    }
}

/// Warns of parameters that have no effect.
pub(super) fn unused(
    raw: &RawOperation,
    scope: &Scope<'_>,
    kind: BindingKind,
    report: &mut Report,
) {
    for field in scope.unused() {
        let keys = raw.params.iter().flat_map(|params| &params.0).map(|entry| &entry.key);
        if let Some(place) = super::key_place(keys, &field.name) {
            report.push(
                Problem::warning(place, format!("the parameter `{}` has no effect", field.name))
                    .help(format!("use it in the {}, or remove it", word(kind))),
            );
        }
    }
}
