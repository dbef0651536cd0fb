//! Dynamic operations: the manifest does not declare them; a provider adds and removes them at run time.

use std::time::Duration;

use serde_json::{Map, Value};

use super::Effect;
use super::argument_mapping::ArgumentMapping;
use super::offered::Offered;
use crate::argument_schema::ListedNames;

/// Characters of the longest tool name; some clients refuse longer ones.
pub(super) const LONGEST_WIRE_NAME: usize = 60;
/// Characters of the longest id.
pub(super) const LONGEST_ID: usize = 200;

/// An operation that a provider adds, for example of a plugin or an upstream server.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each says something else about an operation")]
pub struct DynamicOperation {
    /// `category.provider:name`, or with more segments before the colon: `plugin.templater.execute:daily-note`. In a
    /// category that has no other operations, `category.name`.
    /// The manifest declares that the provider may add operations to the category. Category, provider and
    /// effect decide who may use it.
    pub id: String,
    /// One sentence.
    pub summary: String,
    /// Longer text.
    pub description: Option<String>,
    /// What it may do. `None` counts as `destroy`. Operations that destroy need confirmation, as those of the
    /// manifest do.
    pub effect: Option<Effect>,
    /// Whether calling it twice has the same effect as calling it once.
    pub idempotent: bool,
    /// Whether it uses the network. `None` counts as yes.
    pub open_world: Option<bool>,
    /// How people ask for it.
    pub asks: Vec<String>,
    /// Arguments of valid calls.
    pub examples: Vec<Map<String, Value>>,
    /// The JSON Schema of the arguments, with `"type": "object"`. It may refer only to itself. The arguments of
    /// each call are checked against it.
    pub input_schema: Map<String, Value>,
    /// The JSON Schema of the arguments that clients see, if they do not see `input_schema`. For clients that refuse some
    /// keywords.
    pub listed_schema: Option<Map<String, Value>>,
    /// The names in `listed_schema` that differ from those in `input_schema`.
    pub listed_names: ListedNames,
    /// The JSON Schema of the result, if the result is an object. Any other result is text, or JSON as text.
    pub output_schema: Option<Map<String, Value>>,
    /// Further fields of its entry in a list of tools, as MCP has them: `title`, `icons` and `_meta`. Only a surface on which it is
    /// a tool of its own has them.
    pub tool_fields: Map<String, Value>,
    /// Whether its provider returns a [`ToolResult`](crate::result::content::ToolResult). Its structured content is the result if
    /// there is `output_schema`, otherwise its content.
    pub returns_tool_result: bool,
    /// How clients see it.
    pub offered: Offered,
    /// How long an answer may be cached for its caller, if the operation only reads; `None` for not at all.
    pub cache: Option<Duration>,
    /// Whether it has the argument `fields`, which selects fields of a result with a schema.
    pub select: bool,
    /// How long it may run; `None` for the general timeout.
    pub timeout: Option<Duration>,
    /// How many calls of it may run at once; `None` for no limit of its own.
    pub concurrency: Option<u32>,
    /// Bytes of JSON above which the result is truncated.
    pub result_bytes: u64,
    /// Which of several operations has a name that all of them have: the one with the smallest number, and of the same number
    /// that of the provider that comes first.
    pub seniority: u64,
    /// Whether it does not join, and only keeps its names from others.
    pub is_reserved: bool,
    /// An older id, by which it is still known.
    pub older_id: Option<String>,
    /// Whether its calls must be confirmed although it does not destroy.
    pub confirm: bool,
    /// How the arguments of its schemas become those of the calls to its provider, which applies it. What the cache and
    /// idempotency keys compare are the latter.
    pub mapping: ArgumentMapping,
}

impl DynamicOperation {
    /// Creates an operation with safe assumptions: it may destroy data and use the network. `result_bytes` is
    /// the default of the manifest.
    pub fn new(
        id: impl Into<String>,
        summary: impl Into<String>,
        input_schema: Map<String, Value>,
    ) -> Self {
        Self {
            id: id.into(),
            summary: summary.into(),
            description: None,
            effect: None,
            idempotent: false,
            open_world: None,
            asks: Vec::new(),
            examples: Vec::new(),
            input_schema,
            listed_schema: None,
            listed_names: ListedNames::default(),
            output_schema: None,
            tool_fields: Map::new(),
            returns_tool_result: false,
            offered: Offered::Tool,
            cache: None,
            select: false,
            timeout: None,
            concurrency: None,
            result_bytes: 256 * 1024,
            seniority: 0,
            is_reserved: false,
            older_id: None,
            confirm: false,
            mapping: ArgumentMapping::default(),
        }
    }

    /// Returns a text as the last part of an id: white space and control characters become `-`.
    pub fn name_of(text: &str) -> String {
        let dash = |c: char| if c.is_whitespace() || c.is_control() { '-' } else { c };
        text.trim().chars().map(dash).collect()
    }

    pub(super) fn effect(&self) -> Effect {
        self.effect.unwrap_or(Effect::Destroy)
    }

    /// Whether its calls must be confirmed.
    pub(super) fn is_confirmed(&self) -> bool {
        self.confirm || self.effect() == Effect::Destroy
    }

    /// The schema of the arguments that clients see, without those of the engine.
    pub(super) fn listed(&self) -> &Map<String, Value> {
        self.listed_schema.as_ref().unwrap_or(&self.input_schema)
    }
}

/// Why an operation cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDynamicOperation {
    /// Its id is not one that its provider may add.
    #[error(
        "`{id}` is not `category.{provider}:name` with a category that lets `{provider}` add operations, or its name has white \
         space"
    )]
    Id {
        /// The id.
        id: String,
        /// The provider.
        provider: String,
    },
    /// Its effect is stronger than the category allows for its provider.
    #[error(
        "`{id}` has the effect {}, and its category allows at most {} for operations of its provider",
        effect.as_str(),
        most.as_str()
    )]
    Effect {
        /// The id.
        id: String,
        /// Its effect.
        effect: Effect,
        /// The strongest effect that is allowed.
        most: Effect,
    },
    /// Another operation has its id or its tool name, or offers a resource or a prompt of the same name.
    #[error("`{id}`: another operation has the name `{name}`")]
    Taken {
        /// The id.
        id: String,
        /// The name.
        name: String,
    },
    /// Its id is too long.
    #[error("the id `{0}` has more than {LONGEST_ID} characters")]
    TooLong(String),
    /// It cannot have a tool name without changing it.
    #[error(
        "`{0}` has a tool name with more than {LONGEST_WIRE_NAME} characters, or with others than letters, digits, \
         `-`, `_`, `.`, `:` and `/`"
    )]
    WireName(String),
    /// A schema cannot be used.
    #[error("a schema of `{id}` {why}")]
    Schema {
        /// The id.
        id: String,
        /// Why, as the rest of a sentence.
        why: String,
    },
    /// It has an argument of a name that the engine adds: `confirm` to operations that destroy, `fields` to those whose
    /// fields can be selected.
    #[error("`{0}` has an argument `{1}`, but the engine adds one of this name")]
    Argument(String, String),
    /// The authority has the maximum number of operations.
    #[error("cannot add `{0}`: the authority already has 65,535 operations")]
    Full(String),
}
