//! The progress of calls.

use std::sync::Arc;

/// Receives the progress of a call. It must not block.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Increases with each progress of a call.
    pub progress: f64,
    /// The progress at which the call is complete, if it is known.
    pub total: Option<f64>,
    /// What is done, in words of the upstream.
    pub message: Option<String>,
}
