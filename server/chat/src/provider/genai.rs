//! Models behind HTTP APIs, through the library genai. No other file names it.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::future;
use futures::stream::{self, BoxStream, StreamExt};
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, ContentPart, MessageContent,
    StopReason, StreamEnd, Tool, ToolCall, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget, webc};
use reqwest::Url;
use reqwest::header::RETRY_AFTER;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dialect::Dialect;
use super::failure::{Failure, Received, root_cause};
use super::{End, Event, Message, Model, ModelError, Price, Request, Stop, Usage, WantedCall};
use crate::dialects::Format;

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
    /// The key.
    pub key: Option<String>,
    /// The environment variable that has the key, for messages.
    pub key_env: Option<String>,
    /// The most tokens of a response; `None` for the provider's limit.
    pub max_tokens: Option<u32>,
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
    name: String,
    dialect: Dialect,
    client: Client,
    target: ServiceTarget,
    options: ChatOptions,
    /// Where the API is.
    base: Url,
    key: Option<String>,
    key_env: Option<String>,
    price: Option<Price>,
}

impl RemoteModel {
    /// A model. Connects to nothing yet.
    ///
    /// # Errors
    /// Fails if the address is not one of `https`, or of `http` on this machine, if it contains credentials, or if the
    /// provider wants a key and there is none.
    pub fn new(options: RemoteModelOptions) -> Result<Self, BadModel> {
        let given = options.base_url.as_deref().or(options.dialect.usual_base());
        let base = base(given.ok_or_else(|| {
            BadModel(
                "`base_url` is missing. For azure it is https://RESOURCE.openai.azure.com/openai/v1/.".to_owned(),
            )
        })?)?;
        let is_vendor = options.base_url.is_none() || options.dialect == Dialect::Azure;
        if options.key.is_none() && is_vendor && !is_here(&base) {
            return Err(BadModel(
                "it has no key. Name the environment variable that has its key, as `key_env` in its table.".to_owned(),
            ));
        }
        // Fails if the program has chosen another one, which then serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut http = reqwest::Client::builder()
            // The key goes to no other host.
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(Duration::from_secs(30));
        if is_here(&base) {
            // A proxy is another host, and without TLS it would read everything.
            http = http.no_proxy();
        }
        let http =
            http.build().map_err(|error| BadModel(format!("TLS cannot be set up: {error}.")))?;
        let client = Client::builder().with_reqwest(http).build().map_err(|error| {
            BadModel(format!("the model {} cannot be used: {error}.", options.name))
        })?;
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(base.to_string()),
            // Servers on this machine often want none, and the library wants one.
            auth: AuthData::from_single(options.key.clone().unwrap_or_else(|| "none".to_owned())),
            model: ModelIden::new(adapter(options.dialect), options.model),
        };
        let mut chat = ChatOptions::default()
            .with_capture_content(true)
            .with_capture_tool_calls(true)
            .with_capture_reasoning_content(options.thinks)
            .with_capture_usage(options.dialect.counts_tokens());
        if let Some(most) = options.max_tokens {
            chat = chat.with_max_tokens(most);
        }
        Ok(Self {
            name: options.name,
            dialect: options.dialect,
            client,
            target,
            options: chat,
            base,
            key: options.key,
            key_env: options.key_env,
            price: options.price,
        })
    }

    fn error(&self, error: &genai::Error) -> ModelError {
        // An answer that is no stream is an error within the error of the stream.
        let error = match error {
            genai::Error::WebStream { error: inner, .. } => inner.downcast_ref().unwrap_or(error),
            error => error,
        };
        let seconds: Option<u64> = error
            .headers()
            .and_then(|headers| headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok());
        let retry_after = seconds.map(Duration::from_secs);
        ModelError { retry_after, ..self.failed(&failure(error)) }
    }

    fn failed(&self, failure: &Failure) -> ModelError {
        let key = match &self.key_env {
            Some(variable) => format!("The environment variable {variable} has its key."),
            None => "It has no `key_env`.".to_owned(),
        };
        ModelError {
            message: self.visible(&failure.sentence(&self.name, &self.base, &key)),
            status: failure.status(),
            retryable: failure.may_pass(),
            retry_after: None,
        }
    }

    /// A message on one line, of bounded length, without the key.
    fn visible(&self, message: &str) -> String {
        let message = match self.key.as_deref().filter(|key| !key.is_empty()) {
            Some(key) => message.replace(key, "(key)"),
            None => message.to_owned(),
        };
        let words: Vec<&str> = message.split_whitespace().collect();
        let line = words.join(" ");
        line[..line.floor_char_boundary(300)].to_owned()
    }

    fn event(&self, event: genai::Result<ChatStreamEvent>) -> Result<Event, ModelError> {
        Ok(match event.map_err(|error| self.error(&error))? {
            ChatStreamEvent::Chunk(chunk) => Event::Text(chunk.content),
            ChatStreamEvent::End(end) => Event::End(ended(end)),
            _ => Event::Alive,
        })
    }
}

