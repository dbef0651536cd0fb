//! Why a call failed, in the shape that lets a model repair it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// What a handler returns.
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
    /// What the operation needs is not there.
    ProviderUnavailable,
    /// The caller must confirm first, or the client answer what it is asked.
    ConfirmationRequired,
    /// The thing named does not exist.
    NotFound,
    /// The thing to make exists.
    AlreadyExists,
    /// The thing has changed since it was read.
    Conflict,
    /// The path is not one that the server serves.
    InvalidPath,
    /// The handler took too long and was stopped.
    Timeout,
    /// The caller cancelled.
    Cancelled,
    /// Too much at once.
    LimitExceeded,
    /// The result does not fit.
    ResultTooLarge,
    /// A server behind this one failed.
    UpstreamError,
    /// A defect; the message carries an id that is in the log.
    Internal,
    /// A failure that the manifest declares.
    Declared(DeclaredCode),
}

/// The code of a failure that the manifest declares under `errors`. The module that the macro generates
/// of it has a constructor for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeclaredCode(&'static str);

impl DeclaredCode {
    /// As in the manifest, which is the wire form.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// A code that was read back, which outlives the text that it was read from. Each is kept once.
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

/// A failure that the manifest declares. Called by generated code.
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
    /// Those of the engine.
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

    /// The wire form.
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

    /// The engine's code that is written like this.
    pub fn built_in(text: &str) -> Option<Self> {
        Self::BUILT_IN.into_iter().find(|code| code.as_str() == text)
    }

    fn retryable(self) -> bool {
        matches!(self, Code::LimitExceeded | Code::UpstreamError | Code::Timeout)
    }
}

impl fmt::Display for Code {
    /// The wire form.
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

/// A failed call. Build one with [`Fault::new`] or a constructor named after the code, and add what
/// helps the caller: what was expected, what arrived, what to do.
///
/// Any other error becomes one by `?`: a defect, whose text goes to the log. That is why `Fault` is no
/// [`std::error::Error`] itself.
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
    /// Identifies the end of a round of questions, which the dialogue of the call keeps.
    #[serde(skip)]
    mark: Option<u64>,
    /// The capability of MCP that the client would need.
    #[serde(skip)]
    lacking: Option<&'static str>,
}

impl Fault {
    /// A failure with its one-sentence account.
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

    /// Says that this fault ended a round of questions.
    pub(crate) fn marked(mut self, mark: u64) -> Self {
        self.0.mark = Some(mark);
        self
    }

    /// The round that this fault ended, if it did.
    pub(crate) fn mark(&self) -> Option<u64> {
        self.0.mark
    }

    /// The call failed because its client lacks a capability of MCP.
    pub(crate) fn lacking(mut self, capability: &'static str) -> Self {
        self.0.lacking = Some(capability);
        self
    }

    /// The capability that the client lacks.
    pub fn lacked(&self) -> Option<&'static str> {
        self.0.lacking
    }

    /// The kind of the failure.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// What happened.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it, when that is known.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// What would have been right, when that is known.
    pub fn expected(&self) -> Option<&str> {
        self.0.expected.as_deref()
    }

    /// The operation or tool that failed, when that is known.
    pub(crate) fn operation(&self) -> Option<&str> {
        self.0.operation.as_deref()
    }

    /// After which time a retry may succeed, when that is known.
    pub fn wait(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.0.retry_after?).ok()
    }

    /// Whether the same call may succeed later.
    pub(crate) fn is_retryable(&self) -> bool {
        self.0.retryable
    }

    /// Whether this is how the call ended. A call that must be confirmed has not begun.
    pub(crate) fn is_final(&self) -> bool {
        !self.is_retryable() && self.0.code != Code::ConfirmationRequired
    }

    /// The JSON pointer of the argument at fault.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.0.path = Some(pointer.into());
        self
    }

    /// What would have been right.
    #[must_use]
    pub fn expecting(mut self, expected: impl Into<String>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    /// What arrived.
    #[must_use]
    pub fn got(mut self, got: impl Into<Value>) -> Self {
        self.0.got = Some(got.into());
        self
    }

    /// Names close to the one given.
    #[must_use]
    pub fn did_you_mean(mut self, names: Vec<String>) -> Self {
        self.0.did_you_mean = names;
        self
    }

    /// How to fix it.
    #[must_use]
    pub fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Data of the author's own, for callers that are programs. A value that JSON cannot hold is left out, and
    /// logged.
    #[must_use]
    pub fn with_details(mut self, details: impl Serialize) -> Self {
        match serde_json::to_value(details) {
            Ok(details) => self.0.details = Some(details),
            Err(error) => tracing::error!(%error, "the details of a fault are not JSON"),
        }
        self
    }

    /// Seconds after which a retry may succeed.
    #[must_use]
    pub fn retry_after(mut self, seconds: f64) -> Self {
        self.0.retry_after = Some(seconds);
        self.0.retryable = true;
        self
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.0.retryable = retryable;
        self
    }

    /// The names suggested so far.
    pub(crate) fn suggestions(&self) -> &[String] {
        &self.0.did_you_mean
    }

    /// Names the operation, unless the failure names one already.
    #[must_use]
    pub fn of(mut self, operation: &str) -> Self {
        self.0.operation.get_or_insert_with(|| operation.to_owned());
        self
    }

    /// Adds what a second call needs to be right.
    #[must_use]
    pub fn teaching(mut self, signature: &str, example: Option<Value>) -> Self {
        self.0.signature = Some(signature.to_owned());
        self.0.example = example;
        self
    }

    /// Shows arguments that would do.
    pub(crate) fn exemplified(mut self, arguments: Value) -> Self {
        self.0.example = Some(arguments);
        self
    }

    /// `{"error": {..}}`, as text and structured content carry it.
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

/// `INTERNAL`. The error and its sources go to the log, and the caller gets an id that stands there.
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
    /// The thing named does not exist.
    not_found => NotFound;
    /// The thing to make exists.
    already_exists => AlreadyExists;
    /// The thing has changed since it was read.
    conflict => Conflict;
    /// The path is not one that the server serves.
    invalid_path => InvalidPath;
    /// The arguments make no sense together.
    validation => ValidationError;
    /// The caller cancelled.
    cancelled => Cancelled;
    /// The result does not fit.
    too_large => ResultTooLarge;
    /// A server behind this one failed.
    upstream => UpstreamError;
    /// A defect. Say nothing that the caller must not see.
    internal => Internal;
}
