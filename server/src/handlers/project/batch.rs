//! `project.batch_update`: its operations and its results.

use std::collections::{HashMap, HashSet};

use toolwrit::{Json, RefusedItem};
use toolwrit_project::{
    BatchAction, BatchOperation, BatchOutcome, BatchResult, Changed, EntityKind, ErrorCode,
    ProjectError,
};
use toolwrit_vault::frontmatter::Properties;

use super::super::sizes::to_integer;
use crate::faults::project_fault;
use crate::operations::types;

/// The operations of a batch. One with a mistake of form fails alone.
pub(super) fn convert_operations(
    ops: Vec<Result<types::BatchOp, RefusedItem>>,
) -> Vec<BatchOperation> {
    let operation = |(number, op)| match op {
        Ok(op) => convert_operation(op),
        Err(refused) => convert_refused(number, &refused),
    };
    ops.into_iter().enumerate().map(operation).collect()
}

fn convert_operation(op: types::BatchOp) -> BatchOperation {
    let types::BatchOp { client_id, op, r#type, id, payload } = op;
    let payload: Properties = payload.unwrap_or_default().into_iter().collect();
    let action = match (op, r#type, id) {
        (types::BatchOpOp::Create, Some(kind), _) => match EntityKind::from_name(&kind) {
            Some(kind) => convert_creation(kind, payload),
            None => invalid("type", "expected milestone, story, task, decision or document"),
        },
        (types::BatchOpOp::Create, None, _) => {
            invalid("type", "it is required to create an entity")
        }
        (types::BatchOpOp::Update, _, Some(id)) => BatchAction::Update { id, data: payload },
        (types::BatchOpOp::Archive, _, Some(id)) => convert_archive(id, payload),
        (types::BatchOpOp::Update | types::BatchOpOp::Archive, _, None) => {
            invalid("id", "it is required: the entity")
        }
    };
    BatchOperation { client_id, action }
}

/// An operation that does not fit. Without a client id, its position is its name.
fn convert_refused(number: usize, RefusedItem { given, fault }: &RefusedItem) -> BatchOperation {
    let client_id = given["client_id"].as_str();
    let client_id = client_id.map_or_else(|| format!("#{number}"), str::to_owned);
    // The path begins with the list and the position.
    let field = fault.path().and_then(|path| path.splitn(4, '/').nth(3)).unwrap_or("ops");
    let expected = fault.expected().map(|expected| format!("expected {expected}"));
    let reason = expected.unwrap_or_else(|| fault.message().to_owned());
    BatchOperation { client_id, action: invalid(field, &reason) }
}

fn invalid(field: &str, reason: &str) -> BatchAction {
    BatchAction::Invalid { field: field.to_owned(), reason: reason.to_owned() }
}

fn convert_creation(kind: EntityKind, mut payload: Properties) -> BatchAction {
    let body = match payload.shift_remove("body") {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => text,
        Some(_) => return invalid("body", "expected text"),
    };
    BatchAction::Create { kind, data: payload, body }
}

fn convert_archive(id: String, mut payload: Properties) -> BatchAction {
    match payload.shift_remove("archived") {
        None | Some(Json::Bool(true)) => {}
        Some(_) => return invalid("archived", "expected true; to restore it, use the op update"),
    }
    let cascade = match payload.shift_remove("cascade") {
        None => false,
        Some(Json::Bool(cascade)) => cascade,
        Some(_) => return invalid("cascade", "expected true or false"),
    };
    match payload.into_iter().next() {
        Some((name, _)) => invalid(&name, "an archive takes only archived and cascade"),
        None => BatchAction::Archive { id, cascade },
    }
}

/// The results in the order of the ops. One with the client id of an earlier one has its result.
pub(super) fn convert_outcome(outcome: BatchOutcome, client_ids: &[String]) -> types::BatchAnswer {
    let mut results: HashMap<String, types::BatchItem> = HashMap::new();
    for (name, result) in outcome.results {
        let item = convert_result(&name, result);
        results.insert(name, item);
    }
    let mut answered = HashSet::new();
    let items: Vec<types::BatchItem> = client_ids
        .iter()
        .filter_map(|name| {
            let mut item = results.get(name)?.clone();
            if !answered.insert(name) && item.error.is_none() {
                item.already = Some(true);
            }
            Some(item)
        })
        .collect();
    let failed = items.iter().filter(|item| item.error.is_some()).count();
    types::BatchAnswer {
        summary: types::BatchSummary {
            total: to_integer(items.len()),
            succeeded: to_integer(items.len() - failed),
            failed: to_integer(failed),
        },
        results: items,
    }
}

fn convert_result(
    client_id: &str,
    result: toolwrit_project::Result<BatchResult>,
) -> types::BatchItem {
    let made = |outcome, changed: Option<&Changed>| types::BatchItem {
        client_id: client_id.to_owned(),
        status: types::BatchItemStatus::Ok,
        outcome,
        id: changed.map(|changed| changed.id.to_string()),
        etag: changed.map(|changed| changed.etag.to_string()),
        already: None,
        archived: None,
        error: None,
    };
    match result {
        Ok(BatchResult::Created(entity)) => made(types::BatchItemOutcome::Created, Some(&entity)),
        Ok(BatchResult::Already(entity)) => types::BatchItem {
            already: Some(true),
            ..made(types::BatchItemOutcome::Created, Some(&entity))
        },
        Ok(BatchResult::Updated(entity)) => made(types::BatchItemOutcome::Updated, Some(&entity)),
        Ok(BatchResult::Archived(entities)) => types::BatchItem {
            archived: Some(entities.iter().map(|entity| entity.id.to_string()).collect()),
            ..made(types::BatchItemOutcome::Archived, entities.first())
        },
        Err(reason) => types::BatchItem {
            status: types::BatchItemStatus::Error,
            error: Some(convert_error(reason)),
            ..made(types::BatchItemOutcome::Failed, None)
        },
    }
}

fn convert_error(error: ProjectError) -> types::BatchError {
    let field = error.field().map(str::to_owned);
    let is_aborted = error.code() == ErrorCode::Aborted;
    let fault = project_fault(error);
    let code = fault.code();
    let code = if is_aborted { ErrorCode::Aborted.name() } else { code.as_str() };
    types::BatchError { code: code.to_owned(), message: fault.message().to_owned(), field }
}
