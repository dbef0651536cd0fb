//! Tools that stand for several operations, and names of tools that are gone.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Operation, Tables};

/// Several operations as one tool on the flat surface. One of its parameters says which of them a call runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergedTool {
    /// The name on the wire, the server's prefix included.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// The parameter that names the operation.
    pub by: String,
    /// The operations, all of one category.
    pub operations: Vec<MergedOperation>,
}

impl MergedTool {
    /// Returns the position of the operation that a call with these arguments runs.
    fn called(&self, arguments: &Map<String, Value>) -> Option<usize> {
        let value = arguments.get(&self.by)?.as_str()?;
        let found = self.operations.iter().find(|operation| operation.value == value)?;
        Some(found.operation.into())
    }
}

/// An operation of a merged tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergedOperation {
    /// The value of the tool's parameter that names it.
    pub value: String,
    /// Position of the operation.
    pub operation: u16,
}

/// A name of a tool that is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemovedTool {
    pub name: String,
    /// What to do instead.
    pub note: String,
    /// Position of the operation to use instead.
    pub replacement: Option<u16>,
}

impl Tables {
    /// Finds a merged tool by its name.
    pub fn merged_tool(&self, name: &str) -> Option<&MergedTool> {
        self.merged_tools.iter().find(|tool| tool.name == name)
    }

    /// Finds the merged tool to which an operation belongs, and the value that names the operation there.
    pub fn merged_tool_of(&self, operation: &Operation) -> Option<(&MergedTool, &str)> {
        let is_own = |merged: &&MergedOperation| {
            self.operations[usize::from(merged.operation)].id == operation.id
        };
        self.merged_tools.iter().find_map(|tool| {
            let merged = tool.operations.iter().find(is_own)?;
            Some((tool, merged.value.as_str()))
        })
    }

    /// Returns the position of the operation that a call runs. `name` is an id, a wire name, an alias or the name
    /// of a merged tool.
    pub fn called(&self, name: &str, arguments: &Map<String, Value>) -> Option<usize> {
        let variant = self.older_variant(name, arguments);
        match self.lookup(variant.as_ref().map_or(name, |variant| &variant.name)) {
            Some(found) => Some(found.operation.into()),
            None => self.merged_tool(name)?.called(arguments),
        }
    }
}
