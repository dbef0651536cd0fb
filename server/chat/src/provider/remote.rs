//! Models behind HTTP APIs.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response, Url};
use tokio::sync::OnceCell;

use super::dialect::Dialect;
use super::failure::{Failure, root_cause};
use super::hearing::Hearing;
use super::model::{Event, Model, ModelError, Price, Request};
use super::plain_reach::PlainReach;
use super::wire::Ask;
use toolwrit_network::Network;

/// Bytes of the answer to a request that failed that are read.
const MOST_OF_ERROR: usize = 64 << 10;

/// A model as the operator configures it.
#[derive(Clone)]
pub struct RemoteModelOptions {
    /// Its name in the configuration.
    pub name: String,
    /// The API.
    pub dialect: Dialect,
    /// The name at the provider.
    pub model: String,
    /// Where the API is; `None` for the provider's own.
    pub base_url: Option<String>,
    /// Networks with private addresses at which it may be without TLS, also with a key.
    pub networks: Vec<Network>,
    /// The key.
    pub key: Option<String>,
    /// The environment variable that has the key, for messages.
    pub key_env: Option<String>,
    /// The most tokens of a response; `None` for the provider's limit.
    pub max_tokens: Option<u32>,
    /// The most tokens of a request with its response; `None` if it is not known.
    pub context: Option<u32>,
    /// Whether the model thinks before it answers. Its thoughts, as far as the provider gives them, go back to it in the next
    /// request. A provider may refuse this for a model that does not think.
    pub thinks: bool,
    /// What tokens cost.
    pub price: Option<Price>,
}

/// A model that cannot be used as it is configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadModel(String);

/// A model behind an HTTP API.
pub struct RemoteModel {
    pub(super) options: RemoteModelOptions,
    pub(super) client: Client,
    /// Where the API is.
    pub(super) base: Url,
    /// The context that the server has described, once it was asked.
    pub(super) context: OnceCell<Option<u32>>,
}

impl RemoteModel {
    /// A model. Connects to nothing yet.
    ///
    /// # Errors
    /// Fails if the address is not one of `https`, or of `http` where nobody else reads what is sent, if it contains
    /// credentials, or if the provider wants a key and there is none.
    pub fn new(options: RemoteModelOptions) -> Result<Self, BadModel> {
        let given = options.base_url.as_deref().or(options.dialect.usual_base());
        let given = given.ok_or_else(|| {
            BadModel(
                "`base_url` is missing. For azure it is https://RESOURCE.openai.azure.com/openai/v1/.".to_owned(),
            )
        })?;
        let reach = PlainReach {
            networks: options.networks.clone().into(),
            is_private_allowed: options.dialect == Dialect::Ollama && options.key.is_none(),
        };
        let base = parse_base(given, &reach)?;
        let is_vendor = options.base_url.is_none() || options.dialect == Dialect::Azure;
        if options.key.is_none() && is_vendor && !is_here(&base) {
            return Err(BadModel(
                "it has no key. Name the environment variable that has its key, as `key_env` in its table.".to_owned(),
            ));
        }
        // Fails if the program has chosen another one, which then serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            // The key goes to no other host.
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(Duration::from_secs(30));
        if base.scheme() == "http" {
            // A proxy is another host, and without TLS it would read everything.
            client = client.no_proxy().dns_resolver(Arc::new(reach));
        }
        let client =
            client.build().map_err(|error| BadModel(format!("TLS cannot be set up: {error}.")))?;
        Ok(Self { options, client, base, context: OnceCell::new() })
    }

    /// Asks for a response. Returns the answer, if it is one of success.
    async fn request(&self, request: Request) -> Result<Response, ModelError> {
        let RemoteModelOptions { dialect, model, max_tokens, thinks, .. } = &self.options;
        let (wire, format) = (dialect.wire(), dialect.tool_format());
        let tools = format
            .describe(&request.tools)
            .map_err(|reason| ModelError::permanent(reason.to_string()))?;
        let ask = Ask {
            dialect: *dialect,
            model,
            most_tokens: *max_tokens,
            context: self.find_context(&request.messages, &tools).await?,
            thinks: *thinks,
            messages: request.messages,
            tools: (!request.tools.is_empty()).then_some(tools),
        };
        let body = (wire.body)(ask)
            .map_err(|error| self.to_model_error(&Failure::Other(error.to_string())))?;
        let url = self.address(&(wire.path)(model))?;
        self.send(self.client.post(url).header(CONTENT_TYPE, "application/json").body(body)).await
    }

    /// An address below that of the API.
    pub(super) fn address(&self, path: &str) -> Result<Url, ModelError> {
        self.base
            .join(path)
            .map_err(|error| self.to_model_error(&Failure::Other(error.to_string())))
    }

