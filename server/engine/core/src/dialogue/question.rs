//! The questions as JSON of MCP, and the parsing of their answers.

use serde_json::{Map, Value, json};

use super::form::{Answered, Form};

/// A question to a client.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// To the user: [elicitation](https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation).
    Form(Form),
    /// To the model: [sampling](https://modelcontextprotocol.io/specification/2025-11-25/client/sampling).
    Sampling(Sampling),
    /// To the client: [roots](https://modelcontextprotocol.io/specification/2025-11-25/client/roots).
    Roots,
}

/// A question whose answer has a type of its own.
pub trait Ask: Clone + Into<Question> {
    /// What the user answers.
    type Answer;

    /// Parses the client's reply; `None` if it does not fit the question.
    fn read(&self, reply: &Value) -> Option<Self::Answer>;
}

impl Question {
    /// Returns the MCP method of the question.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Form(_) => "elicitation/create",
            Self::Sampling(_) => "sampling/createMessage",
            Self::Roots => "roots/list",
        }
    }

    /// Returns the client capability that the question needs.
    pub(crate) fn capability(&self) -> &'static str {
        match self {
            Self::Form(_) => "elicitation",
            Self::Sampling(_) => "sampling",
            Self::Roots => "roots",
        }
    }

    /// Returns the parameters of the method; `None` if it has none.
    pub fn params(&self) -> Option<Value> {
        match self {
            Self::Form(form) => Some(form.params()),
            Self::Sampling(sampling) => Some(sampling.params()),
            Self::Roots => None,
        }
    }

    pub(super) fn accepts(&self, reply: &Value) -> bool {
        match self {
            Self::Form(form) => form.read(reply).is_some(),
            Self::Sampling(sampling) => sampling.read(reply).is_some(),
            Self::Roots => Roots.read(reply).is_some(),
        }
    }
}

impl Ask for Form {
    type Answer = Answered;

    fn read(&self, reply: &Value) -> Option<Answered> {
        Form::read(self, reply)
    }
}

impl From<Form> for Question {
    fn from(form: Form) -> Self {
        Self::Form(form)
    }
}

/// The role of a message in a [`Sampling`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// A conversation for the client's model to continue.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    messages: Vec<(Speaker, String)>,
    system: Option<String>,
    max_tokens: u32,
}

impl Sampling {
    /// Creates a conversation with one message of the user. The answer has at most `max_tokens` tokens.
    pub fn new(prompt: impl Into<String>, max_tokens: u32) -> Self {
        Self { messages: vec![(Speaker::User, prompt.into())], system: None, max_tokens }
    }

    /// Adds the next message.
    #[must_use]
    pub fn say(mut self, speaker: Speaker, text: impl Into<String>) -> Self {
        self.messages.push((speaker, text.into()));
        self
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    fn params(&self) -> Value {
        let message = |(speaker, text): &(Speaker, String)| {
            let role = if *speaker == Speaker::User { "user" } else { "assistant" };
            json!({ "role": role, "content": { "type": "text", "text": text } })
        };
        let messages: Vec<Value> = self.messages.iter().map(message).collect();
        let mut params = json!({ "messages": messages, "maxTokens": self.max_tokens });
        if let Some(system) = &self.system {
            params["systemPrompt"] = system.as_str().into();
        }
        params
    }
}

/// The answer of the client's model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sampled {
    /// The text of the answer.
    pub text: String,
    /// The name of the model, as the client calls it.
    pub model: String,
    /// Why the model stopped, such as `endTurn` or `maxTokens`.
    pub stop_reason: Option<String>,
}

impl Ask for Sampling {
    type Answer = Sampled;

    fn read(&self, reply: &Value) -> Option<Sampled> {
        let text = |block: &Value| block.get("text")?.as_str().map(str::to_owned);
        let content = reply.get("content")?;
        let text = match content {
            Value::Array(blocks) => {
                let texts: Vec<String> = blocks.iter().filter_map(text).collect();
                (!texts.is_empty()).then(|| texts.concat())
            }
            block => text(block),
        };
        let named = |key: &str| reply.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Sampled { text: text?, model: named("model")?, stop_reason: named("stopReason") })
    }
}

impl From<Sampling> for Question {
    fn from(sampling: Sampling) -> Self {
        Self::Sampling(sampling)
    }
}

/// The question for the folders that the user works in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roots;

/// A folder that the user works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The `file:` URI of the folder.
    pub uri: String,
    /// The name for people.
    pub name: Option<String>,
}

impl Ask for Roots {
    type Answer = Vec<Root>;

    fn read(&self, reply: &Value) -> Option<Vec<Root>> {
        let root = |root: &Value| {
            let root: &Map<String, Value> = root.as_object()?;
            let text = |key: &str| root.get(key).and_then(Value::as_str).map(str::to_owned);
            Some(Root { uri: text("uri")?, name: text("name") })
        };
        reply.get("roots")?.as_array()?.iter().map(root).collect()
    }
}

impl From<Roots> for Question {
    fn from(_: Roots) -> Self {
        Self::Roots
    }
}
