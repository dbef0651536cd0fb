//! Tools that stand for several operations, and names of tools that are gone.

use serde_json::{Map, Value};

use super::{Operation, Tables};

/// Several operations as one tool on the flat surface. One of its parameters says which of them a call runs.
#[derive(Debug, Clone, Copy)]
pub struct MergedTool<'a> {
    /// The name on the wire, the server's prefix included.
    pub name: &'a str,
    /// The name for people.
    pub title: &'a str,
    /// One sentence.
    pub summary: &'a str,
    /// The parameter that names the operation.
    pub by: &'a str,
    /// The operations, all of one category.
    pub operations: &'a [MergedOperation<'a>],
}

/// An operation of a merged tool.
#[derive(Debug, Clone, Copy)]
pub struct MergedOperation<'a> {
    /// The value of the tool's parameter that names it.
    pub value: &'a str,
    /// Position of the operation.
    pub operation: u16,
}

/// A name of a tool that is gone.
#[derive(Debug, Clone, Copy)]
pub struct RemovedTool<'a> {
    /// The name.
    pub name: &'a str,
    /// What to do instead.
    pub note: &'a str,
    /// Position of the operation to use instead.
    pub replacement: Option<u16>,
}

impl MergedTool<'_> {
    /// Returns the position of the operation that a call with these arguments runs.
    fn called(&self, arguments: &Map<String, Value>) -> Option<usize> {
        let value = arguments.get(self.by)?.as_str()?;
        let found = self.operations.iter().find(|own| own.value == value)?;
        Some(found.operation.into())
    }
}

impl<'a> Tables<'a> {
    /// Finds a merged tool by its name.
    pub fn merged_tool(&self, name: &str) -> Option<&'a MergedTool<'a>> {
        self.merged_tools.iter().find(|tool| tool.name == name)
    }

    /// Finds the merged tool to which an operation belongs, and the value that names the operation there.
    pub fn merged_tool_of(
        &self,
        operation: &Operation<'_>,
    ) -> Option<(&'a MergedTool<'a>, &'a str)> {
        let is_own = |own: &&MergedOperation<'_>| {
            self.operations[usize::from(own.operation)].id == operation.id
        };
        self.merged_tools.iter().find_map(|tool| {
            let own = tool.operations.iter().find(is_own)?;
            Some((tool, own.value))
        })
    }

    /// Returns the position of the operation that a call runs. `name` is an id, a wire name, an alias or the name
    /// of a merged tool.
    pub fn called(&self, name: &str, arguments: &Map<String, Value>) -> Option<usize> {
        match self.lookup(name) {
            Some(found) => Some(found.operation.into()),
            None => self.merged_tool(name)?.called(arguments),
        }
    }
}