    /// Sends a request with the headers of the API and the key. Returns its answer, if it is one of success.
    pub(super) async fn send(&self, mut request: RequestBuilder) -> Result<Response, ModelError> {
        let wire = self.options.dialect.wire();
        for (name, value) in wire.headers {
            request = request.header(*name, *value);
        }
        if let Some(key) = &self.options.key {
            let (name, prefix) = wire.key;
            request = request.header(name, format!("{prefix}{key}"));
        }
        let answer = request.send().await;
        let answer = answer.map_err(|error| self.to_model_error(&connection_failure(&error)))?;
        if answer.status().is_success() { Ok(answer) } else { Err(self.read_error(answer).await) }
    }

    /// The error of an answer with another status.
    async fn read_error(&self, mut answer: Response) -> ModelError {
        let retry_after = answer.headers().get(RETRY_AFTER);
        let seconds: Option<u64> = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
        let mut body = Vec::new();
        // What came until the connection failed may say why.
        while let (true, Ok(Some(bytes))) = (body.len() < MOST_OF_ERROR, answer.chunk().await) {
            body.extend_from_slice(&bytes);
        }
        body.truncate(MOST_OF_ERROR);
        let body = String::from_utf8_lossy(&body).into_owned();
        let failed = self.to_model_error(&Failure::Status(answer.status(), body));
        ModelError { retry_after: seconds.map(Duration::from_secs), ..failed }
    }

    pub(super) fn to_model_error(&self, failure: &Failure) -> ModelError {
        let RemoteModelOptions { name, key_env, .. } = &self.options;
        let key = match key_env {
            Some(variable) => format!("The environment variable {variable} has its key."),
            None => "It has no `key_env`.".to_owned(),
        };
        ModelError {
            message: self.to_visible_line(&failure.sentence(name, &self.base, &key)),
            status: failure.status(),
            retryable: failure.may_pass(),
            retry_after: None,
        }
    }

    /// A message on one line, of bounded length, without the key.
    fn to_visible_line(&self, message: &str) -> String {
        let message = match self.options.key.as_deref().filter(|key| !key.is_empty()) {
            Some(key) => message.replace(key, "(key)"),
            None => message.to_owned(),
        };
        let words: Vec<&str> = message.split_whitespace().collect();
        let line = words.join(" ");
        line[..line.floor_char_boundary(300)].to_owned()
    }
}

impl Model for RemoteModel {
    fn name(&self) -> &str {
        &self.options.name
    }

    fn ask(&self, request: Request) -> BoxStream<'_, Result<Event, ModelError>> {
        let dialect = self.options.dialect;
        stream::once(self.request(request))
            .map_ok(move |answer| {
                stream::try_unfold(
                    (answer, Hearing::new(dialect)),
                    async |(mut answer, mut hearing)| {
                        let event = next_event(&mut answer, &mut hearing).await?;
                        Ok(event.map(|event| (event, (answer, hearing))))
                    },
                )
                .map_err(|failure| self.to_model_error(&failure))
            })
            .try_flatten()
            .boxed()
    }

    fn price(&self) -> Option<Price> {
        self.options.price.clone()
    }
}

/// The next event of an answer; `None` at its end.
async fn next_event(
    answer: &mut Response,
    hearing: &mut Hearing,
) -> Result<Option<Event>, Failure> {
    loop {
        match hearing.next() {
            Some(event) => return event.map(Some),
            None if hearing.is_over() => return Ok(None),
            None => match answer.chunk().await.map_err(|error| connection_failure(&error))? {
                Some(bytes) => hearing.push(&bytes),
                None => hearing.finish(),
            },
        }
    }
}

pub(super) fn connection_failure(error: &reqwest::Error) -> Failure {
    Failure::Connection(root_cause(error))
}

/// Whether an address is on this machine.
fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The address of an API, which ends with `/`.
fn parse_base(text: &str, reach: &PlainReach) -> Result<Url, BadModel> {
    let mut url = Url::parse(text)
        .map_err(|error| BadModel(format!("`base_url` is not an address: {error}.")))?;
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err(BadModel(
            "`base_url` contains credentials or a query. Configure the key by itself.".to_owned(),
        ));
    }
    match url.scheme() {
        "https" => {}
        "http" if reach.may_reach(&url) => {}
        _ => {
            return Err(BadModel(format!(
                "`base_url` is {url}. Expected https; or http on this machine, or in private `networks` that you name, so that \
                 nobody else reads what is sent. A model of ollama without a key may have any private address."
            )));
        }
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}
