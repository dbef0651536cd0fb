//! The running Obsidian, through its plugin Local REST API.

use toolwrit::{BoxFuture, Probe, Provider, Reason, Result, Unavailable};

use crate::rest_api::{ENABLE, KEY_VARIABLE};

/// The API, if the operator has given its key.
pub(super) struct Obsidian {
    has_key: bool,
}

impl Obsidian {
    pub(super) fn new(has_key: bool) -> Self {
        Self { has_key }
    }
}

impl Provider for Obsidian {
    fn name(&self) -> &'static str {
        "obsidian"
    }

    /// Whether Obsidian is running now is not asked: a call says so, and what would start it.
    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        let probe = if self.has_key {
            Probe::Available { version: None }
        } else {
            Probe::Unavailable(Unavailable::new(
                Reason::NeedsConfiguration,
                format!("The variable {KEY_VARIABLE} is not set."),
                ENABLE,
            ))
        };
        Box::pin(async { Ok(probe) })
    }
}
