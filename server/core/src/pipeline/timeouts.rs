//! How long handlers may run: the operator's word for the operation, its own in the manifest, the
//! operator's for all, the manifest's for all, whichever there is first.

use std::collections::HashMap;
use std::time::Duration;

use crate::authority::{Authority, Operation};

/// What an operator sets about it.
#[derive(Debug, Clone, Default)]
pub struct Timeouts {
    /// For operations that have none of their own.
    pub general: Option<Duration>,
    /// By id, whatever the manifest says.
    pub operations: HashMap<String, Duration>,
}

impl Timeouts {
    pub(super) fn of(&self, operation: &Operation, authority: &Authority) -> Duration {
        let chosen = self.operations.get(operation.id).copied();
        chosen.or(operation.timeout).or(self.general).unwrap_or(authority.timeout)
    }
}
