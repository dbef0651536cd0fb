//! Ollama.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::calls::{Arguments, Calls, Piece};
use super::{
    Ask, ReadAnswer, Wire, listing, parse_piece, push_words, read_kept, to_kept, to_object,
};
use crate::provider::failure::Failure;
use crate::provider::frames::Framing;
use crate::provider::model::{End, Event, Image, Message, Stop, Usage};

pub(super) const WIRE: Wire = Wire {
    path: |_| "api/chat".to_owned(),
    headers: &[],
    key: ("authorization", "Bearer "),
    framing: Framing::Lines,
    body,
    reader: || Box::new(PartialAnswer::default()),
    listing: listing::OLLAMA,
};

/// What the model wants back: its thoughts before its calls.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Kept {
    thinking: Option<String>,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Options>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    messages: Vec<RequestMessage>,
}

#[derive(Serialize)]
struct Options {
    #[serde(skip_serializing_if = "Option::is_none")]
    num_predict: Option<u32>,
    /// Without it, most servers make room for 4,096 tokens, and leave out the beginning of what is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    num_ctx: Option<u32>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum RequestMessage {
    User {
        content: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        images: Vec<String>,
    },
    Assistant {
        content: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        thinking: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<RequestCall>,
    },
    Tool {
        content: String,
        tool_name: String,
    },
}

#[derive(Serialize)]
struct RequestCall {
    function: Function,
}

#[derive(Serialize)]
struct Function {
    name: String,
    arguments: Value,
}

fn body(ask: Ask<'_>) -> serde_json::Result<Vec<u8>> {
    let options = Options { num_predict: ask.most_tokens, num_ctx: ask.context };
    serde_json::to_vec(&Body {
        model: ask.model,
        stream: true,
        options: (ask.most_tokens.is_some() || ask.context.is_some()).then_some(options),
        tools: ask.tools,
        messages: ask.messages.into_iter().flat_map(to_request_messages).collect(),
    })
}

fn to_request_messages(message: Message) -> Vec<RequestMessage> {
    match message {
        Message::User { text, images } => {
            let images = images.iter().map(Image::base64).collect();
            vec![RequestMessage::User { content: text, images }]
        }
        Message::Assistant { text, calls, kept: earlier } => {
            let Kept { thinking } = read_kept(earlier);
            let call = |call: crate::provider::model::PastCall| RequestCall {
                function: Function { name: call.name, arguments: to_object(call.arguments) },
            };
            let tool_calls = calls.into_iter().map(call).collect();
            vec![RequestMessage::Assistant { content: text, thinking, tool_calls }]
        }
        Message::Results(results) => {
            let result = |result: crate::provider::model::PastResult| RequestMessage::Tool {
                content: result.text,
                tool_name: result.name,
            };
            results.into_iter().map(result).collect()
        }
    }
}

#[derive(Deserialize)]
struct AnswerLine {
    message: Option<Said>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
}

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
    thinking: Option<String>,
    tool_calls: Option<Vec<SaidCall>>,
}

#[derive(Deserialize)]
struct SaidCall {
    function: SaidFunction,
}

#[derive(Deserialize)]
struct SaidFunction {
    name: String,
    arguments: Option<Arguments>,
}

#[derive(Default)]
struct PartialAnswer {
    calls: Calls,
    thoughts: String,
}

impl ReadAnswer for PartialAnswer {
    fn read(&mut self, piece: &str, heard: &mut Vec<Event>) -> Result<(), Failure> {
        let line: AnswerLine = parse_piece(piece)?;
        if line.message.is_none() && !line.done {
            return Err(Failure::Foreign);
        }
        if let Some(said) = line.message {
            push_words(said.content, heard);
            self.thoughts.push_str(said.thinking.as_deref().unwrap_or_default());
            for SaidCall { function: SaidFunction { name, arguments } } in
                said.tool_calls.into_iter().flatten()
            {
                // Each entry is a whole call. Some versions number all of them 0.
                let whole = arguments.unwrap_or_else(|| Arguments::Whole(serde_json::Map::new()));
                let (name, arguments) = (Some(name), Some(whole));
                self.calls.add(Piece { name, arguments, ..Piece::default() })?;
            }
        }
        if line.done {
            let stop = match line.done_reason.as_deref() {
                // Older versions give no reason.
                None | Some("stop") => Stop::Finished,
                Some("tool_calls") => Stop::Calls,
                Some("length") => Stop::MaxTokens,
                Some(other) => Stop::Other(other.to_owned()),
            };
            let usage = Usage::from_counts(line.prompt_eval_count, line.eval_count, None);
            let Self { calls, thoughts } = std::mem::take(self);
            let kept = Kept { thinking: Some(thoughts).filter(|thoughts| !thoughts.is_empty()) };
            let kept = to_kept(&kept, kept.thinking.is_some());
            heard.push(Event::End(End { calls: calls.end().0, stop, usage, kept }));
        }
        Ok(())
    }
}
