//! A note as messages to a model.

use serde_json::{Value, json};
use toolwrit_words::Code;

use crate::format::{Block, BlockId, Document, Kind, OlderNames, Part, Role, Status};
use crate::provider::{Message, PastCall, PastResult};

/// What a request needs to know beyond the note.
pub(crate) trait Memory {
    /// The name of a tool in requests.
    fn wire_name(&self, tool: &str) -> String;
    /// What the provider wants back with a response.
    fn kept_value(&self, response: BlockId) -> Option<Value>;
}

/// The messages of a note.
pub(crate) struct History {
    pub(crate) messages: Vec<Message>,
    /// Whether the model has to say something.
    pub(crate) awaits: bool,
}

struct Writer<'a, M> {
    document: &'a Document<'a>,
    memory: &'a M,
    messages: Vec<Message>,
    response: Option<Response>,
    /// Whether the last message is a response that was not completed.
    is_incomplete: bool,
}

#[derive(Default)]
struct Response {
    text: String,
    calls: Vec<PastCall>,
    results: Vec<PastResult>,
    kept: Option<Value>,
    is_incomplete: bool,
}

impl History {
    pub(crate) fn from_document(
        document: &Document<'_>,
        names: &OlderNames,
        memory: &impl Memory,
    ) -> Self {
        let mut writer =
            Writer { document, memory, messages: Vec::new(), response: None, is_incomplete: false };
        for part in document.parts() {
            match part {
                Part::Properties(_) => {}
                Part::NewChat(_) => writer.start_over(),
                Part::Block(block) => writer.add_block(block),
                Part::Text(text) => {
                    for section in names.sections(document, text) {
                        writer.add_section(
                            section.role,
                            text.visible_within(document, &section.body),
                        );
                    }
                }
            }
        }
        writer.flush();
        // The model is asked again instead of continuing half a response.
        while writer.is_incomplete
            && matches!(writer.messages.last(), Some(Message::Assistant { calls, .. }) if calls.is_empty())
        {
            writer.messages.pop();
        }
        let awaits =
            matches!(writer.messages.last(), Some(Message::User { .. } | Message::Results(_)));
        Self { messages: writer.messages, awaits }
    }
}

impl<M: Memory> Writer<'_, M> {
    fn start_over(&mut self) {
        self.response = None;
        self.messages.clear();
        self.is_incomplete = false;
    }

    fn add_section(&mut self, role: Role, text: String) {
        if role == Role::NewChat {
            self.start_over();
        }
        if text.is_empty() {
            return;
        }
        self.flush();
        self.is_incomplete = false;
        match (role, self.messages.last_mut()) {
            (Role::Assistant, _) => {
                self.messages.push(Message::Assistant { text, calls: Vec::new(), kept: None });
            }
            // A note gives no instructions to a model: what older ones call so is the user's.
            (
                Role::User | Role::NewChat | Role::System,
                Some(Message::User { text: before, .. }),
            ) => {
                append_paragraph(before, &text);
            }
            (Role::User | Role::NewChat | Role::System, _) => {
                self.messages.push(Message::User { text, images: Vec::new() });
            }
        }
    }

    fn add_block(&mut self, block: &Block) {
        match block.header.kind {
            Kind::Notice => {}
            Kind::Assistant => {
                self.flush();
                self.response = Some(Response {
                    text: block.words().trim_matches('\n').to_owned(),
                    kept: self.memory.kept_value(block.header.id),
                    is_incomplete: block.header.state.status != Status::Said,
                    ..Response::default()
                });
            }
            Kind::Tool => {
                let name = self.memory.wire_name(&block.header.name);
                let text = result_text(self.document, block);
                let arguments = match block.arguments() {
                    Some(crate::format::Payload::Json(value @ Value::Object(_))) => value,
                    _ => json!({}),
                };
                let response = self.response.get_or_insert_default();
                response.calls.push(PastCall {
                    id: block.header.id,
                    name: name.clone(),
                    arguments,
                });
                let is_error = !matches!(block.header.state.status, Status::Ok | Status::As(_));
                response.results.push(PastResult { id: block.header.id, name, text, is_error });
            }
        }
    }

    fn flush(&mut self) {
        let Some(Response { text, calls, results, kept, is_incomplete }) = self.response.take()
        else {
            return;
        };
        if text.is_empty() && calls.is_empty() {
            return;
        }
        self.is_incomplete = is_incomplete && calls.is_empty();
        match self.messages.last_mut() {
            Some(Message::Assistant { text: before, calls: made, kept: old })
                if made.is_empty() =>
            {
                append_paragraph(before, &text);
                *made = calls;
                *old = kept;
            }
            _ => self.messages.push(Message::Assistant { text, calls, kept }),
        }
        if !results.is_empty() {
            self.messages.push(Message::Results(results));
        }
    }
}

fn append_paragraph(before: &mut String, text: &str) {
    if !before.is_empty() && !text.is_empty() {
        before.push_str("\n\n");
    }
    before.push_str(text);
}

/// What the model reads as the result of a call.
fn result_text(document: &Document<'_>, block: &Block) -> String {
    let call = |id| document.block(id).filter(|block| block.header.kind == Kind::Tool);
    if let Some(result) = block.result() {
        return result.text();
    }
    let (code, message) = match &block.header.state.status {
        Status::Ok => return String::new(),
        Status::As(id) => match call(*id).and_then(Block::result) {
            Some(result) => return result.text(),
            None => (
                Code::NotFound.to_string(),
                "The result of the earlier call is no longer in the note. Call again if it is needed.",
            ),
        },
        Status::Failed(code) => (code.clone(), "The call failed."),
        Status::Declined => {
            ("DECLINED".to_owned(), "The user declined this call. Do not repeat it.")
        }
        Status::Cancelled => {
            (Code::Cancelled.to_string(), "The call was cancelled, and changed nothing.")
        }
        Status::Unknown => (
            "UNKNOWN".to_owned(),
            "Whether this call was carried out is not known. Do not repeat it; read to find out.",
        ),
        Status::Asks => {
            (Code::ConfirmationRequired.to_string(), "The call waits for the consent of the user.")
        }
        Status::Unfinished | Status::Said => {
            (Code::Cancelled.to_string(), "The call was not carried out.")
        }
    };
    json!({ "error": { "code": code, "message": message } }).to_string()
}
