//! The arguments of a call, in the form that the audit keeps.

use std::sync::{Arc, OnceLock};

/// The arguments of one call for the audit. Set by the validation phase; clones share the value.
#[derive(Debug, Clone, Default)]
pub struct AuditArguments(Arc<OnceLock<Checked>>);

/// What validation has found.
#[derive(Debug)]
struct Checked {
    arguments: String,
    instance: Option<String>,
}

impl AuditArguments {
    /// Sets the arguments after validation, as JSON text without what the audit must not keep, and the instance of the application
    /// that they select.
    pub fn set(&self, arguments: String, instance: Option<String>) {
        // A call is validated once.
        let _ = self.0.set(Checked { arguments, instance });
    }

    /// Returns the arguments; `None` if they have not passed validation.
    pub fn get(&self) -> Option<&str> {
        self.0.get().map(|checked| checked.arguments.as_str())
    }

    /// Returns the name of the instance that they select; `None` if there is nothing to select.
    pub(crate) fn instance(&self) -> Option<&str> {
        self.0.get()?.instance.as_deref()
    }
}
