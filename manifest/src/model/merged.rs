//! Tools that stand for several operations, and names of tools that are gone.

use super::OperationId;

/// Several operations as one tool on the flat surface. One of its parameters says which of them a call runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedTool {
    /// Its name on the wire, without the server's prefix.
    pub name: String,
    /// For people.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// The parameter that names the operation.
    pub by: String,
    /// The values of that parameter, each with its operation. All are of one category.
    pub operations: Vec<(String, OperationId)>,
}

/// A name of a tool that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedTool {
    pub name: String,
    /// What to do instead.
    pub note: String,
    /// The operation to use instead.
    pub replacement: Option<OperationId>,
}
