//! Faults: why a call failed, with the data that a model needs to correct the call.

pub(crate) mod wrong_value;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use toolwrit_words::{Code, DeclaredCode};

/// The result of a handler.
pub type Result<T> = std::result::Result<T, Fault>;

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
    /// Whether an earlier attempt of the call began, and nobody knows how it ended.
    #[serde(skip)]
    lost: bool,
    /// Content blocks beside the failure.
    #[serde(skip)]
    content: Vec<Value>,
}

impl Fault {
    /// Returns a failure. `message` says in one sentence what happened.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(FaultJson {
            retryable: code.is_retryable(),
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
            retry_after: None,
            mark: None,
            lacking: None,
            lost: false,
            content: Vec::new(),
        }))
    }

    /// The failure of a caller that has made all `calls` of a `period`, such as `hour`.
    pub(crate) fn too_many_calls(calls: u64, period: &str) -> Self {
        let noun = if calls == 1 { "call" } else { "calls" };
        Self::new(Code::LimitExceeded, format!("The limit is {calls} {noun} per {period}."))
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

    /// Says that an earlier attempt of the call began, and that nobody knows how it ended.
    pub(crate) fn lost(mut self) -> Self {
        self.0.lost = true;
        self
    }

    /// Whether an earlier attempt of the call began, and nobody knows how it ended.
    pub fn is_lost(&self) -> bool {
        self.0.lost
    }

    /// Returns the kind of the failure.
    pub fn code(&self) -> Code {
        self.0.code.clone()
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
    pub fn with_path(mut self, pointer: impl Into<String>) -> Self {
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

    /// Returns the JSON pointer of the wrong argument, if known.
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// Removes what was received.
    pub(crate) fn without_got(mut self) -> Self {
        self.0.got = None;
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

    /// Adds content blocks of MCP that a tool of another server has sent with its failure, such as images.
    #[must_use]
    pub fn with_content(mut self, blocks: Vec<Value>) -> Self {
        self.0.content = blocks;
        self
    }

    /// Returns the content blocks beside the failure.
    pub fn content(&self) -> &[Value] {
        &self.0.content
    }

    /// Returns the suggested names.
    pub(crate) fn suggestions(&self) -> &[String] {
        &self.0.did_you_mean
    }

    /// Sets the operation, unless the fault already has one.
    #[must_use]
    pub fn of_operation(mut self, operation: &str) -> Self {
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
    #[expect(
        clippy::expect_used,
        clippy::missing_panics_doc,
        reason = "all parts of a fault are JSON, texts, numbers and lists of them"
    )]
    pub fn to_json(&self) -> Value {
        #[derive(Serialize)]
        struct Envelope<'a> {
            error: &'a FaultJson,
        }
        serde_json::to_value(Envelope { error: &self.0 }).expect("a fault can be written as JSON")
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
    /// A server that the operation depends on knows the user, and does not allow the call.
    upstream_forbidden => UpstreamForbidden;
    /// A defect of the server. The pipeline logs the message, and sends the caller only an id.
    internal => Internal;
}

/// Returns a failure that the manifest declares. Called by generated code.
pub fn declared(
    code: &'static str,
    hint: Option<&'static str>,
    retryable: bool,
    message: String,
) -> Fault {
    let fault = Fault::new(Code::declared(code), message).retryable(retryable);
    match hint {
        Some(hint) => fault.hinting(hint),
        None => fault,
    }
}
