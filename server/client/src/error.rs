//! What can go wrong with another server.

use std::io;
use std::time::Duration;

use rmcp::ServiceError;
use rmcp::service::ClientInitializeError;
use serde_json::Value;

/// Characters of an unexpected answer that are shown.
const SHOWN: usize = 200;

/// Why a server could not be reached, or not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The program did not start.
    #[error("the server does not start: {0}")]
    Start(io::Error),
    /// It did not begin as an MCP server does.
    #[error("no MCP server answers: {0}")]
    Connect(String),
    /// It did not answer in time.
    #[error("the server did not answer within {0:?}")]
    Timeout(Duration),
    /// It answered with an error of the protocol, or went away.
    #[error("the server did not do `{method}`: {reason}")]
    Request {
        /// The method of MCP.
        method: &'static str,
        /// What it said.
        reason: String,
    },
    /// It answered with something else.
    #[error("the tool `{tool}` answered with something else than expected: {answer}")]
    Unexpected {
        /// The tool that was called.
        tool: String,
        /// The beginning of the answer.
        answer: String,
    },
}

impl ClientError {
    pub(super) fn unexpected(tool: &str, answer: &Value) -> Self {
        let answer = answer.to_string().chars().take(SHOWN).collect();
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
