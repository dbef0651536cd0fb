//! Faults: why a call failed, with the data that a model needs to correct the call.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The result of a handler.
pub type Result<T> = std::result::Result<T, Fault>;

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
    /// A defect of the server. The message has an id that is also in the log.
    Internal,
    /// A failure that the manifest declares.
    Declared(DeclaredCode),
}

/// The code of a failure that the manifest declares under `errors`. The generated module has a constructor
/// for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeclaredCode(&'static str);

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

/// Returns a failure that the manifest declares. Called by generated code.
pub fn declared(
    code: &'static str,
    hint: Option<&'static str>,
    retryable: bool,
    message: String,
) -> Fault {
    let fault = Fault::new(Code::Declared(DeclaredCode(code)), message).retryable(retryable);
    match hint {
        Some(hint) => fault.hinting(hint),
        None => fault,
    }
}

impl Code {
    /// The codes of the engine.
    pub const BUILT_IN: [Code; 16] = [
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
            Code::Internal => "INTERNAL",
            Code::Declared(declared) => declared.as_str(),
        }
    }

    /// Parses a code of the engine; `None` for any other text.
    pub fn built_in(text: &str) -> Option<Self> {
        Self::BUILT_IN.into_iter().find(|code| code.as_str() == text)
    }

    fn retryable(self) -> bool {
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
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let declared = || Code::Declared(DeclaredCode::read(&text));
        Ok(Self::built_in(&text).unwrap_or_else(declared))
    }
}

/// A failed call. Build one with [`Fault::new`] or a constructor named after the code. Then add what helps
/// the caller: what was expected, what was received, what to do.
///
/// The operator `?` converts any other error to a fault with the code `INTERNAL`, whose text goes to the log.
/// For this reason `Fault` does not implement [`std::error::Error`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fault(Box<FaultJson>);

/// The JSON of a failure. Field order is the order on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct FaultJson {
    code: Code,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    got: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    did_you_mean: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
    retryable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<f64>,
    /// Identifies the round of questions that this fault ended. The dialogue of the call keeps the round.
    #[serde(skip)]
    mark: Option<u64>,
    /// The MCP capability that the client lacks.
    #[serde(skip)]
    lacking: Option<&'static str>,
}

