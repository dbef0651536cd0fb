//! Providers and operations that are bound to HTTP APIs. The tables are those of `toolwrit-bindings`, as JSON.

mod api;
mod codes;
mod json_path;
mod page;
mod reads;
mod request;
mod result;
mod rules;
mod scope;
mod steps;
mod template;

use serde_json::{Value, json};

use super::lookup::DeclaredNames;
use crate::model::{Effect, HttpTable, Model, Operation, OperationId, ProviderId, TypeId};
use crate::problem::Problem;
use crate::raw::{RawBinding, RawManifest, RawOperation, RawProvider, Written};
use crate::report::Report;
use crate::yaml::Text;
use request::{RawParts, body, method, parts};
use result::NamedShapes;
use scope::Scope;

/// Adds to the model how its providers and operations are bound.
pub(super) fn bind(
    raw: &RawManifest,
    lookup: &DeclaredNames<'_>,
    model: &mut Model,
    report: &mut Report,
) {
    let mut shapes = Vec::new();
    for (at, entry) in raw.providers.iter().enumerate() {
        let settings = entry.value.settings.as_ref();
        let settings = settings.map(|raw| api::settings(&raw.keys, report)).unwrap_or_default();
        let named = named_shapes(&entry.value, lookup, report);
        let table = entry.value.http.as_ref().map(|written| {
            let own = (&*model, settings.as_slice());
            api::api(&entry.key.value, &written.keys, own, &named, lookup, report)
        });
        let http = entry.value.http.as_ref().zip(table);
        let provider = &mut model.providers[at];
        provider.settings = settings;
        provider.http = http.map(|(raw, table)| HttpTable { written: raw.json.clone(), table });
        shapes.push(named);
    }
    for (at, entry) in raw.operations.iter().enumerate() {
        let Some(written) = &entry.value.http else { continue };
        let id = OperationId(at);
        let provider = provider(written, lookup, model, report);
        let table = match provider {
            _ if rules::is_built_in(&entry.value, report) => Value::Null,
            Some(provider) => {
                let table = operation(
                    &entry.value,
                    written,
                    (model, id, provider),
                    &shapes[provider.0],
                    lookup,
                    report,
                );
                rules::check(&entry.value, written, &model[id], &model[provider], report);
                table
            }
            None => Value::Null,
        };
        let operation = &mut model.operations[at];
        operation.http = Some(HttpTable { written: written.json.clone(), table });
        operation.requires = provider;
        operation.open_world = entry.value.open_world.as_ref().is_none_or(|flag| flag.value);
    }
}

/// The types whose places the provider declares.
fn named_shapes(raw: &RawProvider, lookup: &DeclaredNames<'_>, report: &mut Report) -> NamedShapes {
    let shapes = raw.http.as_ref().and_then(|http| http.keys.shapes.as_ref());
    let ids = shapes.into_iter().flat_map(|shapes| &shapes.0);
    let ids: Vec<TypeId> =
        ids.filter_map(|entry| lookup.type_id(&entry.key.value, entry.key.place, report)).collect();
    NamedShapes(ids)
}

/// The provider of a binding: the one that it names, or the only one that has `http`.
fn provider(
    written: &Written<RawBinding>,
    lookup: &DeclaredNames<'_>,
    model: &Model,
    report: &mut Report,
) -> Option<ProviderId> {
    let is_api = |id: &ProviderId| model[*id].http.is_some();
    if let Some(name) = &written.keys.provider {
        let id = lookup.provider(name, report)?;
        if !is_api(&id) {
            let message = format!("the provider `{}` is no HTTP API", name.value);
            report.push(Problem::error(name.place, message).help("add `http` to the provider"));
            return None;
        }
        return Some(id);
    }
    let apis: Vec<ProviderId> = (0..model.providers.len()).map(ProviderId).filter(is_api).collect();
    if let [only] = apis[..] {
        return Some(only);
    }
    let names: Vec<&str> = apis.iter().map(|id| model[*id].name.as_str()).collect();
    let problem = if names.is_empty() {
        Problem::error(written.place, "there is no HTTP API to which the operation can be bound")
            .help("declare a provider with `http`")
    } else {
        Problem::error(written.place, "it is not clear to which HTTP API the operation is bound")
            .expected(format!("`provider:` with one of: {}", names.join(", ")))
    };
    report.push(problem);
    None
}

fn operation(
    raw: &RawOperation,
    written: &Written<RawBinding>,
    (model, id, provider): (&Model, OperationId, ProviderId),
    shapes: &NamedShapes,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Value {
    let before = report.count();
    let (own, binding): (&Operation, &RawBinding) = (&model[id], &written.keys);
    let mut scope = Scope::new(model, &own.params, &model[provider].settings);
    let first = binding.first.as_ref().map(|raw| steps::steps(&mut scope, raw, lookup, report));
    let mut request = match method(binding, written.place, report) {
        None => serde_json::Map::new(),
        Some(method) => {
            let raw = RawParts {
                path: method.path,
                query: binding.query.as_ref(),
                headers: binding.headers.as_ref(),
            };
            let mut request = parts(&mut scope, &raw, false, report);
            request.insert("method".to_owned(), json!(method.name));
            let body = body(&mut scope, binding, method, written.place, report);
            request.extend(body.map(|body| ("body".to_owned(), body)));
            request
        }
    };
    request.entry("method").or_insert_with(|| json!("get"));
    let page = binding
        .page
        .as_ref()
        .and_then(|raw| page::page(&mut scope, raw, own.page, written.place, report));
    let result = shapes.result(&mut scope, own, binding.result.as_ref(), report);
    // A problem above may be the reason.
    if report.count() == before {
        rules::unused(raw, &scope, report);
        rules::method_fits_effect(raw, binding, own, report);
    }
    let effect = if own.effect == Effect::Read { "read" } else { "write" };
    let mut table = json!({
        "id": own.id,
        "effect": effect,
        "idempotent": own.idempotent,
        "request": request,
    });
    for (key, part) in [("first", first), ("page", page), ("result", result)] {
        if let Some(part) = part {
            table[key] = part;
        }
    }
    table
}

/// The place of a key of the short or the long form.
fn key_place<'a>(
    keys: impl IntoIterator<Item = &'a Text>,
    name: &str,
) -> Option<crate::source::Place> {
    keys.into_iter().find(|key| key.value.trim_end_matches('?') == name).map(|key| key.place)
}
