//! Tools that stand for several operations, and names of tools that are gone.

use toolwrit_core::authority::{MergedOperation, MergedTool, RemovedTool};
use toolwrit_manifest as manifest;

use crate::rows::{Rows, position};

impl<'a> Rows<'_, 'a> {
    pub(crate) fn merged(&self, tool: &manifest::MergedTool) -> MergedTool<'a> {
        let manifest::MergedTool { name, title, summary, by, operations } = tool;
        let operations = operations.iter().map(|(value, id)| MergedOperation {
            value: self.arena.text(value),
            operation: position(id.index()),
        });
        MergedTool {
            name: self.arena.text(&format!("{}{name}", self.model.wire_prefix())),
            title: self.arena.text(title),
            summary: self.arena.text(summary),
            by: self.arena.text(by),
            operations: self.arena.list(operations),
        }
    }

    pub(crate) fn removed(&self, tool: &manifest::RemovedTool) -> RemovedTool<'a> {
        let manifest::RemovedTool { name, note, replacement } = tool;
        RemovedTool {
            name: self.arena.text(name),
            note: self.arena.text(note),
            replacement: replacement.map(|id| position(id.index())),
        }
    }
}
