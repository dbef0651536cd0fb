//! Which keys are valid for which effect.

use crate::diagnostics::{Place, Problem, Report};
use crate::model::Effect;
use crate::raw::{Located, RawOperation};

pub(super) fn check(raw: &RawOperation, report: &mut Report) {
    // A missing or unknown effect is already reported.
    let Some(effect) = &raw.effect else { return };
    if effect.value == Effect::Destroy {
        must_confirm(raw, effect.place, report);
    }
    if effect.value == Effect::Read {
        let why = "it is only for operations that change something";
        refuse("confirm", set(raw.confirm.as_ref()), effect.value, why, report);
        refuse("dry_run", set(raw.dry_run.as_ref()), effect.value, why, report);
        let first = raw.invalidates.as_ref().and_then(|list| list.first());
        refuse("invalidates", first.map(|name| name.place), effect.value, why, report);
    } else {
        let why = "only answers of reads may be reused";
        let cache = raw.cache.as_ref().map(|cache| cache.1);
        refuse("cache", cache, effect.value, why, report);
    }
    if let Some(retry) = &raw.retry {
        must_be_idempotent(raw, retry.place, effect.value, report);
    }
    if effect.value != Effect::Write {
        let why = "it states that a write may replace content";
        refuse("overwrites", set(raw.overwrites.as_ref()), effect.value, why, report);
    }
}

/// A handler may be retried only if repeating its work changes nothing.
fn must_be_idempotent(raw: &RawOperation, retry: Place, effect: Effect, report: &mut Report) {
    let idempotent = raw.idempotent.as_ref().map_or(effect == Effect::Read, |flag| flag.value);
    if !idempotent {
        let problem = "`retry` needs an operation that is idempotent";
        report.push(Problem::error(retry, problem).help(
            "a retry repeats what the handler did before it failed; if that changes nothing, add `idempotent: true`",
        ));
    }
}

/// The place of a flag that is true.
fn set(flag: Option<&Located<bool>>) -> Option<Place> {
    flag.filter(|flag| flag.value).map(|flag| flag.place)
}

fn must_confirm(raw: &RawOperation, effect: Place, report: &mut Report) {
    let place = match &raw.confirm {
        Some(confirm) if confirm.value => return,
        Some(confirm) => confirm.place,
        None => effect,
    };
    report.push(
        Problem::error(place, "an operation with the effect `destroy` must ask for confirmation")
            .expected("`confirm: true`"),
    );
}

fn refuse(key: &str, place: Option<Place>, effect: Effect, why: &str, report: &mut Report) {
    if let Some(place) = place {
        let message = format!("`{key}` is not valid with the effect `{}`", effect.as_str());
        report.push(Problem::error(place, message).help(why));
    }
}
