//! Who waits for the answer to a request, and what an upstream may ask the user behind it.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::progress::ProgressSink;

/// Who waits for the answer to a request.
#[derive(Clone)]
pub struct Caller {
    /// When the caller no longer waits.
    pub deadline: Instant,
    /// Cancelled when the caller no longer waits. The upstream is told.
    pub cancellation: CancellationToken,
    /// Receives the progress of the request.
    pub progress: Option<ProgressSink>,
    /// The user, as far as the upstream can ask.
    pub user: User,
}

impl Caller {
    /// A caller who waits until the deadline, takes no progress and answers no questions.
    pub fn until(deadline: Instant) -> Self {
        let (cancellation, progress, user) = Default::default();
        Self { deadline, cancellation, progress, user }
    }
}

/// The user of a caller, as far as an upstream can ask.
#[derive(Clone, Default)]
pub enum User {
    /// Cannot be asked.
    #[default]
    Absent,
    /// Can be asked between two calls: a call ends with questions, and is made again with the answers.
    BetweenCalls,
    /// Can be asked while a call waits, too.
    Present(Arc<dyn AskUser>),
}

impl User {
    /// The user who can be asked while a call waits.
    pub(crate) fn present(&self) -> Option<&Arc<dyn AskUser>> {
        match self {
            Self::Present(user) => Some(user),
            Self::Absent | Self::BetweenCalls => None,
        }
    }

    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "Absent",
            Self::BetweenCalls => "BetweenCalls",
            Self::Present(_) => "Present",
        })
    }
}

/// Asks a user while a call waits.
pub trait AskUser: Send + Sync + 'static {
    /// Returns who is asked. Equal texts mean the same person at the same program.
    fn who(&self) -> String;

    /// Asks, and returns the result of `elicitation/create` as JSON; `None` if there is no answer.
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Option<Value>> + Send + '_>>;
}

/// A question to the user: a form. Its texts are data of the upstream, without hidden characters.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What the form is about.
    pub message: String,
    /// The schema of the inputs, in the form of MCP.
    pub schema: Value,
}

/// Questions with which a call ends. It is made again with [`Answers`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// The questions, by keys of the upstream.
    pub questions: BTreeMap<String, Question>,
    /// What the upstream wants back.
    pub state: Option<String>,
}

/// The answers to the questions of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// The results of `elicitation/create` as JSON, by the keys of the questions.
    pub replies: BTreeMap<String, Value>,
    /// [`Asked::state`].
    pub state: Option<String>,
}
