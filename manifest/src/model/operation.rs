//! Categories, operations and what they need.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{CategoryId, ErrorId, Field, OperationId, PromptId, ProviderId, ResourceId, Shape};

/// A family of operations: one dispatcher, one generated module, one `Handlers` trait.
#[derive(Debug, Clone, PartialEq)]
pub struct Category {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// For people.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// The words that people use for what it governs.
    pub keywords: Vec<String>,
    /// Words that its texts use, and others that people use for the same.
    pub synonyms: Vec<(String, Vec<String>)>,
    /// The name on the wire; the category's own unless `tool` says otherwise.
    pub wire_name: String,
    /// Its operations stay plain tools on the dispatch surface.
    pub direct: bool,
}

/// What an operation may do to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Looks, never changes.
    Read,
    /// Adds or changes.
    Write,
    /// Removes.
    Destroy,
}

impl Effect {
    /// All of them, weakest first.
    pub const ALL: [Effect; 3] = [Effect::Read, Effect::Write, Effect::Destroy];

    /// The word used in the manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Destroy => "destroy",
        }
    }
}

/// How an operation goes on after its call was answered, as an [MCP task].
///
/// [MCP task]: https://modelcontextprotocol.io/seps/2663-tasks-extension
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Task {
    /// With whom.
    pub support: TaskSupport,
    /// From when on.
    pub begins: Begins,
}

/// With which clients an operation goes on as a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskSupport {
    /// With clients that know tasks.
    Optional,
    /// Always; a client that could know tasks and does not say so is refused.
    Required,
}

impl TaskSupport {
    /// Both of them.
    pub const ALL: [TaskSupport; 2] = [TaskSupport::Optional, TaskSupport::Required];

    /// The word used in the manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskSupport::Optional => "optional",
            TaskSupport::Required => "required",
        }
    }
}

/// When a call becomes a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Begins {
    /// Before anything else is done.
    #[default]
    AtOnce,
    /// When its handler says so. What was asked before that, the call itself asked.
    ByHandler,
}

impl Begins {
    /// Both of them.
    pub const ALL: [Begins; 2] = [Begins::AtOnce, Begins::ByHandler];

    /// The word used in the manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Begins::AtOnce => "at_once",
            Begins::ByHandler => "by_handler",
        }
    }
}

/// Something outside the server that some operations need.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// For people.
    pub title: String,
    /// One sentence.
    pub summary: String,
}

/// A failure that the author of a server gives a code of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorDef {
    /// The code on the wire, `SCREAMING_SNAKE_CASE`.
    pub name: String,
    /// One sentence.
    pub summary: String,
    /// What a caller can do about it.
    pub hint: Option<String>,
    /// The same call may succeed later.
    pub retryable: bool,
}

impl ErrorDef {
    /// The codes of the engine's own failures, which no author declares.
    pub const BUILT_IN: [&str; 16] = [
        "TOOL_NOT_FOUND",
        "VALIDATION_ERROR",
        "WRITES_DISABLED",
        "FOCUS_RESTRICTED",
        "PROVIDER_UNAVAILABLE",
        "CONFIRMATION_REQUIRED",
        "NOT_FOUND",
        "ALREADY_EXISTS",
        "CONFLICT",
        "INVALID_PATH",
        "TIMEOUT",
        "CANCELLED",
        "LIMIT_EXCEEDED",
        "RESULT_TOO_LARGE",
        "UPSTREAM_ERROR",
        "INTERNAL",
    ];
}

