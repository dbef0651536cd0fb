//! Why a call failed, with the data that a caller needs to correct it.

use std::fmt;
use std::time::Duration;

/// The result of what may fail.
pub type Result<T> = std::result::Result<T, Failure>;

/// The kind of a failure. The engine has a fault with the same code for each.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Code {
    /// The upstream does not accept the arguments.
    ValidationError,
    /// The time is over.
    Timeout,
    /// The caller no longer waits.
    Cancelled,
    /// The upstream has too many requests.
    LimitExceeded,
    /// The result is too large.
    ResultTooLarge,
    /// The upstream failed, or answered what MCP does not allow.
    UpstreamError,
    /// The upstream knows the user, and does not allow the request.
    UpstreamForbidden,
    /// The upstream or the tool cannot be used until the operator changes something, or for some time.
    ProviderUnavailable,
    /// A failure that the tool itself reports, with the code that it says if it is one of another Toolwrit server.
    Reported(String),
}

impl Code {
    /// Returns the wire form.
    pub fn as_str(&self) -> &str {
        match self {
            Self::ValidationError => "VALIDATION_ERROR",
            Self::Timeout => "TIMEOUT",
            Self::Cancelled => "CANCELLED",
            Self::LimitExceeded => "LIMIT_EXCEEDED",
            Self::ResultTooLarge => "RESULT_TOO_LARGE",
            Self::UpstreamError => "UPSTREAM_ERROR",
            Self::UpstreamForbidden => "UPSTREAM_FORBIDDEN",
            Self::ProviderUnavailable => "PROVIDER_UNAVAILABLE",
            Self::Reported(code) => code,
        }
    }
}

impl fmt::Display for Code {
    /// Writes the wire form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A call that failed. What comes from the upstream is short and visible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{code}: {message}")]
#[non_exhaustive]
pub struct Failure {
    /// The kind.
    pub code: Code,
    /// What happened: a sentence, or what the tool says about its failure.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
    /// The time after which a retry may succeed.
    pub retry_after: Option<Duration>,
    /// Whether the upstream may have begun to carry out the call.
    pub sent: bool,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, retry_after: None, sent: false }
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
