//! Why a call ended without an outcome: it failed, or it continues in another request.

use std::collections::BTreeMap;

use super::{Question, Replies};
use crate::fault::Fault;

/// The end of a call that has no outcome.
#[derive(Debug, Clone, PartialEq)]
pub enum Interrupt {
    /// The call failed.
    Failed(Fault),
    /// The call continues in another request. The fault is the answer for callers who cannot continue it.
    Continues(Fault, Box<Continuation>),
}

/// How a call continues after its round has ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Continuation {
    /// In the next round.
    WithAnswers(Pending),
    /// In a task, with what has been answered so far.
    AsTask(Replies),
}

/// The questions with which a round ends, and what the next one must know.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    /// The open questions, by their keys.
    pub questions: BTreeMap<String, Question>,
    /// What has been answered so far.
    pub replies: Replies,
    /// The confirmation token of the call.
    pub token: Option<String>,
}

impl Interrupt {
    /// The failure, or the answer for callers who cannot continue the call.
    pub(crate) fn fault(&self) -> &Fault {
        match self {
            Self::Failed(fault) | Self::Continues(fault, _) => fault,
        }
    }

    /// The same, where the call cannot be continued.
    pub fn into_fault(self) -> Fault {
        match self {
            Self::Failed(fault) | Self::Continues(fault, _) => fault,
        }
    }

    /// Changes the fault.
    pub(crate) fn map(self, change: impl FnOnce(Fault) -> Fault) -> Self {
        match self {
            Self::Failed(fault) => Self::Failed(change(fault)),
            Self::Continues(fault, how) => Self::Continues(change(fault), how),
        }
    }

    /// The open questions, to add what the next round must know.
    pub(crate) fn questions_mut(&mut self) -> Option<&mut Pending> {
        match self {
            Self::Continues(_, how) => match how.as_mut() {
                Continuation::WithAnswers(pending) => Some(pending),
                Continuation::AsTask(_) => None,
            },
            Self::Failed(_) => None,
        }
    }
}

impl From<Fault> for Interrupt {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}
