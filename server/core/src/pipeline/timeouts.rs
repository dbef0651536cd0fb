//! How long handlers may run: the operator's word for the operation, its own in the manifest, the
//! operator's for all, the manifest's for all, whichever there is first.

use std::collections::HashMap;
use std::time::Duration;

use crate::authority::OperationHandle;

/// What an operator sets about it.
#[derive(Debug, Clone, Default)]
pub struct Timeouts {
    /// For operations that have none of their own.
    pub general: Option<Duration>,
    /// By id. They override the manifest.
    pub operations: HashMap<String, Duration>,
}

impl Timeouts {
    pub(super) fn of(&self, operation: &OperationHandle) -> Duration {
        let row = operation.row();
        let chosen = self.operations.get(row.id).copied();
        chosen.or(row.timeout).or(self.general).unwrap_or(operation.authority().tables().timeout)
    }
}
