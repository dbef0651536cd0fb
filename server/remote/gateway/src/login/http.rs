//! The requests of a login. They reach what the upstream may reach, and follow no redirects.

use std::error::Error;
use std::time::Duration;

use futures::future::BoxFuture;
use oauth2::http::Response;
use oauth2::{AsyncHttpClient, HttpRequest, HttpResponse};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest};
use toolwrit_upstreams::{Network, http_client};

/// How long a request may take.
const TIME: Duration = Duration::from_secs(30);
/// Size limit of an answer, in bytes.
const MAX_ANSWER: usize = 1024 * 1024;

/// Sends the requests of a login.
#[derive(Debug, Clone)]
pub(super) struct Http {
    networks: Vec<Network>,
}

/// Why there is no answer, without a full stop. It repeats no address, which may have a secret.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct HttpError(String);

impl From<reqwest::Error> for HttpError {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        let mut cause: &dyn Error = &error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        Self(cause.to_string())
    }
}

impl Http {
    pub(super) fn new(networks: &[Network]) -> Self {
        Self { networks: networks.to_owned() }
    }

    pub(super) async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let mut request = reqwest::Request::try_from(request)?;
        *request.timeout_mut() = Some(TIME);
        let (url, none) = (request.url(), Policy::none());
        let client = http_client(url, &self.networks, HeaderMap::new(), none).map_err(HttpError)?;
        let mut response = client.execute(request).await?;
        let mut answer = Response::builder().status(response.status());
        for (name, value) in response.headers() {
            answer = answer.header(name, value);
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await? {
            if body.len() + piece.len() > MAX_ANSWER {
                return Err(HttpError("the answer is larger than 1 MiB".to_owned()));
            }
            body.extend_from_slice(&piece);
        }
        answer.body(body).map_err(|error| HttpError(error.to_string()))
    }
}

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = HttpError;
    type Future = BoxFuture<'c, Result<HttpResponse, HttpError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}

impl OAuthHttpClient for Http {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async { Ok(self.send(request.request).await?) })
    }
}
