//! Sends requests with the credentials of an upstream. A request whose token is refused is sent once more with another
//! token: a server that refuses a request has not carried it out.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{IntoUrl, RequestBuilder, StatusCode, Url};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpPostResponse,
};
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use secrecy::{ExposeSecret as _, SecretString};
use toolwrit_text::Secrets;

use super::body::{Reader, events};
use super::error::{HttpError, Refusal, checked, unissued};
use super::post::{Posted, Posting};
use super::reach::http_client;
use super::sessions::Sessions;
use super::{EVENTS, Headers, MAX_MESSAGE, SseEvents, header, is_of, with_headers};
use crate::connection::answer::failed;
use crate::connection::renewals::Renewals;
use crate::model::{Remote, TokenSource};
use crate::whole::WholeList;

/// Requests in flight at a time.
const REQUESTS: usize = 64;
/// The header with the id of the last event of a stream that is continued.
const LAST_EVENT: &str = "last-event-id";
/// Redirects of one request.
const REDIRECTS: usize = 3;
/// How long the answer to a request that was only accepted may take to come on the stream of the session.
const ELSEWHERE: Duration = Duration::from_secs(5);

/// Sends requests to an upstream.
#[derive(Clone)]
pub(in crate::connection) struct Client {
    http: reqwest::Client,
    url: Url,
    tokens: Option<Arc<dyn TokenSource>>,
    whole: WholeList,
    /// Has the tokens that were sent.
    secrets: Secrets,
    sessions: Sessions,
}

impl Client {
    /// Connects to nothing yet. The tokens that it sends become `secrets`.
    ///
    /// # Errors
    /// What is wrong with the address or a header.
    pub(in crate::connection) fn new(
        remote: &Remote,
        whole: WholeList,
        renewals: Renewals,
        secrets: Secrets,
    ) -> Result<Self, String> {
        let url =
            Url::parse(&remote.url).map_err(|error| format!("The address is wrong: {error}."))?;
        let http = http_client(&url, &remote.networks, headers(remote)?, within_origin())?;
        let tokens = remote.tokens.clone();
        let sessions = Sessions::new(renewals);
        Ok(Self { http, url, tokens, whole, secrets, sessions })
    }

    /// A connection over streamable HTTP.
    pub(in crate::connection) fn streamable(self) -> impl Transport<RoleClient> + use<> {
        let config = StreamableHttpClientTransportConfig::with_uri(self.url.as_str())
            .max_concurrent_requests(REQUESTS)
            .reinit_on_expired_session(true);
        StreamableHttpClientTransport::with_client(self, config)
    }

