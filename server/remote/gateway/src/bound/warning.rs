//! Tells operators in the log what to configure.

use std::sync::{Mutex, PoisonError};

use toolwrit_core::availability::{Probe, Reason, Unavailable};

/// What the log has said last about the configuration of a provider.
#[derive(Default)]
pub(crate) struct Warning(Mutex<Option<Unavailable>>);

impl Warning {
    /// Warns once of a provider that needs configuration. Lists do not show its operations.
    pub(crate) fn warn_once(&self, provider: &str, probe: &Probe) {
        let why = match probe {
            Probe::Unavailable(why) if why.reason == Reason::NeedsConfiguration => Some(why),
            _ => None,
        };
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref() == why {
            return;
        }
        if let Some(Unavailable { message, remedy, .. }) = why {
            tracing::warn!(provider, why = %message, fix = %remedy, "a provider cannot be used");
        }
        *last = why.cloned();
    }
}
