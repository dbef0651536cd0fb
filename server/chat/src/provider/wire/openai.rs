//! Chat completions of `OpenAI`, and of every server that is compatible with them.

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::calls::{Arguments, Calls, Id, Piece};
use super::{
    Ask, ReadAnswer, Wire, data_url, listing, parse_piece, push_words, read_kept, to_kept,
};
use crate::provider::failure::Failure;
use crate::provider::frames::Framing;
use crate::provider::model::{End, Event, Image, Message, Stop, Usage};

pub(super) const WIRE: Wire = Wire {
    path: |_| "chat/completions".to_owned(),
    headers: &[],
    key: ("authorization", "Bearer "),
    framing: Framing::Events,
    body,
    reader: || Box::new(PartialAnswer::default()),
    listing: listing::OPENAI,
};

/// What the provider wants back.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Kept {
    /// The thoughts before the calls, which `DeepSeek` wants back.
    reasoning_content: Option<String>,
    /// For each call, what Gemini adds to it.
    extra_contents: Vec<Option<Value>>,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    messages: Vec<RequestMessage>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum RequestMessage {
    User {
        content: Content,
    },
    Assistant {
        #[serde(skip_serializing_if = "String::is_empty")]
        content: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<RequestCall>,
    },
    Tool {
        content: String,
        tool_call_id: String,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentPart {
    Text { text: String },
    ImageUrl { image_url: Address },
}

#[derive(Serialize)]
struct Address {
    url: String,
}

#[derive(Serialize)]
struct RequestCall {
    r#type: &'static str,
    id: String,
    function: Function,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<Value>,
}

#[derive(Serialize)]
struct Function {
    name: String,
    arguments: String,
}

fn body(ask: Ask<'_>) -> serde_json::Result<Vec<u8>> {
    let completion = ask.dialect.limits_completion_tokens(ask.model);
    serde_json::to_vec(&Body {
        model: ask.model,
        stream: true,
        stream_options: ask
            .dialect
            .counts_tokens()
            .then_some(StreamOptions { include_usage: true }),
        max_tokens: ask.most_tokens.filter(|_| !completion),
        max_completion_tokens: ask.most_tokens.filter(|_| completion),
        tools: ask.tools,
        messages: ask.messages.into_iter().flat_map(to_request_messages).collect(),
    })
}

fn to_request_messages(message: Message) -> Vec<RequestMessage> {
    match message {
        Message::User { text, images } if images.is_empty() => {
            vec![RequestMessage::User { content: Content::Text(text) }]
        }
        Message::User { text, images } => {
            let images = images.iter().map(image);
            let parts = images.chain([ContentPart::Text { text }]).collect();
            vec![RequestMessage::User { content: Content::Parts(parts) }]
        }
        Message::Assistant { text, calls, kept: earlier } => {
            let Kept { reasoning_content, extra_contents } = read_kept(earlier);
            let mut extra_contents = extra_contents.into_iter();
            let calls = calls.into_iter().map(|call| RequestCall {
                r#type: "function",
                id: call.id.to_string(),
                function: Function { name: call.name, arguments: written(&call.arguments) },
                extra_content: extra_contents.next().flatten(),
            });
            vec![RequestMessage::Assistant {
                content: text,
                reasoning_content,
                tool_calls: calls.collect(),
            }]
        }
        Message::Results(results) => {
            let result = |result: crate::provider::model::PastResult| RequestMessage::Tool {
                content: result.text,
                tool_call_id: result.id.to_string(),
            };
            results.into_iter().map(result).collect()
        }
    }
}

/// Arguments as JSON text; a text that is not JSON as the model wrote it.
pub(super) fn written(arguments: &Value) -> String {
    arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned)
}

fn image(image: &Image) -> ContentPart {
    ContentPart::ImageUrl {
        image_url: Address { url: data_url(&image.media_type, &image.base64()) },
    }
}

#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<Count>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    /// Some servers send a whole answer, in place of the pieces or after them.
    message: Option<Delta>,
    finish_reason: Option<String>,
    usage: Option<Count>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Delta {
    content: Option<Words>,
    refusal: Option<String>,
    reasoning_content: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
    /// The field that servers sent before there was `tool_calls`.
    function_call: Option<FunctionPiece>,
}

/// Words. Mistral sends thoughts and words as parts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    Text(String),
    Parts(Vec<WordsPart>),
}

