//! Names are unique on each surface.

use std::collections::{HashMap, HashSet};

use super::spelling::{MAX_WIRE_NAME, id_parts, wire_name, with_prefix};
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{Category, CategoryId, Effect, Model};
use crate::raw::{Entry, RawManifest};

/// The tools of the meta surface.
const META: [&str; 8] = [
    "introspect",
    "search_tools",
    "describe_tools",
    "execute",
    "execute_read",
    "execute_write",
    "execute_delete",
    "context",
];

pub(in crate::check) fn check(raw: &RawManifest, model: &Model, report: &mut Report) {
    if prefix_leaves_space(raw, model, report) {
        wire_names(raw, model, report);
    }
    let mut reported = HashSet::new();
    for surface in [flat(raw, model), dispatch(raw, model), meta(raw, model)] {
        collisions(surface, &mut reported, report);
    }
}

/// Whether the surfaces' own tools may have the prefix. If not, which is reported, it is the reason for other long names.
fn prefix_leaves_space(raw: &RawManifest, model: &Model, report: &mut Report) -> bool {
    let Some(prefix) = &raw.server.prefix else { return true };
    let longest = META.iter().map(|name| "_".len() + name.len()).max();
    let most = MAX_WIRE_NAME - longest.unwrap_or_default();
    // Empty if another problem of the prefix is reported.
    let length = model.server.prefix.len();
    if length > most {
        let message = format!("the prefix has {length} characters");
        report.push(
            Problem::error(prefix.place, message)
                .expected(format!("at most {most}, as the engine's own tools have it, too")),
        );
    }
    length <= most
}

/// Checks the names of tools that authors choose, and those that are made of them.
fn wire_names(raw: &RawManifest, model: &Model, report: &mut Report) {
    let prefix = &model.server.prefix;
    for (index, (entry, category)) in raw.categories.iter().zip(&model.categories).enumerate() {
        let place = entry.value.tool.as_ref().map_or(entry.key.place, |tool| tool.place);
        let names = tools_of(model, CategoryId(index), category);
        for name in names.take(if category.direct { 1 } else { usize::MAX }) {
            if !wire_name(&name, prefix, place, report) {
                break;
            }
        }
    }
    for (entry, operation) in raw.operations.iter().zip(&model.operations) {
        let place = entry.value.tool.as_ref().map_or(entry.key.place, |tool| tool.place);
        wire_name(&operation.wire_name, prefix, place, report);
    }
    for entry in &raw.tools {
        wire_name(&entry.key.value, prefix, entry.key.place, report);
    }
}

/// A name, what it belongs to, and where that is declared. The surface's own tools have no place.
struct ClaimedName {
    name: String,
    what: String,
    place: Option<Place>,
}

struct ToolNames {
    called: &'static str,
    names: Vec<ClaimedName>,
}

/// Reports the second of two equal names, only once for all surfaces.
fn collisions(surface: ToolNames, reported: &mut HashSet<Place>, report: &mut Report) {
    let mut taken: HashMap<String, (String, Option<Place>)> = HashMap::new();
    for ClaimedName { name, what, place } in surface.names {
        let Some((first, first_place)) = taken.get(&name) else {
            taken.insert(name, (what, place));
            continue;
        };
        let Some(at) = place.or(*first_place).filter(|at| reported.insert(*at)) else { continue };
        let message = format!(
            "the name `{name}` is used twice on the {} surface: by {first} and by {what}",
            surface.called
        );
        let problem = Problem::error(at, message).help("give one of them another name");
        report.push(match first_place {
            Some(first) if *first != at => problem.note("the first is declared at", *first),
            _ => problem,
        });
    }
}

fn flat(raw: &RawManifest, model: &Model) -> ToolNames {
    let mut names = operations(raw, model, |_| true);
    names.extend(constant_names(raw, model));
    ToolNames { called: "flat", names }
}

