//! How long handlers may run. The first of these applies: the operator's timeout for the operation, the
//! operation's in the manifest, the operator's general one, the manifest's general one.

use std::collections::HashMap;
use std::time::Duration;

use crate::authority::OperationHandle;

/// The timeouts that an operator sets.
#[derive(Debug, Clone, Default)]
pub struct Timeouts {
    /// For operations without a timeout of their own.
    pub general: Option<Duration>,
    /// By id of the operation, or by an older one. These override the manifest.
    pub operations: HashMap<String, Duration>,
}

impl Timeouts {
    pub(super) fn for_operation(&self, operation: &OperationHandle) -> Duration {
        let row = operation.row();
        let older = row.aliases.iter().map(|alias| &alias.name);
        let mut names = [&row.id].into_iter().chain(older);
        let chosen = names.find_map(|name| self.operations.get(name)).copied();
        chosen.or(row.timeout).or(self.general).unwrap_or(operation.authority().tables().timeout)
    }
}
