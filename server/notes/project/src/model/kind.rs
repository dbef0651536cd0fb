//! The kinds of entities.

use std::fmt;

use super::status::{Status, StatusKind};

/// The kind of an entity, the `type` of its note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntityKind {
    /// A goal that stories lead to.
    Milestone,
    /// A part of a milestone, carried out by tasks.
    Story,
    /// A piece of work.
    Task,
    /// A question, what was decided, and why.
    Decision,
    /// A text with versions, such as a specification.
    Document,
}

impl EntityKind {
    /// All kinds, in their order.
    pub const ALL: [Self; 5] =
        [Self::Milestone, Self::Story, Self::Task, Self::Decision, Self::Document];

    /// Its name in the frontmatter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Milestone => "milestone",
            Self::Story => "story",
            Self::Task => "task",
            Self::Decision => "decision",
            Self::Document => "document",
        }
    }

    /// The kind with this name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name.trim()))
    }

    /// The letters before the number of an id.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Milestone => "M",
            Self::Story => "S",
            Self::Task => "T",
            Self::Decision => "DEC",
            Self::Document => "DOC",
        }
    }

    /// Whether it is a milestone, a story or a task.
    pub fn is_work(self) -> bool {
        matches!(self, Self::Milestone | Self::Story | Self::Task)
    }

    /// The statuses that it can have. A new entity has the first one.
    pub fn statuses(self) -> &'static [Status] {
        match self {
            Self::Milestone | Self::Story | Self::Task => {
                const WORK: &[Status] = &[
                    Status::Todo,
                    Status::InProgress,
                    Status::Blocked,
                    Status::Completed,
                    Status::Dropped,
                ];
                WORK
            }
            Self::Decision => {
                &[Status::Pending, Status::Decided, Status::Superseded, Status::Dropped]
            }
            Self::Document => {
                &[Status::Draft, Status::Approved, Status::Superseded, Status::Dropped]
            }
        }
    }

    /// The status of a kind of statuses that it has; decisions and documents have no status while somebody works
    /// on them but the first.
    pub(crate) fn status_of(self, status: StatusKind) -> Status {
        match (status, self.statuses()) {
            (StatusKind::Done, statuses) => {
                statuses.iter().copied().find(|status| status.is_done()).unwrap_or(Status::Unknown)
            }
            (StatusKind::Dropped, _) => Status::Dropped,
            (StatusKind::Doing, statuses) if self.is_work() => statuses[1],
            (StatusKind::Blocked, statuses) if self.is_work() => statuses[2],
            (StatusKind::Todo | StatusKind::Doing | StatusKind::Blocked, statuses) => statuses[0],
            (StatusKind::Unknown, _) => Status::Unknown,
        }
    }

    /// The kinds that its parent can have.
    pub fn parents(self) -> &'static [Self] {
        match self {
            Self::Milestone => &[],
            Self::Story => &[Self::Milestone],
            Self::Task | Self::Decision | Self::Document => {
                &[Self::Milestone, Self::Story, Self::Task]
            }
        }
    }
}

impl fmt::Display for EntityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
