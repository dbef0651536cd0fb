//! The Messages API of Anthropic.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::calls::{Arguments, Calls, Id, Piece};
use super::{
    Ask, ReadAnswer, Wire, listing, parse_piece, push_words, read_kept, to_kept, to_object,
};
use crate::provider::failure::Failure;
use crate::provider::frames::Framing;
use crate::provider::model::{End, Event, Image, Message, Stop, Usage};

pub(super) const WIRE: Wire = Wire {
    path: |_| "messages".to_owned(),
    headers: &[("anthropic-version", "2023-06-01")],
    key: ("x-api-key", ""),
    framing: Framing::Events,
    body,
    reader: || Box::new(PartialAnswer::default()),
    listing: listing::ANTHROPIC,
};

/// What the provider wants back: its signed thoughts.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Kept {
    thoughts: Vec<Thought>,
}

#[derive(Serialize, Deserialize, Clone)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Thought {
    Thinking { thinking: String, signature: String },
    RedactedThinking { data: String },
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    messages: Vec<InputMessage>,
}

#[derive(Serialize)]
struct InputMessage {
    role: &'static str,
    content: Content,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Blocks(Vec<ContentBlock>),
}

#[derive(Serialize)]
#[serde(untagged)]
enum ContentBlock {
    Thought(Thought),
    Other(OtherBlock),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum OtherBlock {
    Text {
        text: String,
    },
    Image {
        source: Source,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        content: String,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
struct Source {
    r#type: &'static str,
    media_type: String,
    data: String,
}

fn body(ask: Ask<'_>) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Body {
        model: ask.model,
        stream: true,
        max_tokens: ask.most_tokens.unwrap_or_else(|| most_tokens(ask.model)),
        tools: ask.tools,
        messages: ask.messages.into_iter().filter_map(to_input_message).collect(),
    })
}

/// The most tokens of a response, which the API must be told. More than a model can say is an error.
fn most_tokens(model: &str) -> u32 {
    let limits = [
        ("claude-3-5", 8_192),
        ("claude-3-haiku", 4_096),
        ("claude-3-opus", 4_096),
        ("claude-opus-4-0", 32_000),
        ("claude-opus-4-1", 32_000),
        ("claude-opus-4-2025", 32_000),
    ];
    let limit = limits.iter().find(|(prefix, _)| model.starts_with(prefix));
    limit.map_or(64_000, |(_, limit)| *limit)
}

fn to_input_message(message: Message) -> Option<InputMessage> {
    let (role, content) = match message {
        Message::User { text, images } if images.is_empty() => ("user", Content::Text(text)),
        Message::User { text, images } => {
            let blocks = images.iter().map(image).chain([OtherBlock::Text { text }]);
            ("user", Content::Blocks(blocks.map(ContentBlock::Other).collect()))
        }
        Message::Assistant { text, calls, kept: earlier } => {
            let Kept { thoughts } = read_kept(earlier);
            let text = (!text.trim().is_empty()).then_some(OtherBlock::Text { text });
            let calls = calls.into_iter().map(|call| OtherBlock::ToolUse {
                id: call.id.to_string(),
                name: call.name,
                input: to_object(call.arguments),
            });
            let others = text.into_iter().chain(calls).map(ContentBlock::Other);
            let blocks = thoughts.into_iter().map(ContentBlock::Thought).chain(others);
            ("assistant", Content::Blocks(blocks.collect()))
        }
        Message::Results(results) => {
            let result = |result: crate::provider::model::PastResult| OtherBlock::ToolResult {
                tool_use_id: result.id.to_string(),
                content: result.text,
                is_error: result.is_error,
            };
            (
                "user",
                Content::Blocks(results.into_iter().map(result).map(ContentBlock::Other).collect()),
            )
        }
    };
    // The API refuses a turn without any block.
    let is_empty = matches!(&content, Content::Blocks(blocks) if blocks.is_empty());
    (!is_empty).then_some(InputMessage { role, content })
}

fn image(image: &Image) -> OtherBlock {
    let (media_type, data) = (image.media_type.clone(), image.base64());
    OtherBlock::Image { source: Source { r#type: "base64", media_type, data } }
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: u64,
        content_block: Begun,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    MessageDelta {
        delta: Stopped,
        usage: Option<Count>,
    },
    MessageStop,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Start {
    usage: Option<Count>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Begun {
    Text {
        text: Option<String>,
    },
    Thinking {
        thinking: Option<String>,
        signature: Option<String>,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Option<Map<String, Value>>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: String },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Stopped {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Count {
    #[serde(rename = "input_tokens")]
    input: Option<u64>,
    #[serde(rename = "output_tokens")]
    output: Option<u64>,
    #[serde(rename = "cache_read_input_tokens")]
    cached: Option<u64>,
    #[serde(rename = "cache_creation_input_tokens")]
    written: Option<u64>,
}

#[derive(Default)]
struct PartialAnswer {
    calls: Calls,
    /// The thoughts, with the number of the block of each.
    thoughts: Vec<(u64, Thought)>,
    stop: Option<Stop>,
    input: Option<u64>,
    cached: Option<u64>,
    output: Option<u64>,
}

impl ReadAnswer for PartialAnswer {
    fn read(&mut self, piece: &str, heard: &mut Vec<Event>) -> Result<(), Failure> {
        match parse_piece(piece)? {
            Said::MessageStart { message } => self.count(message.usage),
            Said::ContentBlockStart { index, content_block } => {
                self.begin(index, content_block, heard)?;
            }
            Said::ContentBlockDelta { index, delta } => self.add(index, delta, heard)?,
            Said::MessageDelta { delta, usage } => {
                self.stop = delta.stop_reason.as_deref().map(stop).or_else(|| self.stop.take());
                self.count(usage);
            }
            Said::MessageStop => heard.push(Event::End(self.end())),
            Said::Other => {}
        }
        Ok(())
    }
}

impl PartialAnswer {
    fn count(&mut self, count: Option<Count>) {
        let Some(count) = count else { return };
        let cached = count.cached;
        if let Some(fresh) = count.input.filter(|fresh| *fresh > 0 || self.input.is_none()) {
            let written = count.written.unwrap_or_default();
            self.input =
                Some(fresh.saturating_add(written).saturating_add(cached.unwrap_or_default()));
            self.cached = cached;
        }
        self.output = count.output.or(self.output);
    }

    fn begin(&mut self, index: u64, begun: Begun, heard: &mut Vec<Event>) -> Result<(), Failure> {
        match begun {
            Begun::Text { text } => push_words(text, heard),
            Begun::Thinking { thinking, signature } => {
                let (thinking, signature) =
                    (thinking.unwrap_or_default(), signature.unwrap_or_default());
                self.thoughts.push((index, Thought::Thinking { thinking, signature }));
            }
            Begun::RedactedThinking { data } => {
                self.thoughts.push((index, Thought::RedactedThinking { data }));
            }
            Begun::ToolUse { id, name, input } => {
                let arguments = input.filter(|input| !input.is_empty()).map(Arguments::Whole);
                let (index, id, name) = (Some(index.into()), Some(Id::Text(id)), Some(name));
                self.calls.add(Piece { index, id, name, arguments, extra: None })?;
            }
            Begun::Other => {}
        }
        Ok(())
    }

    fn add(&mut self, index: u64, delta: Delta, heard: &mut Vec<Event>) -> Result<(), Failure> {
        match delta {
            Delta::Text { text } => push_words(Some(text), heard),
            Delta::Thinking { thinking: more } => {
                if let Some(Thought::Thinking { thinking, .. }) = self.thought(index) {
                    thinking.push_str(&more);
                }
            }
            Delta::Signature { signature: more } => {
                if let Some(Thought::Thinking { signature, .. }) = self.thought(index) {
                    signature.push_str(&more);
                }
            }
            Delta::InputJson { partial_json } => {
                let arguments = Some(Arguments::Text(partial_json));
                self.calls.add(Piece {
                    index: Some(index.into()),
                    arguments,
                    ..Piece::default()
                })?;
            }
            Delta::Other => {}
        }
        Ok(())
    }

    fn thought(&mut self, index: u64) -> Option<&mut Thought> {
        self.thoughts.iter_mut().rfind(|(block, _)| *block == index).map(|(_, thought)| thought)
    }

    fn end(&mut self) -> End {
        let Self { calls, thoughts, stop, input, cached, output } = std::mem::take(self);
        let thoughts = thoughts.into_iter().map(|(_, thought)| thought).collect();
        let kept = Kept { thoughts };
        let kept = to_kept(&kept, !kept.thoughts.is_empty());
        let usage = Usage::from_counts(input, output, cached);
        End { calls: calls.end().0, stop: stop.unwrap_or(Stop::Missing), usage, kept }
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "end_turn" | "stop_sequence" => Stop::Finished,
        "tool_use" => Stop::Calls,
        "max_tokens" | "model_context_window_exceeded" => Stop::MaxTokens,
        "refusal" => Stop::Filtered(String::new()),
        other => Stop::Other(other.to_owned()),
    }
}
