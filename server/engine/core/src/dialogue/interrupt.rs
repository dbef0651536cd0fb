//! The end of a call without an outcome: a failure, or a continuation in another request.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Question, Replies};
use crate::fault::Fault;

/// Why a call ended without an outcome.
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
    /// In the next round, with the answers to questions.
    WithAnswers(Pending),
    /// In a task, with the answers so far.
    AsTask(Replies),
}

/// The questions that end a round, and what the next round needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    /// The open questions, by their keys.
    pub questions: BTreeMap<String, Question>,
    /// The answers so far.
    pub replies: Replies,
    /// The confirmation token of the call.
    pub token: Option<String>,
    /// What this round leaves for the next one, if it passes questions of another server on.
    pub memo: Option<Value>,
}

impl Interrupt {
    /// Returns the fault: the failure, or the answer for callers who cannot continue the call.
    pub(crate) fn fault(&self) -> &Fault {
        match self {
            Self::Failed(fault) | Self::Continues(fault, _) => fault,
        }
    }

    /// Returns the fault, for callers who cannot continue the call.
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

    /// Returns the open questions, so that the caller can add what the next round needs.
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
