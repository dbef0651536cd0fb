//! The limits of a turn.

use std::time::Duration;

use crate::format::NoteSettings;

/// What a turn may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Responses with calls. After the last one the model is asked once without tools.
    pub rounds: u32,
    /// Calls in a turn.
    pub calls: u32,
    /// Calls in a note; `None` for any number.
    pub calls_per_note: Option<u32>,
    /// Calls of the same tool with the same arguments in a turn.
    pub identical: u32,
    /// Bytes of the words of one response.
    pub answer_bytes: usize,
    /// Bytes of one result. A longer one is shortened visibly, or goes to a note of its own.
    pub result_bytes: usize,
    /// Bytes of a result that goes to a note of its own. A longer one is shortened visibly.
    pub note_bytes: usize,
    /// Bytes of all results of a turn.
    pub turn_bytes: usize,
    /// The time of a turn.
    pub turn: Duration,
    /// The time that a model may be silent.
    pub silence: Duration,
    /// The number of times that a request is sent again. It is sent again only if the model has not said anything.
    pub retries: u32,
    /// Reads that run together.
    pub parallel_reads: usize,
    /// How long a cancelled call may take to end.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rounds: 8,
            calls: 24,
            calls_per_note: Some(200),
            identical: 3,
            answer_bytes: 1024 * 1024,
            result_bytes: 16 * 1024,
            note_bytes: 1024 * 1024,
            turn_bytes: 64 * 1024,
            turn: Duration::from_mins(10),
            silence: Duration::from_mins(2),
            retries: 3,
            parallel_reads: 4,
            grace: Duration::from_secs(5),
        }
    }
}

impl Limits {
    /// The limits that a note leaves.
    pub(crate) fn narrow(&self, note: &NoteSettings) -> Self {
        Self {
            rounds: note.rounds.map_or(self.rounds, |rounds| rounds.min(self.rounds)),
            calls: note.calls.map_or(self.calls, |calls| calls.min(self.calls)),
            ..self.clone()
        }
    }
}

/// A limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The limit of rounds in a turn.
    Rounds,
    /// The limit of calls in a turn.
    Calls,
    /// The limit of calls in a note.
    CallsPerNote,
    /// The limit of bytes of results in a turn.
    Bytes,
    /// The time limit of a turn.
    Time,
}

impl Limit {
    pub(crate) fn describe(self, limits: &Limits) -> String {
        match self {
            Self::Rounds => format!("The limit of {} rounds in a turn was reached", limits.rounds),
            Self::Calls => format!("The limit of {} calls in a turn was reached", limits.calls),
            Self::CallsPerNote => format!(
                "The limit of {} calls in a note was reached",
                limits.calls_per_note.unwrap_or_default()
            ),
            Self::Bytes => {
                format!("The limit of {} bytes of results in a turn was reached", limits.turn_bytes)
            }
            Self::Time => {
                format!("The limit of {} seconds for a turn was reached", limits.turn.as_secs())
            }
        }
    }
}
