//! The arguments of a call, in the form that the audit keeps.

use std::sync::{Arc, OnceLock};

/// The arguments of one call for the audit. Set by the validation phase; clones share the value.
#[derive(Debug, Clone, Default)]
pub struct AuditArguments(Arc<OnceLock<String>>);

impl AuditArguments {
    /// Sets the arguments after validation, as JSON text without what the audit must not keep.
    pub fn set(&self, arguments: String) {
        // A call is validated once.
        let _ = self.0.set(arguments);
    }

    /// Returns the arguments; `None` if they have not passed validation.
    pub fn get(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}