impl Fault {
    /// Returns a failure. `message` says in one sentence what happened.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(FaultJson {
            code,
            message: message.into(),
            operation: None,
            path: None,
            expected: None,
            got: None,
            did_you_mean: Vec::new(),
            signature: None,
            example: None,
            hint: None,
            details: None,
            retryable: code.retryable(),
            retry_after: None,
            mark: None,
            lacking: None,
        }))
    }

    /// Sets the round of questions that this fault ended.
    pub(crate) fn marked(mut self, mark: u64) -> Self {
        self.0.mark = Some(mark);
        self
    }

    /// Returns the round of questions that this fault ended; `None` if it ended none.
    pub(crate) fn mark(&self) -> Option<u64> {
        self.0.mark
    }

    /// Sets the MCP capability whose lack made the call fail.
    pub(crate) fn lacking(mut self, capability: &'static str) -> Self {
        self.0.lacking = Some(capability);
        self
    }

    /// Returns the MCP capability that the client lacks, if that is why the call failed.
    pub fn lacked(&self) -> Option<&'static str> {
        self.0.lacking
    }

    /// Returns the kind of the failure.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Returns what happened.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns how to fix it, if known.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Returns what was expected, if known.
    pub fn expected(&self) -> Option<&str> {
        self.0.expected.as_deref()
    }

    /// Returns the operation or tool that failed, if known.
    pub(crate) fn operation(&self) -> Option<&str> {
        self.0.operation.as_deref()
    }

    /// Returns the time after which a retry may succeed, if known.
    pub fn wait(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.0.retry_after?).ok()
    }

    /// Whether the same call may succeed later.
    pub(crate) fn is_retryable(&self) -> bool {
        self.0.retryable
    }

    /// Whether the call ended with this fault. A call that must be confirmed has not begun.
    pub(crate) fn is_final(&self) -> bool {
        !self.is_retryable() && self.0.code != Code::ConfirmationRequired
    }

    /// Sets the JSON pointer of the wrong argument.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.0.path = Some(pointer.into());
        self
    }

    /// Sets what was expected.
    #[must_use]
    pub fn expecting(mut self, expected: impl Into<String>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    /// Sets what was received.
    #[must_use]
    pub fn got(mut self, got: impl Into<Value>) -> Self {
        self.0.got = Some(got.into());
        self
    }

    /// Sets names that are similar to the given one.
    #[must_use]
    pub fn did_you_mean(mut self, names: Vec<String>) -> Self {
        self.0.did_you_mean = names;
        self
    }

    /// Sets the hint: how to fix it.
    #[must_use]
    pub fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Sets data of the author's own, for callers that are programs. A value that cannot be serialized as
    /// JSON is logged and left out.
    #[must_use]
    pub fn with_details(mut self, details: impl Serialize) -> Self {
        match serde_json::to_value(details) {
            Ok(details) => self.0.details = Some(details),
            Err(error) => {
                tracing::error!(%error, "cannot serialize the details of a fault as JSON");
            }
        }
        self
    }

    /// Sets the seconds after which a retry may succeed, and makes the fault retryable.
    #[must_use]
    pub fn retry_after(mut self, seconds: f64) -> Self {
        self.0.retry_after = Some(seconds);
        self.0.retryable = true;
        self
    }

    /// Sets whether the same call may succeed later.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.0.retryable = retryable;
        self
    }

    /// Returns the suggested names.
    pub(crate) fn suggestions(&self) -> &[String] {
        &self.0.did_you_mean
    }

    /// Sets the operation, unless the fault already has one.
    #[must_use]
    pub fn of(mut self, operation: &str) -> Self {
        self.0.operation.get_or_insert_with(|| operation.to_owned());
        self
    }

    /// Sets the signature and an example, so that the caller can correct the call.
    #[must_use]
    pub fn teaching(mut self, signature: &str, example: Option<Value>) -> Self {
        self.0.signature = Some(signature.to_owned());
        self.0.example = example;
        self
    }

    /// Sets valid arguments as the example.
    pub(crate) fn exemplified(mut self, arguments: Value) -> Self {
        self.0.example = Some(arguments);
        self
    }

    /// Returns `{"error": {..}}`, as in text and structured content.
    pub fn to_json(&self) -> Value {
        #[derive(Serialize)]
        struct Envelope<'a> {
            error: &'a FaultJson,
        }
        serde_json::to_value(Envelope { error: &self.0 }).unwrap_or_default()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.code, self.0.message)
    }
}

/// Converts any error to `INTERNAL`. The error and its sources are logged under an id that the caller gets.
impl<E: std::error::Error> From<E> for Fault {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        Self::internal(text)
    }
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $code:ident;)*) => {
        impl Fault {
            $($(#[$doc])*
            pub fn $name(message: impl Into<String>) -> Self {
                Self::new(Code::$code, message)
            })*
        }
    };
}

constructors! {
    /// What the arguments name does not exist.
    not_found => NotFound;
    /// What the call should create exists already.
    already_exists => AlreadyExists;
    /// What the call should change has changed since it was read.
    conflict => Conflict;
    /// The server does not serve this path.
    invalid_path => InvalidPath;
    /// The arguments are not valid, alone or together.
    validation => ValidationError;
    /// The client cancelled the call.
    cancelled => Cancelled;
    /// The result is too large, and cannot be truncated.
    too_large => ResultTooLarge;
    /// A server or client that the operation depends on failed.
    upstream => UpstreamError;
    /// A defect of the server. The pipeline logs the message, and sends the caller only an id.
    internal => Internal;
}
