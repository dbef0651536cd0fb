use std::fmt;

use serde::Deserialize;

use super::Text;

/// The kind of a failure. The engine has a fault with the same code for each.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum Code {
    /// The API, or a rule of the binding, does not accept the arguments.
    ValidationError,
    /// What the arguments name does not exist.
    NotFound,
    /// What the call should create exists already.
    AlreadyExists,
    /// What the call should change has changed.
    Conflict,
    /// The time is over.
    Timeout,
    /// The caller no longer waits.
    Cancelled,
    /// Too many requests.
    LimitExceeded,
    /// The answer is too large.
    ResultTooLarge,
    /// The API failed, or gave an answer that is not what its binding says.
    UpstreamError,
    /// The API knows the user, and does not allow the request.
    UpstreamForbidden,
    /// The API cannot be used until the operator changes something, or for some time.
    ProviderUnavailable,
    /// The tables contradict themselves.
    Internal,
    /// A code that the manifest declares.
    Declared(Text),
}

impl Code {
    /// Returns the wire form.
    pub fn as_str(&self) -> &str {
        match self {
            Self::ValidationError => "VALIDATION_ERROR",
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::Conflict => "CONFLICT",
            Self::Timeout => "TIMEOUT",
            Self::Cancelled => "CANCELLED",
            Self::LimitExceeded => "LIMIT_EXCEEDED",
            Self::ResultTooLarge => "RESULT_TOO_LARGE",
            Self::UpstreamError => "UPSTREAM_ERROR",
            Self::UpstreamForbidden => "UPSTREAM_FORBIDDEN",
            Self::ProviderUnavailable => "PROVIDER_UNAVAILABLE",
            Self::Internal => "INTERNAL",
            Self::Declared(code) => code,
        }
    }

    /// Whether the same call may succeed later.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(self, Self::LimitExceeded | Self::UpstreamError | Self::Timeout)
    }
}

impl From<String> for Code {
    /// Reads the wire form. A text that is no code of the engine is a declared one.
    fn from(code: String) -> Self {
        match code.as_str() {
            "VALIDATION_ERROR" => Self::ValidationError,
            "NOT_FOUND" => Self::NotFound,
            "ALREADY_EXISTS" => Self::AlreadyExists,
            "CONFLICT" => Self::Conflict,
            "TIMEOUT" => Self::Timeout,
            "CANCELLED" => Self::Cancelled,
            "LIMIT_EXCEEDED" => Self::LimitExceeded,
            "RESULT_TOO_LARGE" => Self::ResultTooLarge,
            "UPSTREAM_ERROR" => Self::UpstreamError,
            "UPSTREAM_FORBIDDEN" => Self::UpstreamForbidden,
            "PROVIDER_UNAVAILABLE" => Self::ProviderUnavailable,
            "INTERNAL" => Self::Internal,
            _ => Self::Declared(code.into()),
        }
    }
}

impl fmt::Display for Code {
    /// Writes the wire form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
