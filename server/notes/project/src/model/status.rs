//! Statuses and priorities.

use std::fmt;

/// The status of an entity. [`EntityKind::statuses`](super::EntityKind::statuses) lists those of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Work that has not begun.
    Todo,
    /// Work that has begun.
    InProgress,
    /// Work that cannot go on.
    Blocked,
    /// Work that is done.
    Completed,
    /// A decision that is still to be made.
    Pending,
    /// A decision that was made.
    Decided,
    /// A document that is being written.
    Draft,
    /// A document that applies.
    Approved,
    /// A decision or a document that another one has replaced.
    Superseded,
}

impl Status {
    const ALL: [Self; 9] = [
        Self::Todo,
        Self::InProgress,
        Self::Blocked,
        Self::Completed,
        Self::Pending,
        Self::Decided,
        Self::Draft,
        Self::Approved,
        Self::Superseded,
    ];

    /// Its name in the frontmatter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Todo => "todo",
            Self::InProgress => "in_progress",
            Self::Blocked => "blocked",
            Self::Completed => "completed",
            Self::Pending => "pending",
            Self::Decided => "decided",
            Self::Draft => "draft",
            Self::Approved => "approved",
            Self::Superseded => "superseded",
        }
    }

    /// The status with this name, in any case and with any separator: `In Progress`. People also write
    /// `done` and `not started`.
    pub fn from_name(name: &str) -> Option<Self> {
        match normalize_name(name).as_str() {
            "done" | "complete" => Some(Self::Completed),
            "not_started" | "to_do" => Some(Self::Todo),
            name => Self::ALL.into_iter().find(|status| status.name() == name),
        }
    }

    /// Whether nothing is left to do.
    pub fn is_done(self) -> bool {
        matches!(self, Self::Completed | Self::Decided | Self::Approved | Self::Superseded)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How urgent an entity is; the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Priority {
    /// Before everything else.
    Critical,
    /// Soon.
    High,
    /// The usual priority.
    Medium,
    /// When there is time.
    Low,
}

impl Priority {
    /// All priorities, the most urgent first.
    pub const ALL: [Self; 4] = [Self::Critical, Self::High, Self::Medium, Self::Low];

    /// Its name in the frontmatter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// The priority with this name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = normalize_name(name);
        Self::ALL.into_iter().find(|priority| priority.name() == name)
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn normalize_name(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}
