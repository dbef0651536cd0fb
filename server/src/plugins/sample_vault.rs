//! The sample vault, which the server creates for users who want to try it.

use toolwrit::{BoxFuture, Probe, Provider, Reason, Result, Unavailable};

/// What would open the sample vault.
pub(crate) const OPEN: &str = "Start the server with --sample.";

/// The sample vault, if it is the open one.
pub(super) struct SampleVault {
    pub(super) is_open: bool,
}

impl Provider for SampleVault {
    fn name(&self) -> &'static str {
        "sample"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        let probe = if self.is_open {
            Probe::Available { version: None }
        } else {
            Probe::Unavailable(Unavailable::new(
                Reason::NeedsConfiguration,
                "The open vault is not the sample vault.",
                OPEN,
            ))
        };
        Box::pin(async { Ok(probe) })
    }
}
