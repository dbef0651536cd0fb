//! The arguments of a call, as far as the audit keeps them.

use std::sync::{Arc, OnceLock};

/// What the phases of a call tell the audit about its arguments. Clones belong to the same call.
#[derive(Debug, Clone, Default)]
pub struct AuditArguments(Arc<OnceLock<String>>);

impl AuditArguments {
    /// The arguments have passed validation; this is what may be kept of them, as JSON.
    pub fn set(&self, arguments: String) {
        // A call is validated once.
        let _ = self.0.set(arguments);
    }

    /// The arguments, if they passed validation.
    pub fn get(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}
