//! The codes of faults: those of the engine, and those that a manifest declares.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The kind of a failure. The wire form is `SCREAMING_SNAKE_CASE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// No such operation for this caller.
    ToolNotFound,
    /// The arguments do not fit the parameters.
    ValidationError,
    /// The server runs read-only.
    WritesDisabled,
    /// The focus mode withholds the operation.
    FocusRestricted,
    /// The provider that the operation requires is not available.
    ProviderUnavailable,
    /// The caller must confirm first, or the client must answer a question.
    ConfirmationRequired,
    /// What the arguments name does not exist.
    NotFound,
    /// What the call should create exists already.
    AlreadyExists,
    /// What the call should change has changed since it was read.
    Conflict,
    /// The server does not serve this path.
    InvalidPath,
    /// The handler took too long and was stopped.
    Timeout,
    /// The client cancelled the call.
    Cancelled,
    /// A limit of calls, tasks or sessions is exceeded.
    LimitExceeded,
    /// The result is too large, and cannot be truncated.
    ResultTooLarge,
    /// A server or client that the operation depends on failed.
    UpstreamError,
    /// A server that the operation depends on knows the user, and does not allow the call.
    UpstreamForbidden,
    /// A defect of the server. The message has an id that is also in the log.
    Internal,
    /// A failure that the manifest declares.
    Declared(DeclaredCode),
}

/// The code of a failure that the manifest declares under `errors`. The generated module has a constructor
/// for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeclaredCode(pub(super) &'static str);

impl DeclaredCode {
    /// Returns the code as in the manifest and on the wire.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Interns a code that was read from JSON, because it must outlive the JSON. Each code is leaked once.
    fn read(code: &str) -> Self {
        static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        // No code that can panic runs under the lock.
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(code) {
            return Self(known);
        }
        let code: &'static str = Box::leak(code.into());
        kept.insert(code);
        Self(code)
    }
}

impl Code {
    /// The codes of the engine.
    pub const BUILT_IN: [Code; 17] = [
        Code::ToolNotFound,
        Code::ValidationError,
        Code::WritesDisabled,
        Code::FocusRestricted,
        Code::ProviderUnavailable,
        Code::ConfirmationRequired,
        Code::NotFound,
        Code::AlreadyExists,
        Code::Conflict,
        Code::InvalidPath,
        Code::Timeout,
        Code::Cancelled,
        Code::LimitExceeded,
        Code::ResultTooLarge,
        Code::UpstreamError,
        Code::UpstreamForbidden,
        Code::Internal,
    ];

    /// Returns the wire form.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::ToolNotFound => "TOOL_NOT_FOUND",
            Code::ValidationError => "VALIDATION_ERROR",
            Code::WritesDisabled => "WRITES_DISABLED",
            Code::FocusRestricted => "FOCUS_RESTRICTED",
            Code::ProviderUnavailable => "PROVIDER_UNAVAILABLE",
            Code::ConfirmationRequired => "CONFIRMATION_REQUIRED",
            Code::NotFound => "NOT_FOUND",
            Code::AlreadyExists => "ALREADY_EXISTS",
            Code::Conflict => "CONFLICT",
            Code::InvalidPath => "INVALID_PATH",
            Code::Timeout => "TIMEOUT",
            Code::Cancelled => "CANCELLED",
            Code::LimitExceeded => "LIMIT_EXCEEDED",
            Code::ResultTooLarge => "RESULT_TOO_LARGE",
            Code::UpstreamError => "UPSTREAM_ERROR",
            Code::UpstreamForbidden => "UPSTREAM_FORBIDDEN",
            Code::Internal => "INTERNAL",
            Code::Declared(declared) => declared.as_str(),
        }
    }

    /// Parses a code of the engine; `None` for any other text.
    pub fn built_in(text: &str) -> Option<Self> {
        Self::BUILT_IN.into_iter().find(|code| code.as_str() == text)
    }

    /// Whether the same call may succeed later.
    pub(super) fn retryable(self) -> bool {
        matches!(self, Code::LimitExceeded | Code::UpstreamError | Code::Timeout)
    }
}

impl fmt::Display for Code {
    /// Writes the wire form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let declared = || Code::Declared(DeclaredCode::read(&text));
        Ok(Self::built_in(&text).unwrap_or_else(declared))
    }
}
