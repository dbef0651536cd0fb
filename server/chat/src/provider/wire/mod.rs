//! The APIs of models, a file for each: what a request says, and how its answer is read.

mod anthropic;
mod calls;
mod gemini;
pub(super) mod listing;
mod ollama;
mod openai;
mod responses;

use serde::Serialize;
use serde_json::Value;

use super::dialect::Dialect;
use super::failure::Failure;
use super::frames::Framing;
use super::model::{End, Event, Message};
use listing::Listing;

/// An API of models.
pub(super) struct Wire {
    /// The path for a model, below the address of the API.
    pub(super) path: fn(model: &str) -> String,
    /// Headers of every request.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// The header of the key, and what stands before the key in it.
    pub(super) key: (&'static str, &'static str),
    /// How answers are cut.
    pub(super) framing: Framing,
    /// Writes the body of a request, as JSON.
    pub(super) body: fn(Ask<'_>) -> serde_json::Result<Vec<u8>>,
    pub(super) reader: fn() -> Box<dyn ReadAnswer>,
    pub(super) listing: Listing,
}

/// What a request says.
pub(super) struct Ask<'a> {
    pub(super) dialect: Dialect,
    pub(super) model: &'a str,
    /// The most tokens of a response; `None` for the provider's limit.
    pub(super) most_tokens: Option<u32>,
    /// The tokens for which the provider makes room; `None` for its usual number.
    pub(super) context: Option<u32>,
    pub(super) thinks: bool,
    pub(super) messages: Vec<Message>,
    /// The tools as the API wants them; `None` without any.
    pub(super) tools: Option<Value>,
}

pub(super) trait ReadAnswer: Send {
    /// Reads the next piece: the data of an event, or a line. Pushes what it says.
    ///
    /// # Errors
    /// If it is an error of the provider, or no piece of this API.
    fn read(&mut self, piece: &str, heard: &mut Vec<Event>) -> Result<(), Failure>;

    /// The end of an answer whose API has no piece for it; `None` if it is not complete.
    fn finish(&mut self) -> Option<End> {
        None
    }
}

impl Dialect {
    pub(super) fn wire(self) -> &'static Wire {
        match self {
            Self::OpenAiResponses => &responses::WIRE,
            Self::Anthropic => &anthropic::WIRE,
            Self::Gemini => &gemini::WIRE,
            Self::Ollama => &ollama::WIRE,
            Self::OpenAi
            | Self::Azure
            | Self::OpenRouter
            | Self::DeepSeek
            | Self::Grok
            | Self::Mistral => &openai::WIRE,
        }
    }
}

/// A piece of an answer as its type.
fn parse_piece<'a, T: serde::Deserialize<'a>>(piece: &'a str) -> Result<T, Failure> {
    serde_json::from_str(piece).map_err(|_| Failure::Foreign)
}

/// What the provider wants back, from an earlier answer. Another version of the program may have kept something else.
fn read_kept<T: serde::de::DeserializeOwned + Default>(kept: Option<Value>) -> T {
    kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
}

/// What the provider wants back in later requests, if there is anything.
fn to_kept(kept: &impl Serialize, is_anything: bool) -> Option<Value> {
    #[expect(clippy::expect_used, reason = "it has only texts and JSON of the provider")]
    is_anything.then(|| serde_json::to_value(kept).expect("what is kept can be written as JSON"))
}

/// Words, of which some pieces have none.
fn push_words(words: Option<String>, heard: &mut Vec<Event>) {
    heard.extend(words.filter(|words| !words.is_empty()).map(Event::Text));
}

/// Arguments as an object. A text that is not JSON was refused; the result says so.
fn to_object(arguments: Value) -> Value {
    if arguments.is_object() { arguments } else { Value::Object(serde_json::Map::new()) }
}

/// An image as an address that has its bytes (RFC 2397).
fn data_url(media_type: &str, base64: &str) -> String {
    format!("data:{media_type};base64,{base64}")
}
