//! The operations of the caller, and searches in them.

use std::sync::Arc;
use std::time::Instant;

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::mcp::HttpState;
use super::page_caller::{PageCaller, answer};
use super::refusal::Refusal;
use super::tools::refusal;
use toolwrit_core::authority::{Field, Operation, Returns, Served, Tables, Type};
use toolwrit_core::caller::principal::Identity;
use toolwrit_core::json::written::parse_row_text;
use toolwrit_core::policy::Policy;
use toolwrit_mcp::endpoint::SearchQuery;

/// The name of searches in the audit.
const SEARCH: &str = "GET /browser/api/search";

/// Returns the server, the caller, what may narrow the list, and each operation that exists for the caller.
pub(super) async fn list(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let caller = PageCaller::new(&state, identity, &headers)?;
    let _permits = caller
        .endpoint
        .acquire_permits(&caller.principal)
        .await
        .map_err(|fault| refusal(&fault))?;
    let policy = &caller.endpoint.policy;
    let tables = policy.tables();
    let known = tables
        .operations
        .iter()
        .enumerate()
        .filter(|(index, operation)| operation.served == Served::Tool && policy.knows(*index));
    let operations: Vec<Value> =
        known.map(|(index, operation)| entry(policy, index, operation)).collect();
    let categories = tables.categories.iter().filter(|category| {
        operations.iter().any(|operation| operation["category"] == category.name)
    });
    let categories = categories
        .map(|category| json!({ "name": category.name, "title": category.title, "summary": category.summary }));
    let focus =
        tables.focus.iter().map(|focus| json!({ "name": focus.name, "summary": focus.summary }));
    // Others may only know their own role.
    let roles =
        tables.roles.iter().filter(|role| policy.is_operators() || role.name == policy.role());
    let roles = roles.map(|role| json!({ "name": role.name, "summary": role.summary }));
    let server = &tables.server;
    Ok(answer(json!({
        "server": {
            "name": server.name,
            "title": server.title.as_ref().unwrap_or(&server.name),
            "version": server.version,
            "command": state.gate.user_command(),
            "docs": cfg!(feature = "docs"),
        },
        "caller": {
            "principal": caller.principal.as_str(),
            "role": policy.role(),
            "focus": policy.focus(),
            "writes": policy.writes(),
            "operator": policy.is_operators(),
        },
        "categories": categories.collect::<Vec<_>>(),
        "focus": focus.collect::<Vec<_>>(),
        "roles": roles.collect::<Vec<_>>(),
        "operations": operations,
    })))
}

fn entry(policy: &Policy, index: usize, operation: &Operation) -> Value {
    let tables = policy.tables();
    let (tool, fixed) = tool(tables, operation);
    let examples = operation.examples.iter();
    let examples = examples
        .map(|example| json!({ "args": parse_row_text::<Value>(&example.args), "note": example.note }))
        .collect();
    let returns = match &operation.returns {
        Returns::Object(schema) | Returns::Wrapped(schema) => parse_row_text(schema),
        Returns::Text | Returns::Content | Returns::Resource | Returns::Messages => Value::Null,
    };
    let examples: Vec<Value> = match operation.example() {
        Some(only) if operation.examples.is_empty() => vec![json!({ "args": only, "note": null })],
        _ => examples,
    };
    json!({
        "id": operation.id,
        "tool": tool,
        "fixed": fixed,
        "category": tables.category_of(operation).name,
        "summary": operation.summary,
        "description": operation.description,
        "effect": operation.effect.as_str(),
        "signature": operation.signature,
        "schema": parse_row_text::<Value>(&operation.input_schema),
        "returns": returns,
        "examples": examples,
        "confirm": operation.confirm,
        "dry_run": operation.dry_run,
        "aliases": operation.aliases.iter().map(|alias| &alias.name).collect::<Vec<_>>(),
        "notes": operation.inputs.iter().filter_map(note).collect::<Map<_, _>>(),
        "deprecated": operation.deprecated.as_ref().map(|deprecation| json!({
            "since": deprecation.since,
            "replacement": deprecation.replacement,
            "note": deprecation.note,
        })),
        "unavailable": policy.admit(index).err().map(|fault| fault.to_json()["error"].take()),
    })
}

/// Returns what the schema of a parameter does not say: that it is a date or a secret. `None` if there is nothing.
fn note(field: &Field) -> Option<(String, Value)> {
    let mut note = Map::new();
    if let Some(name) = date_type(&field.ty) {
        note.insert("type".to_owned(), name.into());
    }
    if field.sensitive {
        note.insert("sensitive".to_owned(), true.into());
    }
    (!note.is_empty()).then(|| (field.name.clone(), note.into()))
}

/// The name of a type whose schema is that of a string with a pattern.
fn date_type(ty: &Type) -> Option<String> {
    match ty {
        Type::Date => Some("date".to_owned()),
        Type::DateTime => Some("datetime".to_owned()),
        Type::Array { items, .. } => Some(format!("list of {}", date_type(items)?)),
        _ => None,
    }
}

/// Returns the tool of an operation on the flat surface, and the arguments that name the operation there.
fn tool<'a>(tables: &'a Tables, operation: &'a Operation) -> (&'a str, Value) {
    match tables.merged_tool_of(operation) {
        Some((merged, value)) => (&merged.name, json!({ merged.by.as_str(): value })),
        None => (&operation.wire_name, json!({})),
    }
}

/// The query string of a search.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    /// The same as `query` of `search_tools`.
    q: String,
}

/// Returns the ids of the operations that match, best first.
pub(super) async fn search(
    State(state): State<Arc<HttpState>>,
    identity: Option<Extension<Identity>>,
    headers: HeaderMap,
    words: Result<Query<Words>, QueryRejection>,
) -> Result<Response, Refusal> {
    let start = Instant::now();
    let Query(words) = words.map_err(|error| {
        Refusal::new(StatusCode::BAD_REQUEST, error.body_text()).expecting(["q"])
    })?;
    let PageCaller { endpoint, principal } = PageCaller::new(&state, identity, &headers)?;
    let record = endpoint.record(SEARCH, &principal, None, start);
    let permits = endpoint.acquire_permits(&principal).await;
    let query = SearchQuery { query: Some(&words.q), category: None };
    let found = permits.and_then(|_permits| {
        let found = endpoint.find(query)?;
        let matches = found
            .found
            .iter()
            .map(|found| json!({ "id": found.operation.id, "relevance": found.relevance() }));
        Ok(json!({ "operations": matches.collect::<Vec<_>>() }))
    });
    match found {
        Ok(value) => {
            record.succeeded(toolwrit_core::json::size::size(&value));
            Ok(answer(value))
        }
        Err(fault) => {
            record.failed(&fault);
            Err(refusal(&fault))
        }
    }
}