impl Model for RemoteModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask(&self, request: Request) -> BoxStream<'_, Result<Event, ModelError>> {
        let format = self.dialect.format();
        if let Err(reason) = format.check(&request.tools) {
            return stream::iter([Err(ModelError::permanent(reason.to_string()))]).boxed();
        }
        let request = chat_request(request, format);
        let received = Arc::new(Mutex::new(Received::default()));
        let kept = Arc::clone(&received);
        let options =
            self.options.clone().with_raw_frame_fn(move |_, frame| locked(&kept).frame(frame.data));
        let asked = async move {
            self.client.exec_chat_stream(self.target.clone(), request, Some(&options)).await
        };
        stream::once(asked)
            .flat_map(move |answer| match answer {
                Ok(answer) => {
                    let received = Arc::clone(&received);
                    // The library passes over some errors, and over what is no stream of events.
                    let failed = future::lazy(move |_| {
                        locked(&received).failure().map(|failure| Err(self.failed(&failure)))
                    });
                    let failed = stream::once(failed).filter_map(future::ready);
                    answer.stream.map(move |event| self.event(event)).chain(failed).boxed()
                }
                Err(error) => stream::iter([Err(self.error(&error))]).boxed(),
            })
            .boxed()
    }

    fn price(&self) -> Option<Price> {
        self.price.clone()
    }
}

fn locked(received: &Mutex<Received>) -> MutexGuard<'_, Received> {
    received.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failure(error: &genai::Error) -> Failure {
    match error {
        genai::Error::HttpError { status, body, .. }
        | genai::Error::WebModelCall {
            webc_error: webc::Error::ResponseFailedStatus { status, body, .. },
            ..
        } => Failure::Status(*status, body.clone()),
        genai::Error::WebModelCall { webc_error: webc::Error::Reqwest(error), .. } => {
            Failure::Connection(root_cause(error))
        }
        genai::Error::WebStream { error, .. } => Failure::Connection(root_cause(error.as_ref())),
        genai::Error::ChatResponse { body, .. } => Failure::Event(body.to_string()),
        genai::Error::StreamParse { .. } => Failure::Foreign,
        error => Failure::Other(error.to_string()),
    }
}

fn adapter(dialect: Dialect) -> AdapterKind {
    match dialect {
        Dialect::OpenAi | Dialect::Azure => AdapterKind::OpenAI,
        Dialect::OpenAiResponses => AdapterKind::OpenAIResp,
        Dialect::Anthropic => AdapterKind::Anthropic,
        Dialect::Gemini => AdapterKind::Gemini,
        Dialect::Ollama => AdapterKind::Ollama,
        Dialect::OpenRouter => AdapterKind::OpenRouter,
        Dialect::DeepSeek => AdapterKind::DeepSeek,
        Dialect::Grok => AdapterKind::Xai,
        Dialect::Mistral => AdapterKind::Mistral,
    }
}

/// Whether an address is on this machine.
fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The address of an API, which ends with `/`.
fn base(text: &str) -> Result<Url, BadModel> {
    let mut url = Url::parse(text)
        .map_err(|error| BadModel(format!("`base_url` is not an address: {error}.")))?;
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err(BadModel(
            "`base_url` contains credentials or a query. Configure the key by itself.".to_owned(),
        ));
    }
    match url.scheme() {
        "https" => {}
        "http" if is_here(&url) => {}
        _ => {
            return Err(BadModel(format!(
                "`base_url` is {url}. Expected https, or http on this machine, so that nobody reads the key."
            )));
        }
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}

