//! Rules for operations that are bound to HTTP APIs.

use super::scope::Scope;
use crate::model::{Effect, Operation, Provider, Returns, Shape};
use crate::problem::Problem;
use crate::raw::{RawBinding, RawOperation, Written};
use crate::report::Report;

/// Checks a binding against the other keys of its operation.
pub(super) fn check(
    raw: &RawOperation,
    written: &Written<RawBinding>,
    operation: &Operation,
    provider: &Provider,
    report: &mut Report,
) {
    excluded(raw, provider, report);
    if operation.returns == Returns::Content {
        report.push(
            Problem::error(written.place, "an operation of an HTTP API returns no content blocks")
                .expected("`returns` with a type, or none"),
        );
    }
    if let (true, Some(flag), Returns::Value(shape)) =
        (operation.dry_run, &raw.dry_run, &operation.returns)
        && !matches!(shape, Shape::Record(_) | Shape::Named(_))
    {
        report.push(
            Problem::error(
                flag.place,
                "`dry_run` of a bound operation shows its request in an object",
            )
            .expected("`returns` with an object, or none"),
        );
    }
}

/// Reports an operation that the engine carries out, too.
pub(super) fn is_built_in(raw: &RawOperation, report: &mut Report) -> bool {
    if let Some(builtin) = &raw.builtin {
        let message = "the engine carries out the operation, or an HTTP API does";
        report.push(Problem::error(builtin.place, message).expected("one of `builtin` and `http`"));
    }
    raw.builtin.is_some()
}

/// Keys that do not go together with `http`.
fn excluded(raw: &RawOperation, provider: &Provider, report: &mut Report) {
    if let Some(retry) = &raw.retry {
        report.push(
            Problem::error(retry.place, "requests of a bound operation are repeated already")
                .help("remove `retry`"),
        );
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
    binding: &RawBinding,
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
pub(super) fn unused(raw: &RawOperation, scope: &Scope<'_>, report: &mut Report) {
    for field in scope.unused() {
        let keys = raw.params.iter().flat_map(|params| &params.0).map(|entry| &entry.key);
        if let Some(place) = super::key_place(keys, &field.name) {
            report.push(
                Problem::warning(place, format!("the parameter `{}` has no effect", field.name))
                    .help("use it in the request, or remove it"),
            );
        }
    }
}
