//! What models are asked, and what they say, whatever their API.

use crate::format::BlockId;
use crate::tools::Tool;
#[cfg(feature = "remote")]
use base64::Engine as _;
#[cfg(feature = "remote")]
use base64::engine::general_purpose::STANDARD;
use futures::stream::BoxStream;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// A language model.
pub trait Model: Send + Sync {
    /// The name in the configuration, as blocks show it.
    fn name(&self) -> &str;

    /// Asks the model. The stream ends with [`Event::End`]; a stream that ends without it was cut.
    fn ask(&self, request: Request) -> BoxStream<'_, Result<Event, ModelError>>;

    /// What tokens cost; `None` if it is not known.
    fn price(&self) -> Option<Price> {
        None
    }
}

/// A model that an endpoint offers.
#[cfg(feature = "remote")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedModel {
    /// Its name at the provider.
    pub name: String,
    /// The tokens that a request and its response may have together; `None` if the endpoint does not say.
    pub context: Option<u64>,
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The conversation.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Arc<[Tool]>,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// The user.
    User {
        /// What the user wrote.
        text: String,
        /// Images that the user shows.
        images: Vec<Image>,
    },
    /// The model.
    Assistant {
        /// Its words.
        text: String,
        /// Its calls.
        calls: Vec<PastCall>,
        /// What the provider wants back, as it gave it.
        kept: Option<Value>,
    },
    /// The results of the calls in the message before.
    Results(Vec<PastResult>),
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its media type, such as `image/png`.
    pub media_type: String,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
}

/// A call that the model made.
#[derive(Debug, Clone, PartialEq)]
pub struct PastCall {
    /// The id of its block.
    pub id: BlockId,
    /// The name of the tool in requests.
    pub name: String,
    /// The arguments.
    pub arguments: Value,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct PastResult {
    /// The id of the block of the call.
    pub id: BlockId,
    /// The name of the tool in requests.
    pub name: String,
    /// What the model reads.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
}

/// What a model says.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// More words.
    Text(String),
    /// Anything that shows that the model is at work.
    Alive,
    /// The end of a complete response.
    End(End),
}

/// The end of a response.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct End {
    /// The calls that the model wants.
    pub calls: Vec<WantedCall>,
    /// Why it stopped.
    pub stop: Stop,
    /// The tokens.
    pub usage: Option<Usage>,
    /// What the provider wants back in later requests.
    pub kept: Option<Value>,
}

/// A call that a model wants.
#[derive(Debug, Clone, PartialEq)]
pub struct WantedCall {
    /// The name of the tool in the request.
    pub name: String,
    /// The arguments: an object, or a text that is not JSON.
    pub arguments: Value,
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stop {
    /// It has said everything.
    #[default]
    Finished,
    /// It wants to call tools.
    Calls,
    /// The limit of tokens was reached.
    MaxTokens,
    /// The provider or the model refused. Its words, if it has any.
    Filtered(String),
    /// Another reason, in the word of the provider: the response is of no use.
    Other(String),
    /// The provider gave no reason: the response may be incomplete.
    Missing,
}

/// The tokens of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the response.
    pub output: u64,
    /// Those tokens of the request that the provider had in its cache.
    pub cached: u64,
}

/// What a million tokens cost, in one currency.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// A million tokens of requests.
    pub input: f64,
    /// A million tokens of requests that were in the provider's cache.
    pub cached: f64,
    /// A million tokens of responses.
    pub output: f64,
    /// The currency, such as `USD`.
    pub currency: String,
}

#[cfg(feature = "remote")]
impl Usage {
    /// The tokens that a provider has counted; `None` if it has counted none.
    pub(super) fn from_counts(
        input: Option<u64>,
        output: Option<u64>,
        cached: Option<u64>,
    ) -> Option<Self> {
        (input.is_some() || output.is_some()).then(|| Self {
            input: input.unwrap_or_default(),
            output: output.unwrap_or_default(),
            cached: cached.unwrap_or_default(),
        })
    }
}

#[cfg(feature = "remote")]
impl Image {
    /// The bytes in Base64.
    pub(super) fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }
}

impl Price {
    /// The cost of a response.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no response has 2^52 tokens")]
    pub fn cost(&self, usage: Usage) -> f64 {
        let fresh = usage.input.saturating_sub(usage.cached);
        (fresh as f64 * self.input
            + usage.cached as f64 * self.cached
            + usage.output as f64 * self.output)
            / 1e6
    }
}

/// Why a model does not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What happened, without keys.
    pub message: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// The status of the provider's answer, if it is one of HTTP.
    pub status: Option<u16>,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
}

impl ModelError {
    /// An error that stays.
    #[must_use]
    pub fn permanent(message: impl Into<String>) -> Self {
        Self { message: message.into(), retryable: false, status: None, retry_after: None }
    }

    /// An error that may pass.
    #[must_use]
    pub fn transient(message: impl Into<String>) -> Self {
        Self { message: message.into(), retryable: true, status: None, retry_after: None }
    }
}
