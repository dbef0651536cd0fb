//! Why a call failed, with the data that a caller needs to correct it.

use std::time::Duration;

use toolwrit_words::Code;

use crate::answer::Answer;

/// The result of what may fail.
pub type Result<T> = std::result::Result<T, Failure>;

/// A call that failed. What comes from the upstream is short and visible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{code}: {message}")]
#[non_exhaustive]
pub struct Failure {
    /// The kind. The engine has a fault with the same code.
    pub code: Code,
    /// What the tool sent, if it is the one that reports the failure. The code may be that of another Toolwrit server.
    pub reported: Option<Box<Answer>>,
    /// What happened: a sentence, or what the tool says about its failure.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
    /// The time after which a retry may succeed.
    pub retry_after: Option<Duration>,
    /// Whether the upstream may have begun to carry out the call.
    pub sent: bool,
    /// The scopes that an access token must have for the call, separated by spaces.
    pub wanted_scope: Option<Box<str>>,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            reported: None,
            message: message.into(),
            hint: None,
            retry_after: None,
            sent: false,
            wanted_scope: None,
        }
    }

    /// The failure that a tool reports. The upstream has received the call.
    pub(crate) fn reported(code: Code, message: impl Into<String>, answer: Answer) -> Self {
        Self { reported: Some(Box::new(answer)), sent: true, ..Self::new(code, message) }
    }

    pub(crate) fn upstream(message: impl Into<String>) -> Self {
        Self::new(Code::UpstreamError, message)
    }

    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Code::ProviderUnavailable, message)
    }

    pub(crate) fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Says that the upstream may have received the call.
    pub(crate) fn sent(mut self) -> Self {
        self.sent = true;
        self
    }
}
