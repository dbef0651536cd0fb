//! The names under which clients find operations.

use super::{Model, Operation, OperationId, Served};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperationName {
    /// The name itself.
    pub name: String,
    pub operation: OperationId,
    /// Position among the operation's aliases; `None` for an id, a wire name or a short name.
    pub alias: Option<usize>,
}

impl Model {
    /// The prefix of every wire name, with its `_`; empty for none.
    pub fn wire_prefix(&self) -> String {
        match self.server.prefix.as_str() {
            "" => String::new(),
            prefix => format!("{prefix}_"),
        }
    }

    /// The name of an operation on the flat surface, with the server's prefix.
    pub fn wire_name(&self, operation: &Operation) -> String {
        format!("{}{}", self.wire_prefix(), operation.wire_name)
    }

    /// Ids, wire names, short names and aliases of all operations, sorted by name.
    pub fn operation_names(&self) -> Vec<OperationName> {
        let mut names: Vec<OperationName> =
            self.operation_ids().flat_map(|id| self.names_of(id)).collect();
        names.sort();
        names
    }

    fn names_of(&self, id: OperationId) -> impl Iterator<Item = OperationName> {
        let operation = &self[id];
        let wire_name = (operation.served == Served::Tool).then(|| self.wire_name(operation));
        let short_name = operation.short_name().map(str::to_owned);
        let current = [Some(operation.id.clone()), wire_name, short_name].into_iter().flatten();
        let aliases = operation.aliases.iter().enumerate();
        let older = aliases.map(|(at, alias)| (alias.name.clone(), Some(at)));
        let named = move |(name, alias)| OperationName { name, operation: id, alias };
        current.map(|name| (name, None)).chain(older).map(named)
    }
}
