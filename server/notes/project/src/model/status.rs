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
    /// What will not be done.
    Dropped,
    /// A word that is no status. It says neither that something can begin nor that it is done.
    Unknown,
}

/// What a status means for the work: a team's own statuses are mapped to these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatusKind {
    /// It has not begun.
    Todo,
    /// It has begun.
    Doing,
    /// It cannot go on.
    Blocked,
    /// Nothing is left to do.
    Done,
    /// It will not be done.
    Dropped,
    /// Nobody knows.
    Unknown,
}

impl StatusKind {
    /// The kinds that a status can be mapped to.
    pub(crate) const MAPPED: [Self; 5] =
        [Self::Todo, Self::Doing, Self::Blocked, Self::Done, Self::Dropped];

    /// Its name in mappings and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Todo => "todo",
            Self::Doing => "doing",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Dropped => "dropped",
            Self::Unknown => "unknown",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = normalize_name(name);
        Self::MAPPED.into_iter().chain([Self::Unknown]).find(|kind| kind.name() == name)
    }
}

impl Status {
    const ALL: [Self; 10] = [
        Self::Todo,
        Self::InProgress,
        Self::Blocked,
        Self::Completed,
        Self::Pending,
        Self::Decided,
        Self::Draft,
        Self::Approved,
        Self::Superseded,
        Self::Dropped,
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
            Self::Dropped => "dropped",
            Self::Unknown => "unknown",
        }
    }

    /// What it means for the work.
    pub fn kind(self) -> StatusKind {
        match self {
            Self::Todo | Self::Pending | Self::Draft => StatusKind::Todo,
            Self::InProgress => StatusKind::Doing,
            Self::Blocked => StatusKind::Blocked,
            Self::Completed | Self::Decided | Self::Approved | Self::Superseded => StatusKind::Done,
            Self::Dropped => StatusKind::Dropped,
            Self::Unknown => StatusKind::Unknown,
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
        self.kind() == StatusKind::Done
    }

    /// Whether nothing more happens: it is done, or dropped.
    pub fn is_closed(self) -> bool {
        matches!(self.kind(), StatusKind::Done | StatusKind::Dropped)
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

pub(crate) fn normalize_name(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}
