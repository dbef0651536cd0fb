//! One message to a server over streamable HTTP, and what the response to it is. A request gets its answer, or an error with
//! what the server said, whatever the response has instead of an answer.

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::StreamableHttpPostResponse;
use toolwrit_words::headers::MCP_SESSION;

use super::body::{Reader, body, events};
use super::error::{HttpError, Refusal, checked};
use super::{EVENTS, Headers, JSON, header, is_of, with_headers};
use crate::connection::answer::{answer_to, failed, no_message};
use crate::whole::WholeList;

/// What the response to a message is.
pub(super) enum Posted {
    Answered(StreamableHttpPostResponse),
    /// The request was accepted, and the response has no answer.
    Accepted,
    /// The server does not know the session. It said so with this status, in this error.
    Forgotten(StatusCode, ServerJsonRpcMessage),
}

/// A message with what its request has.
pub(super) struct Posting<'a> {
    pub(super) message: &'a ClientJsonRpcMessage,
    pub(super) session: Option<&'a str>,
    pub(super) headers: Headers,
    pub(super) whole: &'a WholeList,
}

impl Posting<'_> {
    /// Sends the message.
    ///
    /// # Errors
    /// If the response refuses the message, and is no error of MCP.
    pub(super) async fn send(self, request: RequestBuilder) -> Result<Posted, HttpError> {
        let request = request.header(ACCEPT, format!("{EVENTS}, {JSON}"));
        let request = with_headers(request, self.headers, self.session);
        self.whole.sent(self.message);
        let response = request.json(self.message).send().await.map_err(HttpError::Client)?;
        let response = checked(response)?;
        match self.message {
            JsonRpcMessage::Request(request) => {
                let is_probe = matches!(request.request, ClientRequest::DiscoverRequest(_));
                let has_session = self.session.is_some();
                let asked = Asked { id: &request.id, is_probe, has_session, whole: self.whole };
                asked.answer(response).await
            }
            // Nobody waits for an answer.
            _ if response.status().is_success() => {
                Ok(Posted::Answered(StreamableHttpPostResponse::Accepted))
            }
            _ if self.session.is_some() && response.status() == StatusCode::NOT_FOUND => {
                Err(HttpError::SessionExpired)
            }
            _ => Err(Refusal::read(response).await.into()),
        }
    }
}

/// What was asked.
struct Asked<'a> {
    id: &'a RequestId,
    /// Whether it is the revision of MCP. A server of an earlier one may refuse that in any way.
    is_probe: bool,
    has_session: bool,
    whole: &'a WholeList,
}

impl Asked<'_> {
    async fn answer(self, response: Response) -> Result<Posted, HttpError> {
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(Posted::Accepted);
        }
        let session = header(&response, MCP_SESSION);
        let json =
            |answer| Posted::Answered(StreamableHttpPostResponse::Json(answer, session.clone()));
        let media_type = header(&response, CONTENT_TYPE).unwrap_or_default();
        if status.is_success() && is_of(&media_type, EVENTS) {
            let reader = Reader::response(self.id.clone(), self.whole.clone());
            let events = reader.messages(events(response));
            return Ok(Posted::Answered(StreamableHttpPostResponse::Sse(events, session)));
        }
        let refusal = Refusal::of(&response);
        let body = body(response).await?;
        let mut answer = answer_to(self.id, &body);
        if status.is_success()
            && let Some(answer) = answer.take()
        {
            self.whole.heard(&body);
            return Ok(json(answer));
        }
        let said = String::from_utf8_lossy(&body);
        let refusal = refusal.saying(&said);
        if self.has_session && is_about_session(status, &said) {
            let answer = answer.unwrap_or_else(|| failed(self.id.clone(), refusal.to_string()));
            return Ok(Posted::Forgotten(status, answer));
        }
        match answer.filter(is_error) {
            Some(answer) => Ok(json(answer)),
            None if status.is_success() && is_of(&media_type, JSON) => {
                Ok(json(failed(self.id.clone(), no_message(&said))))
            }
            None if self.is_probe && status.is_client_error() => {
                let error = ErrorData::invalid_request(refusal.to_string(), None);
                Ok(json(JsonRpcMessage::error(error, Some(self.id.clone()))))
            }
            None => Err(refusal.into()),
        }
    }
}

fn is_error(answer: &ServerJsonRpcMessage) -> bool {
    matches!(answer, JsonRpcMessage::Error(_))
}

/// Whether a response with this status and body says that the session is not known. MCP has the status 404 for that; some
/// servers have another one, and say so in the body.
fn is_about_session(status: StatusCode, body: &str) -> bool {
    let said = body.to_lowercase();
    let names_it = || said.contains("session") || said.contains("initiali");
    status == StatusCode::NOT_FOUND || (status.is_client_error() && names_it())
}