/// What a provider wants back: parts that are neither words nor calls, and the signatures of the calls in their order.
#[derive(Serialize, Deserialize, Default)]
struct Kept {
    parts: Vec<ContentPart>,
    signatures: Vec<Option<Vec<String>>>,
}

fn ended(end: StreamEnd) -> End {
    let stop = match end.captured_stop_reason {
        Some(StopReason::Completed(_) | StopReason::StopSequence(_)) => Stop::Finished,
        Some(StopReason::ToolCall(_)) => Stop::Calls,
        Some(StopReason::MaxTokens(_)) => Stop::MaxTokens,
        Some(StopReason::ContentFilter(_)) => Stop::Filtered,
        Some(StopReason::Other(_)) | None => Stop::Missing,
    };
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok());
    let usage = end.captured_usage.and_then(|usage| {
        let cached =
            usage.prompt_tokens_details.as_ref().and_then(|details| count(details.cached_tokens));
        let (input, output) = (count(usage.prompt_tokens), count(usage.completion_tokens));
        (input.is_some() || output.is_some()).then(|| Usage {
            input: input.unwrap_or_default(),
            output: output.unwrap_or_default(),
            cached: cached.unwrap_or_default(),
        })
    });
    let mut kept = Kept::default();
    let mut calls = Vec::new();
    for part in end.captured_content.map(MessageContent::into_parts).unwrap_or_default() {
        match part {
            ContentPart::ToolCall(call) => {
                kept.signatures.push(call.thought_signatures);
                calls.push(WantedCall {
                    name: call.fn_name,
                    arguments: arguments(call.fn_arguments),
                });
            }
            ContentPart::Text(_) => {}
            part => kept.parts.push(part),
        }
    }
    let worth_keeping = !kept.parts.is_empty() || kept.signatures.iter().any(Option::is_some);
    let kept = worth_keeping.then(|| serde_json::to_value(kept).ok()).flatten();
    End { calls, stop, usage, kept }
}

/// A call without parameters may come with empty text.
fn arguments(arguments: Value) -> Value {
    match arguments {
        Value::String(text) if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
        other => other,
    }
}

fn chat_request(request: Request, format: Format) -> ChatRequest {
    let tools = request.tools.iter().map(|tool| {
        Tool::new(tool.name.as_str())
            .with_description(format.description(tool))
            .with_schema(format.schema(&tool.parameters))
            // Strict schemas have no optional parameters.
            .with_strict(false)
    });
    let tools: Vec<Tool> = tools.collect();
    let chat = ChatRequest::new(request.messages.into_iter().map(chat_message).collect());
    if tools.is_empty() { chat } else { chat.with_tools(tools) }
}

fn chat_message(message: Message) -> ChatMessage {
    match message {
        Message::User { text, images } => {
            let image = |image: super::Image| {
                ContentPart::from_binary_base64(
                    image.media_type,
                    STANDARD.encode(&image.bytes),
                    None,
                )
            };
            let mut parts: Vec<ContentPart> = images.into_iter().map(image).collect();
            parts.push(ContentPart::from_text(text));
            ChatMessage::user(MessageContent::from_parts(parts))
        }
        Message::Assistant { text, calls, kept } => {
            let kept: Kept =
                kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default();
            let same_calls = kept.signatures.len() == calls.len();
            let mut parts = kept.parts;
            if !text.is_empty() {
                parts.push(ContentPart::from_text(text));
            }
            for (position, call) in calls.into_iter().enumerate() {
                parts.push(ContentPart::ToolCall(ToolCall {
                    call_id: call.id.to_string(),
                    fn_name: call.name,
                    fn_arguments: call.arguments,
                    thought_signatures: if same_calls {
                        kept.signatures[position].clone()
                    } else {
                        None
                    },
                }));
            }
            ChatMessage::assistant(MessageContent::from_parts(parts))
        }
        Message::Results(results) => {
            let response = |result: super::PastResult| {
                ToolResponse::new(result.id.to_string(), result.text).with_fn_name(result.name)
            };
            ChatMessage::from(results.into_iter().map(response).collect::<Vec<_>>())
        }
    }
}
