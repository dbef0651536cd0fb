//! Why a model does not answer, in the words of its provider where there are any.

use std::error::Error;

use reqwest::{StatusCode, Url};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// Why a model does not answer.
pub(super) enum Failure {
    /// The status of an error, and its body.
    Status(StatusCode, String),
    /// There is no connection, or it ended. The cause.
    Connection(String),
    /// An error in place of the next event: its body.
    Event(String),
    /// What came is no answer of this API.
    Foreign,
    /// The answer is larger than any should be.
    TooLarge(String),
    /// The request has more tokens than the context of the model, at any rate so many.
    TooLong { tokens: u32, context: u32 },
    /// Anything else.
    Other(String),
}

impl Failure {
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::Status(status, _) => Some(status.as_u16()),
            _ => None,
        }
    }

    /// Whether the same request may succeed later.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Status(status, _) => {
                matches!(status.as_u16(), 408 | 425 | 429) || status.is_server_error()
            }
            Self::Connection(_) => true,
            Self::Event(_)
            | Self::Foreign
            | Self::TooLarge(_)
            | Self::TooLong { .. }
            | Self::Other(_) => false,
        }
    }

    /// The failure of the model with this name in the configuration. `key` says where its key is from.
    pub(super) fn sentence(&self, model: &str, base: &Url, key: &str) -> String {
        match self {
            Self::Status(status, body) => {
                let text = error_text(body);
                let remedy = match *status {
                    StatusCode::UNAUTHORIZED => format!(". {key}"),
                    _ if text.contains("not support tool") => {
                        ". `chat-tools: []` in the note offers it none".to_owned()
                    }
                    _ => String::new(),
                };
                format!("the model {model} answered {status}: {text}{remedy}")
            }
            Self::Connection(cause) => {
                format!("the model {model} cannot be reached at {base}: {cause}")
            }
            Self::Event(body) => {
                format!("the model {model} answered an error: {}", error_text(body))
            }
            Self::Foreign => format!(
                "what {base} answers is not the API of the model {model}. Check its `base_url` and its `dialect`."
            ),
            Self::TooLarge(limit) => format!("the answer of the model {model} is refused: {limit}"),
            Self::TooLong { tokens, context } => format!(
                "the conversation has some {tokens} tokens or more, and the context of the model {model} is {context}. Begin a \
                 new one with a line `> [!new-chat]`, or offer fewer tools with `chat-tools`."
            ),
            Self::Other(message) => format!("the model {model} does not answer: {message}"),
        }
    }
}

/// Whether a piece of an answer is an error.
pub(super) fn is_error(piece: &str) -> bool {
    #[derive(Deserialize)]
    struct Piece {
        error: Option<IgnoredAny>,
    }
    piece.contains("\"error\"")
        && serde_json::from_str(piece).is_ok_and(|piece: Piece| piece.error.is_some())
}

/// The first of the causes of an error, which says most.
pub(super) fn root_cause(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.last().map(ToString::to_string).unwrap_or_default()
}

/// What the body of an error says to people.
fn error_text(body: &str) -> String {
    let body = body.trim();
    if body.starts_with('<') {
        return "a page of HTML".to_owned();
    }
    // What is not JSON is shown as it is.
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let value = value.get(0).unwrap_or(&value);
    let pointers = ["/error/message", "/response/error/message", "/error", "/message"];
    let found = pointers.iter().find_map(|pointer| value.pointer(pointer)?.as_str());
    found.unwrap_or(body).trim_end_matches('.').to_owned()
}
