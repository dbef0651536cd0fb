//! What a model may call. The program that has the operations implements it.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
pub use toolwrit_words::Effect;

use crate::format::{BlockId, Payload, RunBlock};

/// Where a tool looks, and where its arguments go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    /// The user's own data, such as the vault.
    Closed,
    /// Beyond it, such as the web.
    Open,
    /// Nobody says. It may be either.
    Unknown,
}

/// A tool, described for no provider in particular.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "any of them may go with any other")]
pub struct Tool {
    /// The id of the operation, such as `vault.search`.
    pub id: String,
    /// The name in requests to models: up to 64 letters, digits, `_` and `-`.
    pub name: String,
    /// A short title for people.
    pub title: Option<String>,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub parameters: Value,
    /// The JSON Schema of its result.
    pub returns: Option<Value>,
    /// Arguments of typical calls.
    pub examples: Vec<Value>,
    /// What it may do.
    pub effect: Effect,
    /// Whether it reaches beyond the user's own data.
    pub world: World,
    /// Whether a person confirms each call, also one that only reads.
    pub confirm: bool,
    /// Whether a repeated call changes nothing more.
    pub idempotent: bool,
    /// How long its result stays true.
    pub cache: Option<Duration>,
    /// Whether a model need not see it before it searches for it.
    pub deferred: bool,
}

impl Tool {
    /// A tool that reads, with the name that follows from its id.
    #[must_use]
    pub fn new(id: &str, description: &str, parameters: Value) -> Self {
        Self {
            id: id.to_owned(),
            name: id.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_"),
            title: None,
            description: description.to_owned(),
            parameters,
            returns: None,
            examples: Vec::new(),
            effect: Effect::Read,
            world: World::Closed,
            confirm: false,
            idempotent: false,
            cache: None,
            deferred: false,
        }
    }
}

/// The tool that a block names: by its name within the category of the fence, its id, or its name in requests.
#[must_use]
pub fn find_tool<'t>(tools: &'t [Tool], block: &RunBlock) -> Option<&'t Tool> {
    let named = |name: String| tools.iter().find(|tool| tool.id == name || tool.name == name);
    block.names().find_map(named)
}

/// The tools of a conversation.
pub trait Tools: Send + Sync {
    /// The tools that the model is offered. Operations that converse themselves are not among them.
    fn tools(&self) -> Vec<Tool>;

    /// Why a tool of this id or name is not offered: a code, and the error that the model reads. `None` if there is no more
    /// to say than that it does not exist.
    fn refusal(&self, tool: &str) -> Option<(String, Value)> {
        let _ = tool;
        None
    }

    /// The ids of the offered tools that a selector of a note selects: here an id or a category. There are none if all that it
    /// selects is withheld now.
    ///
    /// # Errors
    /// What is wrong with a selector that selects nothing.
    fn select(&self, selector: &str) -> Result<Vec<String>, String> {
        let is_selected = |id: &String| {
            id == selector || id.strip_prefix(selector).is_some_and(|rest| rest.starts_with('.'))
        };
        let selected: Vec<String> =
            self.tools().into_iter().map(|tool| tool.id).filter(is_selected).collect();
        if selected.is_empty() {
            return Err(format!("`{selector}` selects no tool."));
        }
        Ok(selected)
    }

    /// Records a call of a tool that is not offered. It is not made.
    fn record_refused_call(&self, tool: &str, arguments: Map<String, Value>) -> BoxFuture<'_, ()> {
        let _ = (tool, arguments);
        Box::pin(std::future::ready(()))
    }

    /// Identifies what decides about results: the authority, the role and the focus. Results are used again only under the
    /// same identity.
    fn identity(&self) -> String;

    /// The calls that a call carries, such as the reads of a batch. Each is decided about and counted as if it were made alone.
    fn carried_calls(&self, tool: &str, arguments: &Map<String, Value>) -> Vec<Carried>;

    /// Whether the result of a call is there already. Nobody is asked about such a call, because nothing happens when it is
    /// made.
    fn has_result(&self, tool: &str, arguments: &Map<String, Value>) -> bool {
        let _ = (tool, arguments);
        false
    }

    /// Calls a tool. A call that changes something and has the key of an earlier call is not carried out again: its outcome
    /// is that of the earlier one, or [`Outcome::Lost`].
    fn call(&self, call: Call) -> BoxFuture<'_, Outcome>;
}

/// A call within another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Carried {
    /// The id of the operation; the name as it was given, if that is none's.
    pub tool: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
}

/// A call of a tool.
#[derive(Debug, Clone)]
pub struct Call {
    /// The id of the operation.
    pub tool: String,
    /// The arguments, as the model gave them.
    pub arguments: Map<String, Value>,
    /// The tools that the conversation offers. Calls that this one carries may be of these only.
    pub offered: Arc<[Tool]>,
    /// Whether a person has agreed to the call, and to all that it carries. Otherwise what must be confirmed is not done.
    pub agreed: bool,
    /// The idempotency key.
    pub key: BlockId,
    /// Whether the call may have been made before, by a process that ended.
    pub again: bool,
    /// The most bytes that the result may have. A tool shortens its result visibly.
    pub max_bytes: usize,
    /// Cancelled when a person stops the conversation.
    pub cancellation: CancellationToken,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It has a result.
    Done(Payload),
    /// It failed. The value is what the model reads.
    Failed {
        /// The code, such as `NOT_FOUND`.
        code: String,
        /// The error as JSON.
        error: Value,
    },
    /// It was cancelled and changed nothing.
    Cancelled,
    /// It was started before, and nobody knows how it ended.
    Lost,
}
