//! Sends requests with the credentials of an upstream. A request whose token is refused is sent once more with another
//! token: a server that refuses a request has not carried it out.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{IntoUrl, RequestBuilder, Url};
use rmcp::RoleClient;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpPostResponse,
};
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use secrecy::{ExposeSecret as _, SecretString};
use toolwrit_text::Secrets;

use super::answer::{readable, readable_events};
use super::error::{HttpError, accepted, challenged, unissued};
use super::list::{self, overheard};
use super::reach::Reach;
use super::{Headers, MAX_MESSAGE, SseEvents};
use crate::model::{Remote, TokenSource};
use crate::whole::{self, WholeList};

/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(10);
/// Requests in flight at a time.
const REQUESTS: usize = 64;

/// Sends requests to an upstream.
#[derive(Clone)]
pub(in crate::connection) struct Client {
    http: reqwest::Client,
    url: Url,
    tokens: Option<Arc<dyn TokenSource>>,
    whole: WholeList,
    /// Has the tokens that were sent.
    secrets: Secrets,
}

impl Client {
    /// Connects to nothing yet. The tokens that it sends become `secrets`.
    ///
    /// # Errors
    /// What is wrong with the address or a header.
    pub(in crate::connection) fn new(
        remote: &Remote,
        whole: WholeList,
        secrets: Secrets,
    ) -> Result<Self, String> {
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
        Ok(Self { http, url, tokens: remote.tokens.clone(), whole, secrets })
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
            async move { accepted(&request.send().await.map_err(HttpError::Client)?) }
        })
        .await
    }

    fn posting(&self, url: impl IntoUrl, token: Option<String>) -> RequestBuilder {
        let request = self.http.post(url);
        match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Sends a request with a token if there are any, and once more with another one if the token is refused.
    async fn authorized<T, F>(&self, send: impl Fn(Option<String>) -> F) -> Result<T, HttpError>
    where
        F: Future<Output = Result<T, HttpError>>,
    {
        let Some(tokens) = &self.tokens else { return send(None).await.map_err(challenged) };
        let text = |token: &SecretString| {
            self.secrets.add(token);
            Some(token.expose_secret().to_owned())
        };
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
            if whole::request(&message).is_some() {
                let request = self.posting(&*uri, token.clone());
                let (session_id, headers) = (session.as_deref(), headers.clone());
                if let Some(answer) =
                    list::post(request, &message, session_id, headers, &self.whole).await?
                {
                    return Ok(answer);
                }
            }
            let (uri, posted) = (uri.clone(), message.clone());
            let answer = self
                .http
                .post_message_with_max_sse_event_size(uri, posted, session, token, headers, most)
                .await;
            readable(answer, &message)
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
        Ok(readable_events(overheard(events.await?, self.whole.clone())))
    }
}
