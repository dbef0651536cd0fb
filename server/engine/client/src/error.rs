//! The errors of a connection to a server.

use std::io;
use std::time::Duration;

use rmcp::ServiceError;
use rmcp::service::ClientInitializeError;
use serde_json::Value;
use toolwrit_text::shorten;

/// Characters of an unexpected answer that the message shows.
const SHOWN: usize = 200;

/// Why a server could not be reached or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The program did not start.
    #[error("the server does not start: {0}")]
    Start(io::Error),
    /// The server did not complete initialization.
    #[error("cannot initialize the connection: {0}")]
    Connect(String),
    /// The server did not answer in time.
    #[error("the server did not answer within {0:?}")]
    Timeout(Duration),
    /// The server answered with a JSON-RPC error or an unexpected result, or disconnected.
    #[error("`{method}` failed: {reason}")]
    Request {
        /// The MCP method.
        method: &'static str,
        /// The error.
        reason: String,
    },
    /// A tool returned a result of an unexpected shape.
    #[error("the tool `{tool}` returned an unexpected result: {answer}")]
    Unexpected {
        /// The tool that was called.
        tool: String,
        /// The beginning of the answer.
        answer: String,
    },
}

impl ClientError {
    pub(super) fn unexpected(tool: &str, answer: &Value) -> Self {
        let answer = shorten::start(&answer.to_string(), SHOWN);
        Self::Unexpected { tool: tool.to_owned(), answer }
    }

    pub(super) fn request(method: &'static str, error: &ServiceError) -> Self {
        match error {
            ServiceError::Timeout { timeout } => Self::Timeout(*timeout),
            error => Self::Request { method, reason: error.to_string() },
        }
    }
}

impl From<ClientInitializeError> for ClientError {
    fn from(error: ClientInitializeError) -> Self {
        Self::Connect(error.to_string())
    }
}
