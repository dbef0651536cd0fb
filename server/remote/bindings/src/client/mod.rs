//! Sends requests to one origin, and to addresses of it that may be reached.

mod credential;
mod failed;
mod resolver;

use std::sync::Arc;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::multipart::{Form, Part};
use reqwest::redirect::Policy;
use reqwest::{Certificate, RequestBuilder, Url};
use serde_json::Value;
use toolwrit_text::Secrets;

use crate::failure::{Failure, Result};
use crate::model::Code;
use crate::options::ConnectionOptions;
use crate::render::{Rendered, RenderedBody, RenderedContent};
use crate::wanted::{MAX_VALUES, TooMany, Wanted};
pub(crate) use credential::Credential;
use resolver::{Reach, SystemNames};

const USER_AGENT: &str =
    concat!("toolwrit/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")");
/// Other types are answers of servers that fail, or results that are text.
const ACCEPTED: &str = "application/json, */*;q=0.5";
/// Size limit of an answer, in bytes, after decompression.
pub(crate) const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Sends requests to one origin.
pub(crate) struct Client {
    http: reqwest::Client,
    origin: Url,
    provider: String,
}

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// What no result and no failure may repeat of it.
    pub(crate) secrets: Secrets,
    body: Vec<u8>,
    json: Option<Value>,
}

impl Received {
    /// Returns a header as text; `None` if there is none or it is not ASCII.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Whether there is no content. 204 and 205 never have any: RFC 9110, sections 15.3.5 and 15.3.6.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self.status, 204 | 205) || self.body.trim_ascii().is_empty()
    }

    /// Returns the body as text; `None` if it is not UTF-8.
    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.body).ok()
    }

    /// Returns what is wanted of the body as JSON, which is null if it is empty; `None` if it is not JSON.
    pub(crate) fn json(&self) -> Option<&Value> {
        self.json.as_ref()
    }
}

impl Client {
    /// Connects to nothing yet.
    ///
    /// # Errors
    /// If the URL leads to an address that may not be reached, or the certificates cannot be used.
    pub(crate) fn new(provider: &str, url: &Url, options: &ConnectionOptions) -> Result<Self> {
        Self::resolving(provider, url, options, Arc::new(SystemNames))
    }

    fn resolving(
        provider: &str,
        url: &Url,
        options: &ConnectionOptions,
        names: Arc<dyn reqwest::dns::Resolve>,
    ) -> Result<Self> {
        // Fails if the author's program has chosen another one, which then serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let reach = Reach::new(url, &options.networks);
        reach.check_literal(url).map_err(|forbidden| failed::forbidden(provider, &forbidden))?;
        let mut builder = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .redirect(Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            // A proxy would resolve the name again.
            .no_proxy()
            .connect_timeout(options.connect_timeout)
            .dns_resolver(reach.resolver(names));
        if let Some(pem) = &options.certificates {
            let unusable = |error: &dyn std::fmt::Display| {
                Failure::unavailable(format!(
                    "The certificates for {provider} cannot be used: {error}."
                ))
                .hinting("The file must contain certificates in PEM.")
            };
            let certificates =
                Certificate::from_pem_bundle(pem).map_err(|error| unusable(&error))?;
            if certificates.is_empty() {
                return Err(unusable(&"there is none"));
            }
            builder = builder.tls_certs_merge(certificates);
        }
        let http = builder.build().map_err(|error| {
            Failure::unavailable(format!("TLS cannot be set up for {provider}: {error}."))
        })?;
        Ok(Self { http, origin: url.clone(), provider: provider.to_owned() })
    }

    /// Sends a request, and reads the whole answer, whatever its status.
    ///
    /// # Errors
    /// `UPSTREAM_ERROR` if there is no answer, `RESULT_TOO_LARGE` if it is too large, or has too much that is wanted. The
    /// failure says whether the request may have been received.
    pub(crate) async fn send(
        &self,
        rendered: &Rendered,
        credential: &Credential,
        wanted: &Wanted<'_>,
    ) -> Result<Received> {
        let mut url = rendered.url.clone();
        // Nothing but a mistake in this crate leads elsewhere.
        if url.origin() != self.origin.origin() {
            return Err(Failure::defect("a request would leave the host of the API"));
        }
        let mut headers = rendered.headers.clone();
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static(ACCEPTED));
        credential.apply(&mut url, &mut headers)?;
        let method = reqwest::Method::from_bytes(rendered.method.as_str().as_bytes());
        let method = method.map_err(|_| Failure::defect("the method is unknown"))?;
        let request = self.http.request(method, url).headers(headers);
        let request = with_body(request, &rendered.body)?;
        let response =
            request.send().await.map_err(|error| failed::failure(&self.provider, &error))?;
        self.read(response, wanted).await
    }

    async fn read(&self, mut response: reqwest::Response, wanted: &Wanted<'_>) -> Result<Received> {
        let status = response.status().as_u16();
        let headers = std::mem::take(response.headers_mut());
        let mut body = Vec::new();
        while let Some(piece) = response
            .chunk()
            .await
            .map_err(|error| failed::failure(&self.provider, &error).sent())?
        {
            if body.len() + piece.len() > MAX_BYTES {
                return Err(self.too_large(&format!("is larger than {MAX_BYTES} bytes")));
            }
            body.extend_from_slice(&piece);
        }
        let json = json(&body, wanted).map_err(|TooMany| {
            self.too_large(&format!("has more than {MAX_VALUES} values that are needed"))
        })?;
        let secrets = Secrets::default();
        Ok(Received { status, headers, secrets, body, json })
    }

    fn too_large(&self, how: &str) -> Box<Failure> {
        let message = format!("The answer of {} {how}.", self.provider);
        Failure::new(Code::ResultTooLarge, message)
            .hinting("Ask for fewer items, or for a part.")
            .sent()
    }
}

/// Reads what is wanted of a body, which is text in UTF-8 if it is JSON.
fn json(body: &[u8], wanted: &Wanted<'_>) -> std::result::Result<Option<Value>, TooMany> {
    let Ok(text) = std::str::from_utf8(body) else { return Ok(None) };
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_ascii().is_empty() { Ok(Some(Value::Null)) } else { wanted.read(text) }
}

fn with_body(request: RequestBuilder, body: &RenderedBody) -> Result<RequestBuilder> {
    Ok(match body {
        RenderedBody::None => request,
        RenderedBody::Json { media_type, value, numbers } => {
            request.header(CONTENT_TYPE, media_type.clone()).body(numbers.to_json(value))
        }
        RenderedBody::Bytes { media_type, bytes } => {
            request.header(CONTENT_TYPE, media_type.clone()).body(bytes.clone())
        }
        RenderedBody::Multipart(parts) => {
            let mut form = Form::new();
            for part in parts {
                form = form.part(part.name.clone(), multipart(&part.content)?);
            }
            request.multipart(form)
        }
    })
}

fn multipart(content: &RenderedContent) -> Result<Part> {
    match content {
        RenderedContent::Text(text) => Ok(Part::text(text.clone())),
        RenderedContent::Json(text) => {
            let part = Part::text(text.clone()).mime_str("application/json");
            part.map_err(|_| Failure::defect("JSON has no media type"))
        }
        RenderedContent::File { bytes, file_name, media_type } => {
            let part = Part::bytes(bytes.clone()).file_name(file_name.clone());
            part.mime_str(media_type).map_err(|_| {
                Failure::validation(format!("`{media_type}` is not a media type."))
                    .expecting("a media type, such as image/png")
            })
        }
    }
}
