//! Errors of HTTP.

use std::io;

use reqwest::StatusCode;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, StreamableHttpError,
};

use crate::model::NoToken;

/// Why a request failed.
pub(super) type HttpError = StreamableHttpError<reqwest::Error>;

/// Whether a message was accepted. What is in the answer does not matter.
pub(super) fn accepted(response: &reqwest::Response) -> Result<(), HttpError> {
    let status = response.status();
    let header = |name: &str| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
    match status {
        _ if status.is_success() => Ok(()),
        StatusCode::UNAUTHORIZED => Err(refused(header("www-authenticate").unwrap_or_default())),
        StatusCode::TOO_MANY_REQUESTS => {
            Err(HttpStatusError::new(status.as_u16(), header("retry-after")).into())
        }
        _ if status.is_server_error() => {
            Err(HttpStatusError::new(status.as_u16(), header("retry-after")).into())
        }
        _ => Err(HttpError::UnexpectedServerResponse(format!("HTTP {status}").into())),
    }
}

pub(super) fn refused(challenge: String) -> HttpError {
    HttpError::AuthRequired(AuthRequiredError::new(challenge))
}

/// A refusal without the header that says how to authorize is one, too.
pub(super) fn challenged(error: HttpError) -> HttpError {
    match error {
        HttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 401") => {
            refused(String::new())
        }
        error => error,
    }
}

pub(super) fn unissued(why: NoToken) -> HttpError {
    HttpError::Io(io::Error::other(why))
}
