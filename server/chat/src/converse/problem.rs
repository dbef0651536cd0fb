//! Why there is no conversation.

use crate::LedgerError;
use crate::conversation::ChatError;
use crate::notebook::NotebookError;
use toolwrit_core::fault::{Code, Fault};
use toolwrit_core::policy::UnknownName;
use toolwrit_text::capitalise;

/// Why there is no conversation.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The operator has switched conversations off.
    #[error(
        "conversations are switched off. Remove `enabled = false` from [chat] in the configuration."
    )]
    Disabled,
    /// No model is configured.
    #[error(
        "no model is configured. Add a table such as [models.writer] to the configuration, with `dialect` and `model`."
    )]
    NoModel,
    /// Several models are configured, and none is chosen.
    #[error(
        "no model is chosen. Name one of {0}: with --model, as `chat-model` in the note, or as `model` in [chat] of the configuration."
    )]
    NoChoice(String),
    /// There is no such model.
    #[error("there is no model `{wanted}`. The models are {known}.")]
    UnknownModel {
        /// The name that was given.
        wanted: String,
        /// The names that exist.
        known: String,
    },
    /// A model cannot be used.
    #[error("the model `{name}` cannot be used: {message}")]
    Model {
        /// Its name.
        name: String,
        /// Why.
        message: String,
    },
    /// A focus mode, a role or a selector that the authority does not have.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// There is no folder for the state of conversations.
    #[error("there is no folder for the state of conversations. Name one with --data-dir.")]
    NoFolder,
    /// The note has mistakes, each with its line.
    #[error("{0}")]
    Mistakes(String),
    /// A text that would forge the blocks of a conversation, or swallow the answer.
    #[error("the text cannot be added to the note: {0}")]
    Text(String),
    /// The state cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The note cannot be read or written.
    #[error(transparent)]
    Notebook(#[from] NotebookError),
    /// The turn cannot begin or go on.
    #[error(transparent)]
    Chat(ChatError),
}

impl Problem {
    /// A problem of a turn in this note.
    #[must_use]
    pub fn from_chat_error(note: &str, error: ChatError) -> Self {
        match error {
            ChatError::Mistakes(mistakes) => {
                let lines = mistakes
                    .iter()
                    .map(|mistake| format!("{note}:{}: {}", mistake.line, mistake.message));
                Self::Mistakes(lines.collect::<Vec<_>>().join("\n"))
            }
            ChatError::Notebook(error) => Self::Notebook(error),
            error => Self::Chat(error),
        }
    }

    /// Whether the configuration or the note must be corrected.
    #[must_use]
    pub fn is_configuration(&self) -> bool {
        !matches!(
            self,
            Self::Ledger(_)
                | Self::Notebook(_)
                | Self::Text(_)
                | Self::Chat(
                    ChatError::State(_)
                        | ChatError::NoBlock { .. }
                        | ChatError::NoCall(_)
                        | ChatError::NotOffered { .. }
                )
        )
    }

    /// The fault for the caller of an operation.
    #[must_use]
    pub fn to_fault(&self) -> Fault {
        let code = match self {
            Self::Disabled | Self::NoModel | Self::Model { .. } | Self::NoFolder => {
                Code::ProviderUnavailable
            }
            Self::NoChoice(_)
            | Self::UnknownModel { .. }
            | Self::UnknownName(_)
            | Self::Mistakes(_)
            | Self::Text(_)
            | Self::Chat(_) => Code::ValidationError,
            Self::Ledger(LedgerError::Busy) => Code::Conflict,
            Self::Notebook(NotebookError::NotFound(_)) => Code::NotFound,
            Self::Notebook(NotebookError::AlreadyExists(_)) => Code::AlreadyExists,
            Self::Ledger(LedgerError::Io { .. }) | Self::Notebook(NotebookError::Failed(_)) => {
                Code::Internal
            }
        };
        Fault::new(code, capitalise(&self.to_string()))
    }
}