#[derive(Deserialize)]
struct WordsPart {
    text: Option<String>,
}

#[derive(Deserialize)]
struct CallPiece {
    index: Option<Number>,
    id: Option<Id>,
    function: Option<FunctionPiece>,
    extra_content: Option<Value>,
}

#[derive(Deserialize)]
struct FunctionPiece {
    name: Option<String>,
    arguments: Option<Arguments>,
}

#[derive(Deserialize)]
struct Count {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
}

impl Count {
    fn usage(&self) -> Option<Usage> {
        let details = self.prompt_tokens_details.as_ref();
        let cached = details.and_then(|details| details.cached_tokens);
        Usage::from_counts(
            self.prompt_tokens,
            self.completion_tokens,
            cached.or(self.prompt_cache_hit_tokens),
        )
    }
}

#[derive(Default)]
struct PartialAnswer {
    has_words: bool,
    calls: Calls,
    thoughts: String,
    refusal: String,
    stop: Option<Stop>,
    usage: Option<Usage>,
}

impl ReadAnswer for PartialAnswer {
    fn read(&mut self, piece: &str, heard: &mut Vec<Event>) -> Result<(), Failure> {
        if piece.trim() == "[DONE]" {
            heard.push(Event::End(self.end()));
            return Ok(());
        }
        let chunk: Chunk = parse_piece(piece)?;
        if let Some(usage) = chunk.usage.as_ref().and_then(Count::usage) {
            self.usage = Some(usage);
        }
        // One answer was asked for, so that all choices are its parts, whatever their numbers.
        for choice in chunk.choices.into_iter().flatten() {
            if let Some(usage) = choice.usage.as_ref().and_then(Count::usage) {
                self.usage = Some(usage);
            }
            if let Some(delta) = choice.delta {
                self.add(delta, heard)?;
            }
            if let Some(message) = choice.message.filter(|_| !self.has_begun()) {
                self.add(message, heard)?;
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.stop = Some(stop(&reason));
            }
        }
        Ok(())
    }
}

impl PartialAnswer {
    fn has_begun(&self) -> bool {
        self.has_words || !self.calls.is_empty()
    }

    fn add(&mut self, delta: Delta, heard: &mut Vec<Event>) -> Result<(), Failure> {
        let words = match delta.content {
            Some(Words::Text(text)) => text,
            Some(Words::Parts(parts)) => parts.into_iter().filter_map(|part| part.text).collect(),
            None => String::new(),
        };
        self.has_words |= !words.is_empty();
        push_words(Some(words), heard);
        self.refusal.push_str(delta.refusal.as_deref().unwrap_or_default());
        self.thoughts.push_str(delta.reasoning_content.as_deref().unwrap_or_default());
        let older = delta.function_call.map(|function| CallPiece {
            index: None,
            id: None,
            function: Some(function),
            extra_content: None,
        });
        for call in delta.tool_calls.into_iter().flatten().chain(older) {
            let (name, arguments) =
                call.function.map_or((None, None), |function| (function.name, function.arguments));
            let (index, id, extra) = (call.index, call.id, call.extra_content);
            self.calls.add(Piece { index, id, name, arguments, extra })?;
        }
        Ok(())
    }

    fn end(&mut self) -> End {
        let Self { calls, thoughts, refusal, stop, usage, .. } = std::mem::take(self);
        let (calls, extra_contents) = calls.end();
        let kept = Kept {
            reasoning_content: Some(thoughts).filter(|thoughts| !thoughts.is_empty()),
            extra_contents,
        };
        let is_kept =
            kept.reasoning_content.is_some() || kept.extra_contents.iter().any(Option::is_some);
        End {
            calls,
            stop: if refusal.is_empty() {
                stop.unwrap_or(Stop::Missing)
            } else {
                Stop::Filtered(refusal)
            },
            usage,
            kept: to_kept(&kept, is_kept),
        }
    }
}

/// Why an answer ended. Servers of other models pass on the words of those.
fn stop(reason: &str) -> Stop {
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token" | "complete" => Stop::Finished,
        "tool_calls" | "tool_call" | "function_call" | "tool_use" => Stop::Calls,
        "length" | "max_tokens" | "model_length" => Stop::MaxTokens,
        "content_filter" | "safety" | "refusal" => Stop::Filtered(String::new()),
        _ => Stop::Other(reason.to_owned()),
    }
}
