//! The Responses API of `OpenAI`.

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::calls::{Arguments, Calls, Id, Piece};
use super::openai::written;
use super::{
    Ask, ReadAnswer, Wire, data_url, listing, parse_piece, push_words, read_kept, to_kept,
};
use crate::provider::failure::Failure;
use crate::provider::frames::Framing;
use crate::provider::model::{End, Event, Message, Stop, Usage};

pub(super) const WIRE: Wire = Wire {
    path: |_| "responses".to_owned(),
    headers: &[],
    key: ("authorization", "Bearer "),
    framing: Framing::Events,
    body,
    reader: || Box::new(PartialAnswer::default()),
    listing: listing::OPENAI,
};

/// What the provider wants back: its encrypted thoughts.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Kept {
    reasoning: Vec<Value>,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    input: Vec<Item>,
}

#[derive(Serialize)]
struct Reasoning {
    summary: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item {
    User { role: &'static str, content: Vec<ContentPart> },
    Assistant { role: &'static str, content: String },
    Reasoning(Value),
    Call { r#type: &'static str, call_id: String, name: String, arguments: String },
    Output { r#type: &'static str, call_id: String, output: String },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentPart {
    InputText { text: String },
    InputImage { image_url: String, detail: &'static str },
}

fn body(ask: Ask<'_>) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Body {
        model: ask.model,
        stream: true,
        // The conversation stands in the note, and nowhere else.
        store: false,
        reasoning: ask.thinks.then_some(Reasoning { summary: "detailed" }),
        include: if ask.thinks { vec!["reasoning.encrypted_content"] } else { Vec::new() },
        max_output_tokens: ask.most_tokens,
        tools: ask.tools,
        input: ask.messages.into_iter().flat_map(items).collect(),
    })
}

fn items(message: Message) -> Vec<Item> {
    match message {
        Message::User { text, images } => {
            let image = |image: &crate::provider::model::Image| ContentPart::InputImage {
                image_url: data_url(&image.media_type, &image.base64()),
                detail: "auto",
            };
            let content =
                images.iter().map(image).chain([ContentPart::InputText { text }]).collect();
            vec![Item::User { role: "user", content }]
        }
        Message::Assistant { text, calls, kept: earlier } => {
            let Kept { reasoning } = read_kept(earlier);
            let mut items: Vec<Item> = reasoning.into_iter().map(Item::Reasoning).collect();
            if !text.is_empty() {
                items.push(Item::Assistant { role: "assistant", content: text });
            }
            items.extend(calls.into_iter().map(|call| Item::Call {
                r#type: "function_call",
                call_id: call.id.to_string(),
                name: call.name,
                arguments: written(&call.arguments),
            }));
            items
        }
        Message::Results(results) => {
            let output = |result: crate::provider::model::PastResult| Item::Output {
                r#type: "function_call_output",
                call_id: result.id.to_string(),
                output: result.text,
            };
            results.into_iter().map(output).collect()
        }
    }
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Said {
    #[serde(rename = "response.output_text.delta")]
    Text { delta: String },
    #[serde(rename = "response.refusal.delta")]
    Refusal { delta: String },
    #[serde(rename = "response.output_item.added")]
    Added { output_index: Option<Number>, item: Option<Output> },
    #[serde(rename = "response.function_call_arguments.delta")]
    Arguments { output_index: Option<Number>, delta: String },
    #[serde(rename = "response.output_item.done")]
    Done { output_index: Option<Number>, item: Value },
    #[serde(rename = "response.completed", alias = "response.incomplete", alias = "response.done")]
    Completed { response: Response },
    #[serde(rename = "response.failed", alias = "error")]
    Failed,
    #[serde(other)]
    Other,
}

/// A part of the response; fields that are of no use here are missing.
#[derive(Deserialize)]
struct Output {
    r#type: String,
    call_id: Option<Id>,
    name: Option<String>,
    arguments: Option<Arguments>,
    content: Option<Vec<Words>>,
}

#[derive(Deserialize)]
struct Words {
    text: Option<String>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    output: Vec<Value>,
    incomplete_details: Option<Incomplete>,
    usage: Option<Count>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Count {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
}

#[derive(Default)]
struct PartialAnswer {
    has_words: bool,
    calls: Calls,
    reasoning: Vec<Value>,
    refusal: String,
}

impl ReadAnswer for PartialAnswer {
    fn read(&mut self, piece: &str, heard: &mut Vec<Event>) -> Result<(), Failure> {
        // Some servers end the answer as chat completions do.
        if piece.trim() == "[DONE]" {
            return Ok(());
        }
        match parse_piece(piece)? {
            Said::Text { delta } => self.push_words(delta, heard),
            Said::Refusal { delta } => self.refusal.push_str(&delta),
            Said::Added { output_index, item: Some(item) } if item.r#type == "function_call" => {
                let Output { call_id, name, .. } = item;
                self.calls.add(Piece {
                    index: output_index,
                    id: call_id,
                    name,
                    ..Piece::default()
                })?;
            }
            Said::Arguments { output_index, delta } => {
                let arguments = Some(Arguments::Text(delta));
                self.calls.add(Piece { index: output_index, arguments, ..Piece::default() })?;
            }
            Said::Done { output_index, item } => self.take_complete_part(output_index, item)?,
            Said::Completed { response } => {
                let end = self.end(response, heard)?;
                heard.push(Event::End(end));
            }
            Said::Failed => return Err(Failure::Event(piece.to_owned())),
            Said::Added { .. } | Said::Other => {}
        }
        Ok(())
    }
}

impl PartialAnswer {
    fn push_words(&mut self, words: String, heard: &mut Vec<Event>) {
        self.has_words |= !words.is_empty();
        push_words(Some(words), heard);
    }

    /// Takes a part of the response that is complete.
    fn take_complete_part(&mut self, index: Option<Number>, item: Value) -> Result<(), Failure> {
        match item["type"].as_str() {
            Some("function_call") => {
                let Output { call_id, name, arguments, .. } =
                    serde_json::from_value(item).map_err(|_| Failure::Foreign)?;
                let piece = Piece { index, id: call_id, name, arguments, extra: None };
                self.calls.complete(piece)
            }
            Some("reasoning") if item["encrypted_content"].is_string() => {
                self.reasoning.push(item);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, response: Response, heard: &mut Vec<Event>) -> Result<End, Failure> {
        // Some servers send only the whole response.
        let (has_words, has_calls) = (self.has_words, !self.calls.is_empty());
        for (index, item) in (0_u64..).zip(response.output) {
            match item["type"].as_str() {
                Some("message") if !has_words => {
                    let message: Output =
                        serde_json::from_value(item).map_err(|_| Failure::Foreign)?;
                    let words = message.content.into_iter().flatten().filter_map(|part| part.text);
                    self.push_words(words.collect(), heard);
                }
                Some("function_call") if !has_calls => {
                    self.take_complete_part(Some(index.into()), item)?;
                }
                _ => {}
            }
        }
        let Self { calls, reasoning, refusal, .. } = std::mem::take(self);
        let (calls, _) = calls.end();
        let incomplete = response.incomplete_details.and_then(|details| details.reason);
        let stop = match incomplete.as_deref() {
            _ if !refusal.is_empty() => Stop::Filtered(refusal),
            Some("max_output_tokens") => Stop::MaxTokens,
            Some("content_filter") => Stop::Filtered(String::new()),
            Some(reason) => Stop::Other(reason.to_owned()),
            None if calls.is_empty() => Stop::Finished,
            None => Stop::Calls,
        };
        let usage = response.usage.and_then(|count| {
            let cached = count.input_tokens_details.and_then(|details| details.cached_tokens);
            Usage::from_counts(count.input_tokens, count.output_tokens, cached)
        });
        let kept = Kept { reasoning };
        let kept = to_kept(&kept, !kept.reasoning.is_empty());
        Ok(End { calls, stop, usage, kept })
    }
}
