//! Sessions of one connection that follow each other. What was known in the one before must be asked again.

use std::sync::Arc;

use tokio::sync::watch;

/// Goes with a call of a tool to its transport: the tool may be called twice. It is not on the wire.
#[derive(Debug, Clone)]
pub(crate) struct Repeatable;

/// Tells that another session has begun.
#[derive(Debug, Clone, Default)]
pub(super) struct Renewals(Arc<watch::Sender<()>>);

impl Renewals {
    pub(super) fn renewed(&self) {
        self.0.send_replace(());
    }

    /// Receives sessions that begin from now on.
    pub(super) fn receiver(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }
}
