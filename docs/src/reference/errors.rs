//! Errors with codes that the manifest declares.

use toolwrit_manifest::{ErrorDef, ErrorId, Model, Operation};

use super::operation_link;
use crate::markdown::{code, entry_heading, label, or_dash, table, text};
use crate::page::Chapter;

/// The path of the page.
const PATH: &str = "reference/errors.md";

pub(super) fn page(model: &Model) -> Option<Chapter> {
    if model.errors.is_empty() {
        return None;
    }
    let mut body =
        "# Errors\n\nError codes that this server declares, in addition to those of every server.\n\n"
            .to_owned();
    for (at, error) in model.errors.iter().enumerate() {
        body.push_str(&entry(model, at, error));
    }
    Some(Chapter::new(PATH, "Errors", body))
}

fn entry(model: &Model, at: usize, error: &ErrorDef) -> String {
    let lists = |operation: &Operation| operation.errors.iter().any(|id| id.index() == at);
    let operations = model.operation_ids().filter(|id| lists(&model[*id]));
    let operations: Vec<String> = operations.map(|id| operation_link(model, id)).collect();
    let rows = [
        ["Hint".to_owned(), or_dash(error.hint.as_deref().map(text).unwrap_or_default())],
        ["A retry may succeed".to_owned(), (if error.retryable { "yes" } else { "no" }).to_owned()],
        ["Operations".to_owned(), or_dash(operations.join(", "))],
    ];
    let title = entry_heading(&error.name, &error.name);
    format!("{title}{}\n\n{}", text(&error.summary), table(&["Part", "Value"], rows))
}

/// The declared errors of an operation.
pub(super) fn of_operation(model: &Model, errors: &[ErrorId]) -> String {
    if errors.is_empty() {
        return String::new();
    }
    let rows = errors.iter().map(|id| {
        let error = &model[*id];
        [format!("[{}](../{PATH}#{})", code(&error.name), error.name), text(&error.summary)]
    });
    format!("{}{}", label("Declared errors"), table(&["Code", "Meaning"], rows))
}
