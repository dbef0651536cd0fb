//! Which argument an error is about, as a JSON pointer.

use toolwrit_project::{ErrorCode, ProjectError};

/// The pointer to the argument that an error is about; `None` if it is about none of them.
pub(super) type FindArgument = fn(&ProjectError) -> Option<String>;

/// The argument in calls with `id` and `data`.
pub(super) fn pointer_in_data(error: &ProjectError) -> Option<String> {
    match error.field() {
        Some(field) => Some(format!("/data/{}", field.replace('~', "~0").replace('/', "~1"))),
        None => pointer_to_entity(error, "/id"),
    }
}

/// The argument in calls with `id` and `fields`.
pub(super) fn pointer_in_fields(error: &ProjectError) -> Option<String> {
    error.field().map(|_| "/fields".to_owned()).or_else(|| pointer_to_entity(error, "/id"))
}

/// The argument in searches.
pub(super) fn pointer_in_search(error: &ProjectError) -> Option<String> {
    match error.field() {
        Some(field)
            if ["status/", "priority/", "due_"].iter().any(|start| field.starts_with(start)) =>
        {
            Some(format!("/filters/{field}"))
        }
        Some("id") => Some("/from_id".to_owned()),
        Some(_) => Some("/fields".to_owned()),
        None => pointer_to_entity(error, "/from_id"),
    }
}

/// The argument in overviews.
pub(super) fn pointer_in_overview(error: &ProjectError) -> Option<String> {
    match error {
        ProjectError::Vault(_) | ProjectError::InvalidCanvas { .. } => {
            Some("/canvas_source".to_owned())
        }
        error => error.field().map(|_| "/fields".to_owned()),
    }
}

/// The argument in calls with `document_id` and `decision_id`.
pub(super) fn pointer_in_document(error: &ProjectError) -> Option<String> {
    match error.field() {
        Some("decisions") => Some("/decision_id".to_owned()),
        Some("document_id" | "supersedes") => Some("/document_id".to_owned()),
        Some("change_summary") => Some("/change_summary".to_owned()),
        _ => pointer_to_entity(error, "/document_id"),
    }
}

/// The argument in calls with `path` and `content`.
pub(super) fn pointer_in_text(error: &ProjectError) -> Option<String> {
    match error {
        ProjectError::InvalidField { .. } => Some("/content".to_owned()),
        ProjectError::OutsideWorkspace { .. } => Some("/path".to_owned()),
        error => pointer_to_entity(error, "/path"),
    }
}

/// No argument, in calls of which only the workspace can be wrong.
pub(super) fn no_argument(_: &ProjectError) -> Option<String> {
    None
}

/// `if_match`, or the argument with the id if the error is about the entity.
fn pointer_to_entity(error: &ProjectError, argument: &str) -> Option<String> {
    let is_copied = matches!(error, ProjectError::Ambiguous { .. });
    if error.code() == ErrorCode::Conflict && !is_copied {
        return Some("/if_match".to_owned());
    }
    let is_about_it = matches!(
        error,
        ProjectError::InvalidId(_)
            | ProjectError::Ambiguous { .. }
            | ProjectError::NoSuchEntity { .. }
            | ProjectError::Unreadable { .. }
    );
    is_about_it.then(|| argument.to_owned())
}
