//! Operations of the engine have their own effect, parameters and result.

use crate::diagnostics::{Place, Problem, Report};
use crate::raw::{RawOperation, RawShape};

/// Reports keys that `builtin` determines.
pub(super) fn check(raw: &RawOperation, report: &mut Report) {
    let Some(builtin) = &raw.builtin else { return };
    for (key, place) in determined(raw, builtin.place) {
        let Some(place) = place else { continue };
        let message = format!("`builtin: {}` determines `{key}`", builtin.value.as_str());
        report.push(Problem::error(place, message).help("remove it"));
    }
}

/// The keys that `builtin` determines, with the place of each that is there.
fn determined(
    raw: &RawOperation,
    builtin: Place,
) -> impl Iterator<Item = (&'static str, Option<Place>)> {
    let flags = [
        ("idempotent", &raw.idempotent),
        ("open_world", &raw.open_world),
        ("overwrites", &raw.overwrites),
        ("select", &raw.select),
        ("confirm", &raw.confirm),
        ("dry_run", &raw.dry_run),
    ];
    let flags = flags.map(|(key, flag)| (key, flag.as_ref().map(|flag| flag.place)));
    let returns = raw.returns.as_ref().map(|returns| match returns {
        RawShape::Expression(text) => text.place,
        RawShape::Long(_, place) => *place,
        RawShape::Unreadable => builtin,
    });
    let first = |list: &Option<Vec<crate::yaml::Text>>| {
        list.as_ref().map(|list| list.first().map_or(builtin, |text| text.place))
    };
    let params = raw.params.as_ref();
    let page = raw.page.as_ref();
    let others = [
        ("effect", raw.effect.as_ref().map(|effect| effect.place)),
        ("params", params.map(|all| all.0.first().map_or(builtin, |entry| entry.key.place))),
        ("returns", returns),
        ("page", page.map(|page| page.default.as_ref().map_or(builtin, |size| size.place))),
        ("cache", raw.cache.as_ref().map(|cache| cache.1)),
        ("retry", raw.retry.as_ref().map(|retry| retry.place)),
        (
            "task",
            raw.task
                .as_ref()
                .map(|task| task.0.support.as_ref().map_or(builtin, |support| support.place)),
        ),
        ("invalidates", first(&raw.invalidates)),
        ("errors", first(&raw.errors)),
    ];
    others.into_iter().chain(flags)
}