fn meta(raw: &RawManifest, model: &Model) -> ToolNames {
    let mut names: Vec<ClaimedName> =
        META.iter().map(|name| claim_tool(with_prefix(&model.server.prefix, name))).collect();
    names.extend(constant_names(raw, model));
    ToolNames { called: "meta", names }
}

fn dispatch(raw: &RawManifest, model: &Model) -> ToolNames {
    let prefix = &model.server.prefix;
    let mut names = vec![claim_tool(with_prefix(prefix, "discover"))];
    for (index, (entry, category)) in raw.categories.iter().zip(&model.categories).enumerate() {
        let id = CategoryId(index);
        if category.direct {
            continue;
        }
        let place = entry.value.tool.as_ref().map_or(entry.key.place, |tool| tool.place);
        names.extend(tools_of(model, id, category).map(|name| ClaimedName {
            name: with_prefix(prefix, &name),
            what: format!("the category `{}`", category.name),
            place: Some(place),
        }));
    }
    names.extend(operations(raw, model, |category| category.direct));
    names.extend(constant_names(raw, model));
    ToolNames { called: "dispatch", names }
}

/// The tools of a category: one for all its operations, or one for each effect among them.
fn tools_of<'a>(
    model: &'a Model,
    id: CategoryId,
    category: &'a Category,
) -> impl Iterator<Item = String> + 'a {
    let has = move |effect| model.operations_of(id).any(|operation| operation.effect == effect);
    let split = [(Effect::Read, "read"), (Effect::Write, "write"), (Effect::Destroy, "delete")];
    let split = split.into_iter().filter(move |(effect, _)| has(*effect));
    std::iter::once(category.wire_name.clone())
        .chain(split.map(|(_, effect)| format!("{}_{effect}", category.wire_name)))
}

fn operations(
    raw: &RawManifest,
    model: &Model,
    kept: impl Fn(&Category) -> bool,
) -> Vec<ClaimedName> {
    raw.operations
        .iter()
        .zip(&model.operations)
        .filter(|(_, operation)| kept(&model[operation.category]))
        .map(|(entry, operation)| ClaimedName {
            name: with_prefix(&model.server.prefix, &operation.wire_name),
            what: format!("the operation `{}`", operation.id),
            place: Some(entry.value.tool.as_ref().map_or(entry.key.place, |tool| tool.place)),
        })
        .collect()
}

/// The names that can be called on every surface, even if they are not listed: ids, ids without their
/// category if the rest has several segments, aliases and merged tools. Those of removed tools must not be
/// in use either.
fn constant_names(raw: &RawManifest, model: &Model) -> impl Iterator<Item = ClaimedName> {
    let ids = raw.operations.iter().flat_map(|Entry { key, .. }| {
        let short = id_parts(&key.value).and_then(|(_, name)| name.contains('.').then_some(name));
        std::iter::once(key.value.as_str()).chain(short).map(|name| ClaimedName {
            name: name.to_owned(),
            what: format!("the operation `{}`", key.value),
            place: Some(key.place),
        })
    });
    let aliases = raw.operations.iter().flat_map(|Entry { key, value }| {
        let names = value.aliases.iter().flatten().filter_map(|alias| alias.0.name.as_ref());
        names.flat_map(|names| &names.0).map(move |name| ClaimedName {
            name: name.value.clone(),
            what: format!("an alias of `{}`", key.value),
            place: Some(name.place),
        })
    });
    let prefix = model.server.prefix.clone();
    let merged = raw.tools.iter().map(move |Entry { key, .. }| ClaimedName {
        name: with_prefix(&prefix, &key.value),
        what: format!("the merged tool `{}`", key.value),
        place: Some(key.place),
    });
    let removed = raw.removed.iter().map(|Entry { key, .. }| ClaimedName {
        name: key.value.clone(),
        what: format!("the removed tool `{}`", key.value),
        place: Some(key.place),
    });
    ids.chain(aliases).chain(merged).chain(removed)
}

fn claim_tool(name: String) -> ClaimedName {
    ClaimedName { what: format!("the tool `{name}`"), name, place: None }
}
