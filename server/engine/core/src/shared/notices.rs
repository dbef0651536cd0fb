//! What replicas tell each other.

use serde::{Deserialize, Serialize};

/// A change that other replicas must see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// A write has changed a category: answers from before are no longer valid.
    Changed(String),
    /// A resource has changed, by its URI.
    Resource(String),
    /// Approvals or switches of other servers have changed.
    Upstreams,
    /// A client has ended a session, by its id.
    SessionEnded(String),
    /// A client has sent something to a task of another replica, by the id of the task.
    Task(String),
}

/// What a replica hears of the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A notice of another replica.
    Notice(Notice),
    /// Notices may have been missed: everything that they are about may have changed.
    Missed,
}