/// One thing that the server can do.
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the language")]
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// `category.name`.
    pub id: String,
    /// The part of the id behind the category.
    pub name: String,
    /// The category it belongs to.
    pub category: CategoryId,
    /// One sentence, at most 100 characters.
    pub summary: String,
    /// Longer text for describe and docs.
    pub description: Option<String>,
    /// What it may do to the world.
    pub effect: Effect,
    /// Calling it twice is as calling it once.
    pub idempotent: bool,
    /// It touches the network.
    pub open_world: bool,
    /// A write that may replace content.
    pub overwrites: bool,
    /// The declared parameters, without those that the engine adds ([`Model::inputs`](super::Model::inputs)).
    pub params: Vec<Field>,
    /// What its handler gives back.
    pub returns: Returns,
    /// What clients see it as.
    pub served: Served,
    /// `fields` cuts the result to the named fields.
    pub select: bool,
    /// `limit` and `cursor` page through the result.
    pub page: Option<Page>,
    /// How answers may be reused. Reads only.
    pub cache: Option<Cache>,
    /// Further categories whose reusable answers a call of it ends. Not for reads.
    pub invalidates: Vec<CategoryId>,
    /// How long the handler may run, when it differs from the manifest's limit.
    pub timeout: Option<Duration>,
    /// How often a handler is tried again after `UPSTREAM_ERROR`. Only where it is idempotent.
    pub retry: Option<u8>,
    /// How many calls of this operation may run at once.
    pub concurrency: Option<u32>,
    /// Above this many bytes the result is truncated, when it differs from the manifest's limit.
    pub result_bytes: Option<u64>,
    /// The provider that must be there.
    pub requires: Option<ProviderId>,
    /// Declared errors with which it may fail.
    pub errors: Vec<ErrorId>,
    /// The caller confirms before it acts. Always set where the effect is `destroy`.
    pub confirm: bool,
    /// `dry_run` reports what would happen.
    pub dry_run: bool,
    /// How it goes on as a task, if it may.
    pub task: Option<Task>,
    /// Older names that still work.
    pub aliases: Vec<Alias>,
    /// Set when it is on its way out.
    pub deprecated: Option<Deprecation>,
    /// How people ask for it.
    pub asks: Vec<String>,
    /// Valid calls.
    pub examples: Vec<Example>,
    /// Free labels for selectors.
    pub tags: Vec<String>,
    /// The name on the flat surface, without the server's prefix.
    pub wire_name: String,
}

/// What a handler gives back.
#[derive(Debug, Clone, PartialEq)]
pub enum Returns {
    /// Plain text.
    Text,
    /// Blocks of text, images, audio and resources.
    Content,
    /// The contents of a resource.
    Resource,
    /// The messages of a prompt.
    Messages,
    /// A value of this shape.
    Value(Shape),
}

impl Returns {
    /// The shape of the result, where it is a value.
    pub fn shape(&self) -> Option<&Shape> {
        match self {
            Returns::Value(shape) => Some(shape),
            Returns::Text | Returns::Content | Returns::Resource | Returns::Messages => None,
        }
    }

    /// The word for a result that is no value and no plain text.
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Returns::Content => Some("content"),
            Returns::Resource => Some("resource"),
            Returns::Messages => Some("messages"),
            Returns::Text | Returns::Value(_) => None,
        }
    }
}

/// What clients see an operation as. Whatever it is, the same rules say who may use it.
#[derive(Debug, Clone, PartialEq)]
pub enum Served {
    /// A tool, or what a tool runs.
    Tool,
    /// The read of a resource.
    Resource(ResourceId),
    /// The writing of a prompt.
    Prompt(PromptId),
    /// Suggestions for an argument. Who may use `of` may ask for them.
    Completion {
        /// The resource's or the prompt's own operation.
        of: OperationId,
        /// The argument that is being filled in.
        argument: String,
    },
}

/// `cache:`. How answers may be reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cache {
    /// For how long.
    pub period: Duration,
    /// An answer to one caller serves others too.
    pub shared: bool,
}

/// `page:`. Sizes in items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// When `limit` is absent.
    pub default: u32,
    /// The largest `limit`.
    pub max: u32,
}

/// An older name of an operation, unique among all names of the authority.
#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    /// The older name.
    pub name: String,
    /// Older parameter names, and what they are called now.
    pub args: Vec<(String, String)>,
    /// Parameters that the older name fixes, with values that fit.
    pub set: Map<String, Value>,
}

/// What to use in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Deprecation {
    /// The version that deprecated it.
    pub since: Option<String>,
    /// The replacement.
    pub replacement: Option<OperationId>,
    /// Why, or how to move.
    pub note: Option<String>,
}

/// A call that fits the operation's parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The arguments.
    pub args: Map<String, Value>,
    /// What it shows.
    pub note: Option<String>,
}
