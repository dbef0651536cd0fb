//! The rows of the operation table.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolwrit_words::{Builtin, Effect, Task};

use super::{Alias, Field, parse_row_text};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the manifest")]
pub struct Operation {
    /// `category.name`. The name may have more segments, `plugin.dataview.query`, and a dynamic operation ends in
    /// `:name`.
    pub id: String,
    /// The part of the id after the category.
    pub name: String,
    /// The name on the flat surface, the server's prefix included.
    pub wire_name: String,
    /// Position of the category.
    pub category: u16,
    /// One sentence.
    pub summary: String,
    /// Longer text.
    pub description: Option<String>,
    /// What it may do.
    pub effect: Effect,
    /// Whether nobody says what it may do, so that the worst is assumed.
    pub is_assumed: bool,
    /// Whether calling it twice has the same effect as calling it once.
    pub idempotent: bool,
    /// Whether it uses the network.
    pub open_world: bool,
    /// Whether nobody says whether it uses the network, so that it is assumed.
    pub is_world_assumed: bool,
    /// Whether it is a write that may replace content.
    pub overwrites: bool,
    /// All parameters, in the order of the parameter struct.
    pub inputs: Vec<Field>,
    /// The portable JSON Schema of the arguments.
    pub input_schema: String,
    /// What the handler returns.
    pub returns: Returns,
    /// Whether its handler returns the result of a tool of another MCP server, a
    /// `ToolResult`. `returns` says which part of it is the value.
    pub returns_tool_result: bool,
    /// How clients see it: as a tool, a resource, a prompt or a completion.
    pub served: Served,
    /// `vault.read(path: NotePath) -> NoteContent`.
    pub signature: String,
    /// Arguments of a valid call as JSON, if any are known.
    pub example: Option<String>,
    /// Examples from the manifest.
    pub examples: Vec<Example>,
    /// Its words for searches: an `Analysis` of `toolwrit-retrieval` as bytes. Empty for a dynamic operation.
    #[serde(with = "super::bytes")]
    pub analysis: Vec<u8>,
    /// How people ask for it.
    pub asks: Vec<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// Older names.
    pub aliases: Vec<Alias>,
    /// Set if it is deprecated.
    pub deprecated: Option<Deprecation>,
    /// Whether it has the argument `fields`, which selects fields of the result.
    pub select: bool,
    /// Sizes of pages, if it has the arguments `limit` and `cursor`.
    pub page: Option<PageSizes>,
    /// How long an answer may be cached; `None` for not at all.
    pub cache: Option<Duration>,
    /// Whether a cached answer is shared by all callers.
    pub shared_cache: bool,
    /// Positions of further categories whose cached answers it invalidates.
    pub invalidates: Vec<u16>,
    /// How long the handler may run; `None` for the general timeout.
    pub timeout: Option<Duration>,
    /// How often its handler is run again after `UPSTREAM_ERROR`.
    pub retry: Option<u8>,
    /// How many calls of it may run at once; `None` for no limit of its own.
    pub concurrency: Option<u32>,
    /// Bytes of JSON above which the result is truncated.
    pub result_bytes: u64,
    /// Position of the provider that it requires.
    pub requires: Option<u16>,
    /// Positions of declared errors with which it may fail.
    pub errors: Vec<u16>,
    /// Whether a call must be confirmed.
    pub confirm: bool,
    /// Whether it has the argument `dry_run`, which reports what a call would do.
    pub dry_run: bool,
    /// How it continues as a task, if it may.
    pub task: Option<Task>,
    /// Which operation of the engine it is, if the engine carries it out itself.
    pub builtin: Option<Builtin>,
    /// How it is bound to its provider, if it has no handler: the JSON of an `OperationTable` of
    /// `toolwrit-bindings`.
    pub binding: Option<String>,
    /// Whether a provider has added it while the server runs.
    pub is_dynamic: bool,
}

impl Operation {
    /// Returns the id without the category, if that is a name of its own: `dataview.query` for
    /// `plugin.dataview.query`.
    pub fn short_name(&self) -> Option<&str> {
        self.name.contains(['.', ':']).then_some(self.name.as_str())
    }

    /// The input that `confirm` adds: the confirmation token of a first, refused call.
    pub const CONFIRM: &'static str = "confirm";
    /// The input that `select` adds: the fields of the result to return.
    pub const FIELDS: &'static str = "fields";

    /// Returns the position of the input with this name.
    pub fn input(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|field| field.name == name)
    }

    /// Returns the arguments of a valid call, if any are known.
    pub fn example(&self) -> Option<serde_json::Value> {
        self.example.as_deref().map(parse_row_text)
    }
}

impl Default for Operation {
    /// An operation without anything that is optional, which counts as one that destroys.
    fn default() -> Self {
        Self {
            id: String::new(),
            name: String::new(),
            wire_name: String::new(),
            category: 0,
            summary: String::new(),
            description: None,
            effect: Effect::Destroy,
            is_assumed: false,
            idempotent: false,
            open_world: false,
            is_world_assumed: false,
            overwrites: false,
            inputs: Vec::new(),
            input_schema: "{}".to_owned(),
            returns: Returns::Text,
            returns_tool_result: false,
            served: Served::Tool,
            signature: String::new(),
            example: None,
            examples: Vec::new(),
            analysis: Vec::new(),
            asks: Vec::new(),
            tags: Vec::new(),
            aliases: Vec::new(),
            deprecated: None,
            select: false,
            page: None,
            cache: None,
            shared_cache: false,
            invalidates: Vec::new(),
            timeout: None,
            retry: None,
            concurrency: None,
            result_bytes: 0,
            requires: None,
            errors: Vec::new(),
            confirm: false,
            dry_run: false,
            task: None,
            builtin: None,
            binding: None,
            is_dynamic: false,
        }
    }
}

/// What a handler returns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Returns {
    /// Plain text.
    Text,
    /// A JSON object, with its schema.
    Object(String),
    /// Any other JSON value; structured content carries it as `{"result": ..}`, with that schema.
    Wrapped(String),
    /// A list of content blocks.
    Content,
    /// The contents of a resource.
    Resource,
    /// The messages of a prompt.
    Messages,
}

/// How clients see an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Served {
    /// As a tool, or behind a tool of a surface.
    Tool,
    /// It reads the resource at this position.
    Resource(u16),
    /// It produces the messages of the prompt at this position.
    Prompt(u16),
    /// It suggests values for an argument of another operation, to callers who may use that one.
    Completion {
        /// Position of the operation.
        of: u16,
        /// Its argument; empty for an operation of a provider, which completes all arguments of the provider's resources
        /// and prompts, and names itself.
        argument: String,
    },
}

/// The deprecation of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deprecation {
    /// The version that deprecated it.
    pub since: Option<String>,
    /// The id of the replacement.
    pub replacement: Option<String>,
    /// Why, or how to migrate.
    pub note: Option<String>,
}

/// A valid call from the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// The arguments as JSON text.
    pub args: String,
    /// What it shows.
    pub note: Option<String>,
}

/// Sizes of a page, in items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageSizes {
    /// Items on a page if `limit` is absent.
    pub default: u32,
    /// The largest `limit`.
    pub max: u32,
}
