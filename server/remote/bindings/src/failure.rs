//! Why a call failed, with the data that a caller needs to correct it.

use std::fmt::Display;
use std::time::Duration;

use serde_json::Value;
use toolwrit_text::Secrets;
use toolwrit_text::shorten::start;

use crate::model::{Code, Reference};

/// The result of what may fail.
pub type Result<T> = std::result::Result<T, Box<Failure>>;

/// What a caller must know of a write whose outcome is not clear.
pub(crate) const MAY_BE_MADE: &str = "The change may have been made.";
/// Length limit of a text that is repeated in a failure, in characters.
const MAX_REPEATED: usize = 200;

/// A call that failed. No field contains a secret, and what comes from the API is short and visible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Failure {
    /// The kind.
    pub code: Code,
    /// What happened, in one sentence.
    pub message: String,
    /// The JSON pointer of the wrong argument.
    pub path: Option<String>,
    /// What was expected.
    pub expected: Option<String>,
    /// What was there instead.
    pub got: Option<Value>,
    /// Values that would be right, best first.
    pub did_you_mean: Vec<String>,
    /// How to fix it.
    pub hint: Option<String>,
    /// Whether the same call may succeed later, and does nothing twice.
    pub retryable: bool,
    /// The time after which a retry may succeed.
    pub retry_after: Option<Duration>,
    /// Whether the API may have received the request.
    pub sent: bool,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            retryable: code.is_retryable(),
            code,
            message: message.into(),
            path: None,
            expected: None,
            got: None,
            did_you_mean: Vec::new(),
            hint: None,
            retry_after: None,
            sent: false,
        })
    }

    pub(crate) fn validation(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::ValidationError, message)
    }

    pub(crate) fn upstream(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::UpstreamError, message)
    }

    pub(crate) fn timed_out(provider: &str) -> Box<Self> {
        Self::new(Code::Timeout, format!("{provider} did not answer in time."))
    }

    pub(crate) fn unavailable(message: impl Into<String>) -> Box<Self> {
        Self::new(Code::ProviderUnavailable, message)
    }

    /// The failure of tables that contradict themselves, which whoever made them should have refused.
    pub(crate) fn defect(what: impl Display) -> Box<Self> {
        Self::new(Code::Internal, format!("The binding is wrong: {what}."))
    }

    pub(crate) fn at_pointer(mut self: Box<Self>, pointer: impl Into<String>) -> Box<Self> {
        self.path = Some(pointer.into());
        self
    }

    /// Sets the argument that is wrong, if the reference is to an argument.
    pub(crate) fn at_argument(mut self: Box<Self>, reference: &Reference) -> Box<Self> {
        self.path = reference.pointer().or(self.path);
        self
    }

    pub(crate) fn expecting(mut self: Box<Self>, expected: impl Into<String>) -> Box<Self> {
        self.expected = Some(expected.into());
        self
    }

    pub(crate) fn got(mut self: Box<Self>, got: &Value) -> Box<Self> {
        self.got = Some(repeatable(got));
        self
    }

    pub(crate) fn hinting(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = Some(hint.into());
        self
    }

    /// Masks secrets in what comes from the API.
    pub(crate) fn masked(mut self: Box<Self>, secrets: &Secrets) -> Box<Self> {
        let mask = |text: String| secrets.mask(&text);
        self.message = secrets.mask(&self.message);
        self.expected = self.expected.map(mask);
        self.got = self.got.map(|got| secrets.mask_value(got));
        self.did_you_mean = self.did_you_mean.into_iter().map(mask).collect();
        self
    }

    pub(crate) fn after(mut self: Box<Self>, wait: Duration) -> Box<Self> {
        self.retry_after = Some(wait);
        self
    }

    /// Says that the API may have received the request.
    pub(crate) fn sent(mut self: Box<Self>) -> Box<Self> {
        self.sent = true;
        self
    }

    /// Of a request that may have been carried out, and must not be a second time: a failure that may pass is not
    /// repeated, and says so.
    pub(crate) fn not_repeated(self: Box<Self>) -> Box<Self> {
        if self.retryable { self.made() } else { self }
    }

    /// Of a request that the API may have carried out although the call failed.
    pub(crate) fn made(self: Box<Self>) -> Box<Self> {
        self.sent().permanent().hinting(format!("{MAY_BE_MADE} Read before you repeat it."))
    }

    /// Says that the same call may succeed later.
    pub(crate) fn temporary(mut self: Box<Self>) -> Box<Self> {
        self.retryable = true;
        self
    }

    /// Says that the same call would fail again.
    pub(crate) fn permanent(mut self: Box<Self>) -> Box<Self> {
        self.retryable = false;
        self
    }
}

/// The part of a value that a failure may repeat.
fn repeatable(value: &Value) -> Value {
    match value {
        Value::String(text) => start(text, MAX_REPEATED).into(),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
        value => value.clone(),
    }
}
