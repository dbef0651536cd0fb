//! What became of a conversation, and how far it is.

use crate::conversation::{Ended, Limit};
use crate::format::{Block, Document, Kind, Part, Payload, Status};
use serde::{Serialize, Serializer};

/// How the turn of a text that was sent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentOutcome {
    /// The model has answered.
    Answered,
    /// The note asks nothing.
    NothingToSay,
    /// Calls wait for consent.
    Asks,
    /// A limit was reached.
    Limited,
    /// A person cancelled it.
    Cancelled,
    /// The model gave no complete answer.
    Failed,
}

/// How far the conversation of a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteState {
    /// A process carries it out.
    Running,
    /// Calls wait for consent.
    Asks,
    /// A process that carried it out has ended within it.
    Interrupted,
    /// It waits for an answer of the model.
    Waits,
    /// The model has answered.
    Answered,
    /// There is none.
    Empty,
}

impl SentOutcome {
    /// The name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::NothingToSay => "nothing_to_say",
            Self::Asks => "asks",
            Self::Limited => "limited",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }
}

impl NoteState {
    /// The name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Asks => "asks",
            Self::Interrupted => "interrupted",
            Self::Waits => "waits",
            Self::Answered => "answered",
            Self::Empty => "empty",
        }
    }
}

impl Serialize for SentOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for NoteState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What became of a text that was sent.
#[derive(Debug, Clone, Serialize)]
pub struct Sent {
    /// The note.
    pub note: String,
    /// How its turn ended.
    pub outcome: SentOutcome,
    /// What the model has said last.
    pub answer: String,
    /// Calls that wait for consent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<WaitingCall>,
    /// Why there is no complete answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A call that waits for consent.
#[derive(Debug, Clone, Serialize)]
pub struct WaitingCall {
    /// The id of its block.
    pub id: String,
    /// The operation.
    pub tool: String,
    /// The arguments, as the note shows them.
    pub arguments: String,
}

/// How far the conversation of a note is.
#[derive(Debug, Clone, Serialize)]
pub struct StatusOfNote {
    /// The note.
    pub note: String,
    /// How far it is.
    pub state: NoteState,
    /// Answers of models in it.
    pub answers: usize,
    /// Calls in it.
    pub calls: usize,
    /// Calls that wait for consent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<WaitingCall>,
}

impl Sent {
    pub(crate) fn new(note: String, document: &Document<'_>, ended: Ended) -> Self {
        let answers = document.blocks().filter(|block| block.header.kind == Kind::Assistant);
        let answer = answers.last().map(|block| block.words().trim().to_owned());
        let (outcome, reason) = match ended {
            Ended::Answered => (SentOutcome::Answered, None),
            Ended::NothingToSay => (SentOutcome::NothingToSay, None),
            Ended::Asks(_) => (SentOutcome::Asks, None),
            Ended::Limited(Limit::Time) => {
                (SentOutcome::Limited, Some("the time of the turn is over".to_owned()))
            }
            Ended::Limited(_) => (SentOutcome::Limited, None),
            Ended::Cancelled => (SentOutcome::Cancelled, None),
            Ended::Failed(reason) => (SentOutcome::Failed, Some(reason)),
        };
        let asks = waiting_calls(document);
        Self { note, outcome, answer: answer.unwrap_or_default(), asks, reason }
    }
}

impl StatusOfNote {
    pub(crate) fn new(note: String, document: &Document<'_>, is_running: bool) -> Self {
        let count = |kind| document.blocks().filter(|block| block.header.kind == kind).count();
        let asks = waiting_calls(document);
        let last = document.blocks().last().map(|block| &block.header);
        let unfinished = last.is_some_and(|last| last.state.status == Status::Unfinished)
            || ends_with_calls(document);
        let unanswered = last
            .is_some_and(|last| last.kind == Kind::Assistant && last.state.status != Status::Said);
        let written = matches!(document.parts().last(), Some(Part::Text(text)) if !text.visible(document).is_empty());
        let state = match () {
            () if is_running => NoteState::Running,
            () if !asks.is_empty() => NoteState::Asks,
            () if unfinished => NoteState::Interrupted,
            () if unanswered || written => NoteState::Waits,
            () if document.blocks().next().is_some() => NoteState::Answered,
            () => NoteState::Empty,
        };
        let (answers, calls) = (count(Kind::Assistant), count(Kind::Tool));
        Self { note, state, answers, calls, asks }
    }
}

/// Whether a conversation ends with calls of a model, which has not seen their results.
fn ends_with_calls(document: &Document<'_>) -> bool {
    let mut has_call = false;
    for part in document.parts().iter().rev() {
        match part {
            Part::Text(text) if text.visible(document).is_empty() => {}
            Part::Block(block) if block.header.kind == Kind::Tool => has_call = true,
            Part::Block(block) => return has_call && block.header.kind == Kind::Assistant,
            // The result of a block of the user stands below it.
            Part::Text(_) | Part::Properties(_) | Part::NewChat(_) => return false,
        }
    }
    false
}

/// The calls that wait for consent.
fn waiting_calls(document: &Document<'_>) -> Vec<WaitingCall> {
    let waits = |block: &&Block| {
        block.header.kind == Kind::Tool && block.header.state.status == Status::Asks
    };
    let asked = document.blocks().filter(waits).map(|block| WaitingCall {
        id: block.header.id.to_string(),
        tool: block.header.name.clone(),
        arguments: block.arguments().as_ref().map(Payload::text).unwrap_or_default(),
    });
    asked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(text: &str, is_running: bool) -> NoteState {
        StatusOfNote::new("N.md".to_owned(), &Document::parse(text), is_running).state
    }

    #[test]
    fn a_note_says_how_far_its_conversation_is() {
        let answer = "Hello\n\n> [!assistant|aaaaaaaaa]+ `m` · answer\n>\n> Hi.\n";
        let call = |state: &str| {
            format!(
                "{answer}\nDo it.\n\n> [!tool|bbbbbbbbb]- `a` · {state}\n> ```json\n> {{}}\n> ```\n"
            )
        };
        assert_eq!(state("", false), NoteState::Empty);
        assert_eq!(state("%%\nNothing\n%%\n", false), NoteState::Empty);
        assert_eq!(state("Hello\n", false), NoteState::Waits);
        assert_eq!(state(answer, false), NoteState::Answered);
        for ended in ["UPSTREAM_ERROR, busy", "cancelled", "TIMEOUT, the time of the turn is over"]
        {
            assert_eq!(
                state(&answer.replace("· answer", &format!("· {ended}")), false),
                NoteState::Waits
            );
        }
        assert_eq!(state(&call("asks"), false), NoteState::Asks);
        assert_eq!(state(&call("…"), false), NoteState::Interrupted);
        assert_eq!(state(&call("…"), true), NoteState::Running);
        let asked = "Do it.\n\n> [!assistant|ccccccccc]+ `m` · 3 tokens\n>\n> I do.\n";
        let called = "> [!tool|bbbbbbbbb]- `a` · cancelled\n> ```json\n> {}\n> ```\n";
        assert_eq!(state(&format!("{asked}\n{called}"), false), NoteState::Interrupted);
        assert_eq!(state(&format!("{asked}\n{called}\n{asked}"), false), NoteState::Answered);
        // The result of a block that the user has run.
        let run = "```toolwrit\ntool: a\n```\n";
        assert_eq!(state(&format!("{asked}\n{run}\n{called}"), false), NoteState::Answered);
        let note = StatusOfNote::new("N.md".to_owned(), &Document::parse(&call("asks")), false);
        assert_eq!((note.answers, note.calls, note.asks[0].arguments.as_str()), (1, 1, "{}"));
    }

    #[test]
    fn what_was_sent_has_the_last_answer() {
        let note = "Hello\n\n> [!assistant|aaaaaaaaa]+ `m` · answer\n>\n> One.\n\n> [!assistant|bbbbbbbbb]+ `m` · answer\n>\n> Two.\n> Three.\n";
        let sent =
            Sent::new("N.md".to_owned(), &Document::parse(note), Ended::Failed("why".to_owned()));
        assert_eq!((sent.outcome, sent.answer.as_str()), (SentOutcome::Failed, "Two.\nThree."));
        assert_eq!(sent.reason.as_deref(), Some("why"));
    }
}
