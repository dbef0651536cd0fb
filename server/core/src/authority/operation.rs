//! One row of the operation table.

use std::time::Duration;

use super::Field;

/// What an operation may do to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Reads, never changes.
    Read,
    /// Adds or changes.
    Write,
    /// Removes.
    Destroy,
}

impl Effect {
    /// All of them, weakest first.
    pub const ALL: [Effect; 3] = [Effect::Read, Effect::Write, Effect::Destroy];

    /// The manifest's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Destroy => "destroy",
        }
    }

    /// The word in the names of split tools: `vault_delete`, `execute_delete`.
    pub fn verb(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Destroy => "delete",
        }
    }
}

/// One thing that the server can do.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the manifest")]
pub struct Operation<'a> {
    /// `category.name`.
    pub id: &'a str,
    /// The part of the id behind the category.
    pub name: &'a str,
    /// The name on the flat surface, the server's prefix included.
    pub wire_name: &'a str,
    /// Position of the category.
    pub category: u16,
    /// One sentence.
    pub summary: &'a str,
    /// Longer text.
    pub description: Option<&'a str>,
    /// What it may do to the world.
    pub effect: Effect,
    /// Calling it twice is as calling it once.
    pub idempotent: bool,
    /// It touches the network.
    pub open_world: bool,
    /// A write that may replace content.
    pub overwrites: bool,
    /// Everything that a call accepts, in the order of the parameter struct.
    pub inputs: &'a [Field<'a>],
    /// The portable JSON Schema of the arguments.
    pub input_schema: &'a str,
    /// What the handler gives back.
    pub returns: Returns<'a>,
    /// What clients see it as.
    pub served: Served<'a>,
    /// `vault.read(path: NotePath) -> NoteContent`.
    pub signature: &'a str,
    /// Arguments of a valid call as JSON, when one is known.
    pub example: Option<&'a str>,
    /// Examples from the manifest.
    pub examples: &'a [Example<'a>],
    /// What a search has of it: a [`toolwrit_retrieval::Analysis`] as bytes.
    pub analysis: &'a [u8],
    /// How people ask for it.
    pub asks: &'a [&'a str],
    /// Free labels.
    pub tags: &'a [&'a str],
    /// Older names.
    pub aliases: &'a [Alias<'a>],
    /// Set when it is on its way out.
    pub deprecated: Option<Deprecation<'a>>,
    /// `fields` cuts the result.
    pub select: bool,
    /// `limit` and `cursor` page through the result.
    pub page: Option<PageSizes>,
    /// How long an answer may be reused.
    pub cache: Option<Duration>,
    /// Such an answer serves other callers, too.
    pub shared_cache: bool,
    /// Positions of further categories whose reusable answers it ends.
    pub invalidates: &'a [u16],
    /// How long the handler may run, when not as long as any.
    pub timeout: Option<Duration>,
    /// How often its handler is tried again after `UPSTREAM_ERROR`.
    pub retry: Option<u8>,
    /// How many calls of it may run at once, when limited.
    pub concurrency: Option<u32>,
    /// Above this many bytes the result is truncated.
    pub result_bytes: u64,
    /// Position of the provider that must be there.
    pub requires: Option<u16>,
    /// Positions of declared errors with which it may fail.
    pub errors: &'a [u16],
    /// The caller confirms before it acts.
    pub confirm: bool,
    /// `dry_run` reports what would happen.
    pub dry_run: bool,
    /// How it goes on after its call was answered, if it may.
    pub task: Option<Task>,
    /// Its position among the dynamic operations, when it is one.
    pub joined: Option<u16>,
}

impl Operation<'_> {
    /// The input that `confirm` adds: the confirmation token of a first, refused call.
    pub const CONFIRM: &'static str = "confirm";

    /// What an operation is unless its row says more.
    pub const BARE: Self = Self {
        id: "",
        name: "",
        wire_name: "",
        category: 0,
        summary: "",
        description: None,
        effect: Effect::Destroy,
        idempotent: false,
        open_world: false,
        overwrites: false,
        inputs: &[],
        input_schema: "{}",
        returns: Returns::Text,
        served: Served::Tool,
        signature: "",
        example: None,
        examples: &[],
        analysis: &[],
        asks: &[],
        tags: &[],
        aliases: &[],
        deprecated: None,
        select: false,
        page: None,
        cache: None,
        shared_cache: false,
        invalidates: &[],
        timeout: None,
        retry: None,
        concurrency: None,
        result_bytes: 0,
        requires: None,
        errors: &[],
        confirm: false,
        dry_run: false,
        task: None,
        joined: None,
    };

    /// The position of the input of this name.
    pub(crate) fn input(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|field| field.name == name)
    }

    /// Arguments of a valid call, when one is known.
    pub fn example(&self) -> Option<serde_json::Value> {
        self.example.and_then(|text| serde_json::from_str(text).ok())
    }
}

/// How an operation goes on as an MCP task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// With whom.
    pub support: TaskSupport,
    /// From when on.
    pub begins: Begins,
}

/// With which clients an operation goes on as a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskSupport {
    /// With clients that know tasks.
    Optional,
    /// Always; a client that could know tasks and does not say so is refused.
    Required,
}

/// When a call becomes a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    /// Before anything else is done.
    AtOnce,
    /// When its handler says so.
    ByHandler,
}

/// What a handler gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns<'a> {
    /// Plain text.
    Text,
    /// A JSON object, with its schema.
    Object(&'a str),
    /// Any other JSON value; structured content carries it as `{"result": ..}`, with that schema.
    Wrapped(&'a str),
    /// A list of content blocks.
    Content,
    /// The contents of a resource.
    Resource,
    /// The messages of a prompt.
    Messages,
}

/// What clients see an operation as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served<'a> {
    /// A tool, or what a tool runs.
    Tool,
    /// The read of the resource at this position.
    Resource(u16),
    /// The writing of the prompt at this position.
    Prompt(u16),
    /// Suggestions for an argument of another operation, for callers that may use it.
    Completion {
        /// Position of the operation.
        of: u16,
        /// Its argument.
        argument: &'a str,
    },
}

/// An older name of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Alias<'a> {
    /// The older name.
    pub name: &'a str,
    /// Older parameter names, and what they are called now.
    pub args: &'a [(&'a str, &'a str)],
    /// Parameters that the older name fixes, as JSON text.
    pub set: &'a [(&'a str, &'a str)],
}

/// What to use in place of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Deprecation<'a> {
    /// The version that deprecated it.
    pub since: Option<&'a str>,
    /// The id of the replacement.
    pub replacement: Option<&'a str>,
    /// Why, or how to move.
    pub note: Option<&'a str>,
}

/// A valid call from the manifest.
#[derive(Debug, Clone, Copy)]
pub struct Example<'a> {
    /// The arguments as JSON text.
    pub args: &'a str,
    /// What it shows.
    pub note: Option<&'a str>,
}

/// Sizes of a page, in items.
#[derive(Debug, Clone, Copy)]
pub struct PageSizes {
    /// When `limit` is absent.
    pub default: u32,
    /// The largest `limit`.
    pub max: u32,
}
