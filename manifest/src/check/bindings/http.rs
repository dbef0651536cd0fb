//! Operations that are requests to HTTP APIs.

use serde_json::{Value, json};

use super::request::{RawParts, body, method, parts};
use super::result::NamedShapes;
use super::scope::Scope;
use super::{effect_word, page, rules, steps};
use crate::check::names::lookup::DeclaredNames;
use crate::diagnostics::Report;
use crate::model::{BindingKind, Model, Operation, OperationId, ProviderId};
use crate::raw::{RawOperation, RawRequest, Written};

/// Lowers a request.
pub(super) fn operation(
    raw: &RawOperation,
    written: &Written<RawRequest>,
    (model, id, provider): (&Model, OperationId, ProviderId),
    shapes: &NamedShapes,
    lookup: &DeclaredNames<'_>,
    report: &mut Report,
) -> Value {
    let before = report.errors();
    let (operation, binding): (&Operation, &RawRequest) = (&model[id], &written.keys);
    let mut scope = Scope::new(model, &operation.params, &model[provider].settings);
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
            request.extend(body);
            request
        }
    };
    request.entry("method").or_insert_with(|| json!("get"));
    let page = binding
        .page
        .as_ref()
        .and_then(|raw| page::page(&mut scope, raw, operation.page, written.place, report));
    let result = shapes.result(&mut scope, operation, binding.result.as_ref(), report);
    // An error above may be the reason.
    if report.errors() == before {
        rules::unused(raw, &scope, BindingKind::Http, report);
        rules::method_fits_effect(raw, binding, operation, report);
    }
    let mut table = json!({
        "id": operation.id,
        "effect": effect_word(operation),
        "idempotent": operation.idempotent,
        "request": request,
    });
    for (key, part) in [("first", first), ("page", page), ("result", result)] {
        if let Some(part) = part {
            table[key] = part;
        }
    }
    table
}
