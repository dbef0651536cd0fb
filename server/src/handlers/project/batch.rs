//! `project.batch_update`: its operations and its results.

use toolwrit::{Fault, Json, Result};
use toolwrit_project::{
    BatchAction, BatchOperation, BatchOutcome, BatchResult, Changed, ErrorCode, ProjectError,
};
use toolwrit_vault::frontmatter::Properties;

use super::super::sizes::to_integer;
use super::names;
use crate::faults::project_fault;
use crate::operations::types;

/// The operations of a batch. A mistake of form is a fault with its place.
pub(super) fn convert_operations(ops: Vec<types::BatchOp>) -> Result<Vec<BatchOperation>> {
    let operation = |(number, op): (usize, types::BatchOp)| {
        let client_id = op.client_id.clone();
        Ok(BatchOperation { client_id, action: convert_action(op, &format!("/ops/{number}"))? })
    };
    ops.into_iter().enumerate().map(operation).collect()
}

fn convert_action(op: types::BatchOp, place: &str) -> Result<BatchAction> {
    let missing = |name: &str| {
        Fault::validation(format!("The op `{}` needs `{name}`.", op.op.as_str()))
            .with_path(format!("{place}/{name}"))
    };
    let mut payload: Properties = op.payload.unwrap_or_default().into_iter().collect();
    match op.op {
        types::BatchOpOp::Create => {
            let kind = names::to_kind(op.r#type.ok_or_else(|| missing("type"))?);
            let body = match payload.shift_remove("body") {
                None | Some(Json::Null) => String::new(),
                Some(Json::String(text)) => text,
                Some(other) => return Err(payload_fault(place, "body", "text", other)),
            };
            Ok(BatchAction::Create { kind, data: payload, body })
        }
        types::BatchOpOp::Update => {
            Ok(BatchAction::Update { id: op.id.ok_or_else(|| missing("id"))?, data: payload })
        }
        types::BatchOpOp::Archive => {
            let id = op.id.ok_or_else(|| missing("id"))?;
            let cascade = match payload.shift_remove("cascade") {
                None => false,
                Some(Json::Bool(cascade)) => cascade,
                Some(other) => return Err(payload_fault(place, "cascade", "true or false", other)),
            };
            match payload.into_iter().next() {
                Some((name, value)) => Err(payload_fault(place, &name, "only cascade", value)),
                None => Ok(BatchAction::Archive { id, cascade }),
            }
        }
    }
}

fn payload_fault(place: &str, name: &str, expected: &str, got: Json) -> Fault {
    let name = name.replace('~', "~0").replace('/', "~1");
    Fault::validation("The payload does not fit its op.")
        .with_path(format!("{place}/payload/{name}"))
        .expecting(expected)
        .got(got)
}

pub(super) fn convert_outcome(outcome: BatchOutcome) -> types::BatchAnswer {
    let summary = outcome.summary();
    types::BatchAnswer {
        results: outcome
            .results
            .into_iter()
            .map(|(name, result)| convert_result(name, result))
            .collect(),
        summary: types::BatchSummary {
            total: to_integer(summary.total),
            succeeded: to_integer(summary.succeeded),
            failed: to_integer(summary.failed),
        },
    }
}

fn convert_result(
    client_id: String,
    result: toolwrit_project::Result<BatchResult>,
) -> types::BatchItem {
    let made = |status, changed: &Changed| types::BatchItem {
        client_id: client_id.clone(),
        status,
        id: Some(changed.id.to_string()),
        etag: Some(changed.etag.to_string()),
        archived: None,
        error: None,
    };
    match result {
        Ok(BatchResult::Created(entity)) => made(types::BatchItemStatus::Created, &entity),
        Ok(BatchResult::Updated(entity)) => made(types::BatchItemStatus::Updated, &entity),
        Ok(BatchResult::Archived(entities)) => types::BatchItem {
            client_id,
            status: types::BatchItemStatus::Archived,
            id: entities.first().map(|entity| entity.id.to_string()),
            etag: entities.first().map(|entity| entity.etag.to_string()),
            archived: Some(entities.iter().map(|entity| entity.id.to_string()).collect()),
            error: None,
        },
        Err(reason) => types::BatchItem {
            client_id,
            status: types::BatchItemStatus::Failed,
            id: None,
            etag: None,
            archived: None,
            error: Some(convert_error(reason)),
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
