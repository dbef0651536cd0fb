//! Reads that come before a request.

use serde_json::{Value, json};

use super::codes;
use super::reads;
use super::request::{RawParts, parts};
use super::scope::Scope;
use super::template::requirements;
use crate::check::names::lookup::DeclaredNames;
use crate::check::names::optional::split_optional;
use crate::check::names::spelling::{self, Style};
use crate::diagnostics::{Problem, Report};
use crate::raw::{Entries, Entry, RawPick, RawStep};

/// More reads would make one call slow.
const MAX_STEPS: usize = 3;

/// Lowers `first`. Later parts of the binding may refer to the steps.
pub(super) fn steps(
    scope: &mut Scope<'_>,
    raw: &Entries<RawStep>,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Value {
    if let Some(entry) = raw.0.get(MAX_STEPS) {
        let message = format!("`first` has {} reads", raw.0.len());
        report.push(
            Problem::error(entry.key.place, message).expected(format!("at most {MAX_STEPS}")),
        );
    }
    raw.0.iter().filter_map(|entry| step(scope, entry, lookup, report)).collect()
}

fn step(
    scope: &mut Scope<'_>,
    Entry { key, value: raw }: &Entry<RawStep>,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Option<Value> {
    let (name, is_optional) = split_optional(&key.value);
    let name = spelling::name("step", name, key.place, Style::Snake, report);
    if scope.params.iter().any(|field| field.name == name) || scope.has_step(&name) {
        report.push(
            Problem::error(key.place, format!("the name `{name}` is taken"))
                .expected("a name that is neither a parameter nor another step"),
        );
    }
    let path = raw.get.as_ref()?;
    let request = RawParts { path, query: raw.query.as_ref(), headers: raw.headers.as_ref() };
    let mut table = json!({
        "name": name,
        "optional": is_optional,
        "request": parts(scope, &request, is_optional, report),
        "otherwise": raw.r#else.as_ref().and_then(|code| codes::code(code, lookup, report)).unwrap_or("CONFLICT"),
    });
    if let Some(pick) = raw.pick.as_ref().and_then(|raw| pick(scope, raw, is_optional, report)) {
        table["pick"] = pick;
    }
    if let Some(require) = &raw.require {
        table["require"] = requirements(scope, require, is_optional, report);
    }
    scope.add_step(&name, is_optional);
    Some(table)
}

fn pick(
    scope: &mut Scope<'_>,
    raw: &RawPick,
    is_optional: bool,
    report: &mut Report,
) -> Option<Value> {
    let from = reads::path(raw.from.as_ref()?, report)?;
    let wanted = requirements(scope, raw.r#where.as_ref()?, is_optional, report);
    let mut table = json!({ "from": from.table(), "where": wanted });
    if let Some(at) = raw.at.as_ref().and_then(|at| scope.pointer(at, report)) {
        table["at"] = at;
    }
    if let Some(offer) = raw.offer.as_ref().and_then(|path| reads::path_table(path, report)) {
        table["offer"] = offer;
    }
    Some(table)
}
