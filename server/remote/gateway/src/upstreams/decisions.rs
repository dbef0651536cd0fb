//! What is decided about an upstream, as one value.

use serde::{Deserialize, Serialize};

/// What is decided about an upstream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Decisions {
    /// The text of its lock file.
    pub(crate) lock: Option<String>,
    pub(crate) is_off: bool,
    /// When it was last told to restart, in milliseconds since 1970.
    pub(crate) restarted: Option<u64>,
}
