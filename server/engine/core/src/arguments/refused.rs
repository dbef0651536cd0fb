//! Items that do not fit, of lists whose items are checked one by one.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fault::Fault;

/// An item of a list that does not fit its type. The items beside it may fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefusedItem {
    /// What the caller sent.
    pub given: Value,
    /// Why it does not fit. The path begins at the arguments.
    pub fault: Fault,
}
