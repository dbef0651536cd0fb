//! Sends requests with the credentials of an upstream. A request whose token is refused is sent once more with another
//! token: a server that refuses a request has not carried it out.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{StatusCode, Url};
use rmcp::RoleClient;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, StreamableHttpClient, StreamableHttpClientTransportConfig,
    StreamableHttpError, StreamableHttpPostResponse,
};
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use secrecy::{ExposeSecret as _, SecretString};

use super::list::overheard;
use super::reach::Reach;
use super::{MAX_MESSAGE, SseEvents};
use crate::model::{NoToken, Remote, TokenSource};
use crate::whole::{self, WholeList};

/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(10);
/// Requests in flight at a time.
const REQUESTS: usize = 64;

/// Why a request failed.
pub(super) type HttpError = StreamableHttpError<reqwest::Error>;
pub(super) type Headers = HashMap<HeaderName, HeaderValue>;

/// Sends requests to an upstream.
#[derive(Clone)]
pub(in crate::connection) struct Client {
    http: reqwest::Client,
    url: Url,
    tokens: Option<Arc<dyn TokenSource>>,
    whole: WholeList,
}

impl Client {
    /// Connects to nothing yet.
    ///
    /// # Errors
    /// What is wrong with the address or a header.
    pub(in crate::connection) fn new(remote: &Remote, whole: WholeList) -> Result<Self, String> {
        // Fails if the author's program has chosen another one, which then serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url =
            Url::parse(&remote.url).map_err(|error| format!("The address is wrong: {error}."))?;
        let reach = Reach::new(&remote.networks, &url);
        reach.check(&url)?;
        let http = reqwest::Client::builder()
            .default_headers(headers(remote)?)
            .redirect(Policy::none())
            .referer(false)
            // A proxy would resolve the name again.
            .no_proxy()
            .connect_timeout(CONNECTING)
            .dns_resolver(Arc::new(reach))
            .build()
            .map_err(|error| format!("TLS cannot be set up: {error}."))?;
        Ok(Self { http, url, tokens: remote.tokens.clone(), whole })
    }

    /// A connection over streamable HTTP.
    pub(in crate::connection) fn streamable(self) -> impl Transport<RoleClient> + use<> {
        let config = StreamableHttpClientTransportConfig::with_uri(self.url.as_str())
            .max_concurrent_requests(REQUESTS)
            .reinit_on_expired_session(true);
        StreamableHttpClientTransport::with_client(self, config)
    }

    pub(super) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// The list of tools that its connection waits for.
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
            let request = self.http.post(url.clone()).json(message);
            let request = match token {
                Some(token) => request.bearer_auth(token),
                None => request,
            };
            async move { accepted(&request.send().await.map_err(HttpError::Client)?) }
        })
        .await
    }

    /// Sends a request with a token if there are any, and once more with another one if the token is refused.
    async fn authorized<T, F>(&self, send: impl Fn(Option<String>) -> F) -> Result<T, HttpError>
    where
        F: Future<Output = Result<T, HttpError>>,
    {
        let Some(tokens) = &self.tokens else { return send(None).await.map_err(challenged) };
        let text = |token: &SecretString| Some(token.expose_secret().to_owned());
        let token = tokens.token().await.map_err(unissued)?;
        match send(text(&token)).await.map_err(challenged) {
            Err(HttpError::AuthRequired(_)) => {
                tokens.forget(&token).await;
                let token = tokens.token().await.map_err(unissued)?;
                send(text(&token)).await.map_err(challenged)
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

/// Whether a message was accepted. What is in the answer does not matter.
fn accepted(response: &reqwest::Response) -> Result<(), HttpError> {
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
fn challenged(error: HttpError) -> HttpError {
    match error {
        HttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 401") => {
            refused(String::new())
        }
        error => error,
    }
}

fn unissued(why: NoToken) -> HttpError {
    HttpError::Io(io::Error::other(why))
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
        most: usize,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        self.authorized(async |token| {
            let (session, headers) = (session.clone(), headers.clone());
            if whole::request(&message).is_some()
                && let Some(list) = self
                    .post_list(&uri, &message, session.as_deref(), token.clone(), headers.clone())
                    .await?
            {
                return Ok(list);
            }
            let (uri, message) = (uri.clone(), message.clone());
            self.http
                .post_message_with_max_sse_event_size(uri, message, session, token, headers, most)
                .await
        })
        .await
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
        most: usize,
    ) -> Result<SseEvents, HttpError> {
        let events = self.authorized(|token| {
            let (uri, session, last) = (uri.clone(), session.clone(), last.clone());
            let headers = headers.clone();
            self.http.get_stream_with_max_sse_event_size(uri, session, last, token, headers, most)
        });
        Ok(overheard(events.await?, self.whole.clone()))
    }
}
