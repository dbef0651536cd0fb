//! Tools that stand for several operations, and names of tools that are gone.

use toolwrit_rows::{MergedOperation, MergedTool, RemovedTool};

use super::position;
use crate::model::{self, Model};

pub(super) fn merged(model: &Model, tool: &model::MergedTool) -> MergedTool {
    let model::MergedTool { name, title, summary, by, operations } = tool;
    let operations = operations.iter().map(|(value, id)| MergedOperation {
        value: value.clone(),
        operation: position(id.index()),
    });
    MergedTool {
        name: format!("{}{name}", model.wire_prefix()),
        title: title.clone(),
        summary: summary.clone(),
        by: by.clone(),
        operations: operations.collect(),
    }
}

pub(super) fn removed(tool: &model::RemovedTool) -> RemovedTool {
    let model::RemovedTool { name, note, replacement } = tool;
    RemovedTool {
        name: name.clone(),
        note: note.clone(),
        replacement: replacement.map(|id| position(id.index())),
    }
}
