//! Errors of HTTP.

use std::io;

use reqwest::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpError,
};
use toolwrit_text::shorten::visible_line;

use super::header;
use crate::model::NoToken;

/// Why a request failed.
pub(super) type HttpError = StreamableHttpError<reqwest::Error>;

/// Characters of a response that are repeated.
const MOST_SAID: usize = 300;

/// Bytes of a body that is only repeated in part.
const START: usize = 4096;

/// A response that is no answer of MCP.
#[derive(Debug, thiserror::Error)]
#[error("HTTP {status}: {said}")]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) retry_after: Option<String>,
    /// Where a redirect leads that is not followed, or what the body says.
    said: String,
}

impl Refusal {
    /// What the head of a response says.
    pub(super) fn of(response: &Response) -> Self {
        let status = response.status();
        let location = header(response, LOCATION).filter(|_| status.is_redirection());
        let said = match (location, header(response, CONTENT_TYPE)) {
            (Some(address), _) => {
                let whole = response.url().join(&address).map_or(address, |url| url.to_string());
                let address = visible_line(&whole, MOST_SAID);
                format!("it redirects to {address}; set `url` to where the server is")
            }
            (None, Some(media_type)) if status.is_success() => {
                format!("no answer of MCP, but {}", visible_line(&media_type, MOST_SAID))
            }
            (None, _) => String::new(),
        };
        Self { status, retry_after: header(response, RETRY_AFTER), said }
    }

    /// The same with the text of the body.
    pub(super) fn saying(mut self, body: &str) -> Self {
        let body = visible_line(body.trim(), MOST_SAID);
        self.said = match (self.said.is_empty(), body.is_empty()) {
            (true, true) => "the body is empty".to_owned(),
            (true, false) => body,
            (false, true) => self.said,
            (false, false) => format!("{}: {body}", self.said),
        };
        self
    }

    /// Reads the begin of the body.
    pub(super) async fn read(response: Response) -> Self {
        let refusal = Self::of(&response);
        refusal.saying(&start(response).await)
    }
}

impl From<Refusal> for HttpError {
    fn from(refusal: Refusal) -> Self {
        Self::Io(io::Error::other(refusal))
    }
}

/// The begin of a body, as far as it can be read.
async fn start(mut response: Response) -> String {
    let mut body = Vec::new();
    while let (true, Ok(Some(bytes))) = (body.len() < START, response.chunk().await) {
        body.extend_from_slice(&bytes);
    }
    String::from_utf8_lossy(&body[..body.len().min(START)]).into_owned()
}

/// Returns a response that is not about the credentials or the rate.
pub(super) fn checked(response: Response) -> Result<Response, HttpError> {
    let challenge = header(&response, WWW_AUTHENTICATE);
    match (response.status(), challenge) {
        (StatusCode::UNAUTHORIZED, challenge) => {
            Err(HttpError::AuthRequired(AuthRequiredError::new(challenge.unwrap_or_default())))
        }
        (StatusCode::FORBIDDEN, Some(challenge)) => {
            let wanted = wanted_scope(&challenge);
            Err(HttpError::InsufficientScope(InsufficientScopeError::new(challenge, wanted)))
        }
        (StatusCode::TOO_MANY_REQUESTS, _) => Err(Refusal::of(&response).into()),
        _ => Ok(response),
    }
}

/// The scopes that a challenge names (RFC 6750, section 3).
fn wanted_scope(challenge: &str) -> Option<String> {
    let (_, value) = challenge.split_once("scope=")?;
    let scope = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split([',', ' ']).next(),
    };
    scope.map(str::to_owned)
}

pub(super) fn unissued(why: NoToken) -> HttpError {
    HttpError::Io(io::Error::other(why))
}