    /// The list of tools that its connection expects.
    pub(super) fn whole(&self) -> &WholeList {
        &self.whole
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Sends a message to an address of the same server, whose answer comes as an event.
    pub(super) async fn post(
        &self,
        url: &Url,
        message: &ClientJsonRpcMessage,
    ) -> Result<(), HttpError> {
        self.authorized(|token| {
            let request = self.posting(url.clone(), token).json(message);
            async move {
                let response = checked(request.send().await.map_err(HttpError::Client)?)?;
                // What is in the answer does not matter.
                if !response.status().is_success() {
                    return Err(Refusal::read(response).await.into());
                }
                Ok(())
            }
        })
        .await
    }

    fn posting(&self, url: impl IntoUrl, token: Option<String>) -> RequestBuilder {
        bearing(self.http.post(url), token)
    }

    /// The answer to a request that was only accepted. Answers belong into the response, but some servers send them on the
    /// stream of the session.
    async fn accepted(&self, message: &ClientJsonRpcMessage) -> StreamableHttpPostResponse {
        let JsonRpcMessage::Request(request) = message else {
            return StreamableHttpPostResponse::Accepted;
        };
        if self.sessions.has_stream() {
            tokio::time::sleep(ELSEWHERE).await;
        }
        let why = "the server accepted the request, and sent no answer";
        StreamableHttpPostResponse::Json(failed(request.id.clone(), why), None)
    }

    /// Opens a stream of events.
    pub(super) async fn stream(
        &self,
        url: &str,
        session: Option<&str>,
        last: Option<&str>,
        headers: Headers,
    ) -> Result<SseEvents, HttpError> {
        let opened = self.authorized(async |token| {
            let mut request = bearing(self.http.get(url), token).header(ACCEPT, EVENTS);
            if let Some(last) = last {
                request = request.header(LAST_EVENT, last);
            }
            let request = with_headers(request, headers.clone(), session);
            let response = checked(request.send().await.map_err(HttpError::Client)?)?;
            let media_type = header(&response, CONTENT_TYPE).unwrap_or_default();
            match response.status() {
                status if status.is_success() && is_of(&media_type, EVENTS) => Ok(response),
                // It would say the same again.
                status
                    if status.is_success()
                        || status.is_client_error()
                        || status == StatusCode::NOT_IMPLEMENTED =>
                {
                    Err(HttpError::ServerDoesNotSupportSse)
                }
                _ => Err(Refusal::read(response).await.into()),
            }
        });
        Ok(events(opened.await?))
    }

    /// Sends a request with a token if there are any, and once more with another one if the token is refused.
    async fn authorized<T, F>(&self, send: impl Fn(Option<String>) -> F) -> Result<T, HttpError>
    where
        F: Future<Output = Result<T, HttpError>>,
    {
        let Some(tokens) = &self.tokens else { return send(None).await };
        let text = |token: &SecretString| {
            self.secrets.add(token);
            Some(token.expose_secret().to_owned())
        };
        let token = tokens.token().await.map_err(unissued)?;
        match send(text(&token)).await {
            Err(HttpError::AuthRequired(_)) => {
                tokens.forget(&token).await;
                let token = tokens.token().await.map_err(unissued)?;
                send(text(&token)).await
            }
            answered => answered,
        }
    }
}

fn headers(remote: &Remote) -> Result<HeaderMap, String> {
    let header = |(name, value): (&String, &SecretString)| {
        let key: HeaderName =
            name.parse().map_err(|_| format!("The header name `{name}` is not valid."))?;
        let mut value = HeaderValue::from_str(value.expose_secret())
            .map_err(|_| format!("The value of the header `{name}` is not valid."))?;
        value.set_sensitive(true);
        Ok((key, value))
    };
    remote.headers.iter().map(header).collect()
}

impl StreamableHttpClient for Client {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        self.post_message_with_max_sse_event_size(
            uri,
            message,
            session,
            token,
            headers,
            MAX_MESSAGE,
        )
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
        _: usize,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        if session.as_ref().is_some_and(|session| !self.sessions.admit(session)) {
            return Err(HttpError::SessionExpired);
        }
        let posted = self.authorized(|token| {
            let (headers, whole) = (headers.clone(), &self.whole);
            let posting =
                Posting { message: &message, session: session.as_deref(), headers, whole };
            posting.send(self.posting(&*uri, token))
        });
        let answer = match posted.await? {
            Posted::Answered(answer) => answer,
            Posted::Accepted => self.accepted(&message).await,
            Posted::Forgotten(status, answer) => {
                let end = self.sessions.refused(&message, session.as_ref(), status, answer);
                let answer = end.ok_or(HttpError::SessionExpired)?;
                return Ok(StreamableHttpPostResponse::Json(answer, None));
            }
        };
        self.sessions.answered(&message);
        Ok(answer)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        self.authorized(|token| {
            self.http.delete_session(uri.clone(), session.clone(), token, headers.clone())
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<SseEvents, HttpError> {
        self.get_stream_with_max_sse_event_size(uri, session, last, token, headers, MAX_MESSAGE)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        _: Option<String>,
        headers: Headers,
        _: usize,
    ) -> Result<SseEvents, HttpError> {
        let events = self.stream(&uri, session.as_deref(), last.as_deref(), headers).await?;
        let reader = Reader::stream(self.sessions.stream(), self.whole.clone());
        Ok(reader.messages(events))
    }
}

/// Follows redirects that keep the request, within the server. Its credentials must not reach another one.
fn within_origin() -> Policy {
    Policy::custom(|attempt| {
        let before = attempt.previous();
        let stays = before.last().is_some_and(|url| url.origin() == attempt.url().origin());
        let keeps = matches!(
            attempt.status(),
            StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
        );
        if stays && keeps && before.len() <= REDIRECTS { attempt.follow() } else { attempt.stop() }
    })
}

fn bearing(request: RequestBuilder, token: Option<String>) -> RequestBuilder {
    match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    }
}
