//! The Gemini API.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::calls::{Arguments, Calls, Piece};
use super::{
    Ask, ReadAnswer, Wire, listing, parse_piece, push_words, read_kept, to_kept, to_object,
};
use crate::provider::failure::Failure;
use crate::provider::frames::Framing;
use crate::provider::model::{End, Event, Image, Message, PastResult, Stop, Usage};

pub(super) const WIRE: Wire = Wire {
    path: |model| {
        let model = model.strip_prefix("models/").unwrap_or(model);
        format!("models/{model}:streamGenerateContent?alt=sse")
    },
    headers: &[],
    key: ("x-goog-api-key", ""),
    framing: Framing::Events,
    body,
    reader: || Box::new(PartialAnswer::default()),
    listing: listing::GEMINI,
};

/// What stands for the signature of a call that another model made. Models from version 3 on refuse a call without any.
const FOREIGN: &str = "skip_thought_signature_validator";

/// What the provider wants back: the signatures of its thoughts.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Kept {
    /// The signature of the words.
    words: Option<String>,
    /// The signatures of the calls, in the order of the calls.
    calls: Vec<Option<Value>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<Generation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    contents: Vec<Content>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Generation {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<Thinking>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Thinking {
    include_thoughts: bool,
}

#[derive(Serialize)]
struct Content {
    role: &'static str,
    parts: Vec<ContentPart>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContentPart {
    #[serde(flatten)]
    part: PartData,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum PartData {
    Text(String),
    InlineData(Blob),
    FunctionCall(RequestCall),
    FunctionResponse(Returned),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Blob {
    mime_type: String,
    data: String,
}

#[derive(Serialize)]
struct RequestCall {
    id: String,
    name: String,
    args: Value,
}

#[derive(Serialize)]
struct Returned {
    id: String,
    name: String,
    response: ReturnedText,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ReturnedText {
    Output(String),
    Error(String),
}

fn body(ask: Ask<'_>) -> serde_json::Result<Vec<u8>> {
    let config = Generation {
        max_output_tokens: ask.most_tokens,
        thinking_config: ask.thinks.then_some(Thinking { include_thoughts: true }),
    };
    let model = ask.model.strip_prefix("models/").unwrap_or(ask.model);
    let needs_signature = model.starts_with("gemini-3");
    let contents = ask.messages.into_iter().map(|message| content(message, needs_signature));
    serde_json::to_vec(&Body {
        generation_config: (ask.thinks || ask.most_tokens.is_some()).then_some(config),
        tools: ask.tools,
        contents: contents.filter(|content| !content.parts.is_empty()).collect(),
    })
}

fn content(message: Message, needs_signature: bool) -> Content {
    match message {
        Message::User { text, images } => {
            let parts = images.iter().map(image).chain([PartData::Text(text)]);
            Content { role: "user", parts: parts.map(unsigned).collect() }
        }
        Message::Assistant { text, calls, kept: earlier } => {
            let Kept { words, calls: signatures } = read_kept(earlier);
            let mut signatures = signatures.into_iter();
            let mut parts = Vec::with_capacity(calls.len() + 1);
            if !text.is_empty() {
                let thought_signature = words.map(Value::String);
                parts.push(ContentPart { part: PartData::Text(text), thought_signature });
            }
            for (at, call) in calls.into_iter().enumerate() {
                let foreign = (needs_signature && at == 0).then(|| FOREIGN.into());
                let thought_signature = signatures.next().flatten().or(foreign);
                let args = to_object(call.arguments);
                let call = RequestCall { id: call.id.to_string(), name: call.name, args };
                parts.push(ContentPart { part: PartData::FunctionCall(call), thought_signature });
            }
            Content { role: "model", parts }
        }
        Message::Results(results) => Content {
            role: "user",
            parts: results.into_iter().map(response).map(unsigned).collect(),
        },
    }
}

fn unsigned(part: PartData) -> ContentPart {
    ContentPart { part, thought_signature: None }
}

fn image(image: &Image) -> PartData {
    PartData::InlineData(Blob { mime_type: image.media_type.clone(), data: image.base64() })
}

fn response(result: PastResult) -> PartData {
    let (id, name) = (result.id.to_string(), result.name);
    let response = if result.is_error {
        ReturnedText::Error(result.text)
    } else {
        ReturnedText::Output(result.text)
    };
    PartData::FunctionResponse(Returned { id, name, response })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Count>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default)]
    index: u64,
    content: Option<Said>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    parts: Option<Vec<SaidPart>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SaidPart {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    thought_signature: Option<String>,
    function_call: Option<SaidCall>,
}

#[derive(Deserialize)]
struct SaidCall {
    name: String,
    args: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
    block_reason_message: Option<String>,
}

#[derive(Deserialize)]
struct Count {
    #[serde(rename = "promptTokenCount")]
    prompt: Option<u64>,
    #[serde(rename = "candidatesTokenCount")]
    said: Option<u64>,
    #[serde(rename = "thoughtsTokenCount")]
    thought: Option<u64>,
    #[serde(rename = "cachedContentTokenCount")]
    cached: Option<u64>,
}

#[derive(Default)]
struct PartialAnswer {
    calls: Calls,
    signature: Option<String>,
    stop: Option<Stop>,
    usage: Option<Usage>,
}

impl ReadAnswer for PartialAnswer {
    fn read(&mut self, piece: &str, heard: &mut Vec<Event>) -> Result<(), Failure> {
        let chunk: Chunk = parse_piece(piece)?;
        let candidates = chunk.candidates.into_iter().flatten();
        for candidate in candidates.filter(|candidate| candidate.index == 0) {
            let parts = candidate.content.and_then(|said| said.parts);
            for part in parts.into_iter().flatten() {
                self.add(part, heard)?;
            }
            if let Some(reason) = candidate.finish_reason {
                self.stop = Some(stop(reason, candidate.finish_message));
            }
        }
        if let Some(Feedback { block_reason: Some(reason), block_reason_message }) =
            chunk.prompt_feedback
        {
            self.stop = Some(Stop::Filtered(block_reason_message.unwrap_or(reason)));
        }
        if let Some(count) = chunk.usage_metadata {
            let said = [count.said, count.thought];
            let output = said.into_iter().flatten().reduce(u64::saturating_add);
            let counted = (count.prompt, count.cached);
            self.usage = Usage::from_counts(counted.0, output, counted.1).or(self.usage);
        }
        Ok(())
    }

    fn finish(&mut self) -> Option<End> {
        let stop = self.stop.take()?;
        let Self { calls, signature, usage, .. } = std::mem::take(self);
        let (calls, signatures) = calls.end();
        let kept = Kept { words: signature, calls: signatures };
        let is_kept = kept.words.is_some() || kept.calls.iter().any(Option::is_some);
        let kept = to_kept(&kept, is_kept);
        Some(End { calls, stop, usage, kept })
    }
}

impl PartialAnswer {
    fn add(&mut self, part: SaidPart, heard: &mut Vec<Event>) -> Result<(), Failure> {
        if let Some(SaidCall { name, args }) = part.function_call {
            // Each part is a whole call, also if it has the name of the one before.
            return self.calls.add(Piece {
                name: Some(name),
                arguments: Some(Arguments::Whole(args.unwrap_or_default())),
                extra: part.thought_signature.map(Value::String),
                ..Piece::default()
            });
        }
        if !part.thought {
            push_words(part.text, heard);
            self.signature = part.thought_signature.or_else(|| self.signature.take());
        }
        Ok(())
    }
}

fn stop(reason: String, message: Option<String>) -> Stop {
    match reason.as_str() {
        "STOP" => Stop::Finished,
        "MAX_TOKENS" => Stop::MaxTokens,
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
        | "IMAGE_SAFETY" => Stop::Filtered(message.unwrap_or(reason)),
        _ => Stop::Other(message.unwrap_or(reason)),
    }
}
