//! The operations of a batch, and what becomes of them.

use toolwrit_frontmatter::Properties;

use super::Changed;
use crate::canvas::CanvasPlan;
use crate::error::Result;
use crate::model::EntityKind;

#[derive(Debug, Clone, PartialEq)]
pub struct BatchOperation {
    /// The caller's name for it. Later operations can use the name of a creation as the id of the new entity, or its
    /// position: `$0` is the first operation. An operation with the name of an earlier one is not made.
    pub client_id: String,
    /// What to do.
    pub action: BatchAction,
}

/// What an operation of a batch does. An id may be the `client_id` of an earlier creation, also in `parent`,
/// `depends_on`, `enables`, `supersedes` and `decisions`.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchAction {
    /// As [`Workspace::create`](crate::Workspace::create).
    Create {
        kind: EntityKind,
        /// Its fields.
        data: Properties,
        /// The text of its note.
        body: String,
    },
    /// As [`Workspace::update`](crate::Workspace::update).
    Update {
        /// The entity.
        id: String,
        /// The fields to change.
        data: Properties,
    },
    /// As [`Workspace::archive`](crate::Workspace::archive).
    Archive {
        /// The entity.
        id: String,
        /// Whether everything below it is archived, too.
        cascade: bool,
    },
    /// What cannot be understood. It fails alone.
    Invalid {
        /// The part that is wrong.
        field: String,
        /// What is wrong, and what was expected.
        reason: String,
    },
}

/// How a batch is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BatchOptions {
    /// Whether all operations are made or none, also if the process dies meanwhile. Otherwise those that
    /// fail are left out.
    pub atomic: bool,
    /// What happens with a canvas.
    pub canvas: CanvasPlan,
    /// The caller. Each one has its own client ids.
    pub principal: String,
    /// The name of the batch. With one, its client ids are its own.
    pub batch_id: Option<String>,
}

/// What became of a batch, in the order of its operations.
#[derive(Debug)]
pub struct BatchOutcome {
    /// The client id and the result of each operation. Those with a client id that an earlier one has are left out.
    pub results: Vec<(String, Result<BatchResult>)>,
}

/// What an operation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchResult {
    /// It created this entity.
    Created(Changed),
    /// An earlier batch with the same client id and payload has created this entity.
    Already(Changed),
    /// It changed this entity.
    Updated(Changed),
    /// It archived these entities, the one that was named first.
    Archived(Vec<Changed>),
}

/// How many operations a batch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSummary {
    /// All of them.
    pub total: usize,
    /// Those that were made.
    pub succeeded: usize,
    /// Those that were not.
    pub failed: usize,
}

impl BatchOutcome {
    /// How many operations were made.
    pub fn summary(&self) -> BatchSummary {
        let total = self.results.len();
        let succeeded = self.results.iter().filter(|(_, result)| result.is_ok()).count();
        BatchSummary { total, succeeded, failed: total - succeeded }
    }
}
