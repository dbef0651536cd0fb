//! Categories, operations, providers and errors.

use std::time::Duration;

use serde_json::{Map, Value};
use toolwrit_words::{Builtin, Effect, Task};

use super::{
    Alias, Binding, CategoryId, ErrorId, Field, OperationId, PromptId, ProviderId, ResourceId,
    Setting, Shape,
};

/// A category of operations: one dispatcher, one generated module, one `Handlers` trait.
#[derive(Debug, Clone, PartialEq)]
pub struct Category {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// For people.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// The words that people use for its subject.
    pub keywords: Vec<String>,
    /// Synonyms: words of its texts, and other words with the same meaning.
    pub synonyms: Vec<(String, Vec<String>)>,
    /// The name on the wire: `tool` if it is given, otherwise the category's own name.
    pub wire_name: String,
    /// Its operations stay plain tools on the dispatch surface.
    pub direct: bool,
    /// The parameter that selects one of several instances that the application may serve.
    pub instance: Option<String>,
    /// The providers that may add operations to it at run time, and the strongest effect of these
    /// operations.
    pub providers: Vec<(ProviderId, Effect)>,
}

/// A provider that may add operations to a category at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Joining {
    pub category: CategoryId,
    pub provider: ProviderId,
    /// The strongest effect of these operations.
    pub most: Effect,
}

/// An external service that some operations need.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// For people.
    pub title: String,
    /// One sentence.
    pub summary: String,
    /// What the operator says about it.
    pub settings: Vec<Setting>,
    /// How operations are bound to it; `None` if it only is or is not there.
    pub binding: Option<Binding>,
}

/// An error with a code that the author declares.
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

/// An operation of the server.
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the language")]
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// `category.name`.
    pub id: String,
    /// The part of the id after the category.
    pub name: String,
    /// The category it belongs to.
    pub category: CategoryId,
    /// One sentence, at most 100 characters.
    pub summary: String,
    /// Longer text for describe and docs.
    pub description: Option<String>,
    /// Which operation of the engine it is, if the engine carries it out.
    pub builtin: Option<Builtin>,
    /// How it is bound to its provider; `None` if it has a handler.
    pub binding: Option<Binding>,
    /// What it may change.
    pub effect: Effect,
    /// Calling it twice has the same effect as calling it once.
    pub idempotent: bool,
    /// It uses the network. `None` if it is bound, and the manifest does not say so.
    pub open_world: Option<bool>,
    /// A write that may replace content.
    pub overwrites: bool,
    /// The declared parameters, without those that the engine adds ([`Model::inputs`](super::Model::inputs)).
    pub params: Vec<Field>,
    /// What its handler returns.
    pub returns: Returns,
    /// How clients see it.
    pub served: Served,
    /// The parameter `fields` reduces the result to the named fields.
    pub select: bool,
    /// The parameters `limit` and `cursor` page through the result.
    pub page: Option<PageSizes>,
    /// How answers may be reused. Reads only.
    pub cache: Option<Caching>,
    /// Further categories whose cached answers a call invalidates. Not for reads.
    pub invalidates: Vec<CategoryId>,
    /// How long the handler may run, if it differs from the manifest's limit.
    pub timeout: Option<Duration>,
    /// How often a handler is retried after `UPSTREAM_ERROR`. Only for idempotent operations.
    pub retry: Option<u8>,
    /// How many calls of this operation may run at once.
    pub concurrency: Option<u32>,
    /// A result with more bytes is truncated, if this differs from the manifest's limit.
    pub result_bytes: Option<u64>,
    /// The provider that it needs.
    pub requires: Option<ProviderId>,
    /// Declared errors with which it may fail.
    pub errors: Vec<ErrorId>,
    /// The caller must confirm the call. Always set if the effect is `destroy`.
    pub confirm: bool,
    /// The parameter `dry_run` makes it report what would happen.
    pub dry_run: bool,
    /// How it continues as a task, if it may.
    pub task: Option<Task>,
    /// Older names that still work.
    pub aliases: Vec<Alias>,
    /// Its deprecation, if it is deprecated.
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

impl Operation {
    /// Whether it uses the network, or may.
    pub fn uses_network(&self) -> bool {
        self.open_world != Some(false)
    }

    /// Its id without the category, if that is a name of its own: `dataview.query` for `plugin.dataview.query`.
    pub fn short_name(&self) -> Option<&str> {
        self.name.contains('.').then_some(&self.name)
    }
}

/// What a handler returns.
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
    Value(Shape),
}

impl Returns {
    /// The shape of the result, if it is a value.
    pub fn shape(&self) -> Option<&Shape> {
        match self {
            Returns::Value(shape) => Some(shape),
            Returns::Text | Returns::Content | Returns::Resource | Returns::Messages => None,
        }
    }

    /// The keyword for a result that is neither a value nor plain text.
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Returns::Content => Some("content"),
            Returns::Resource => Some("resource"),
            Returns::Messages => Some("messages"),
            Returns::Text | Returns::Value(_) => None,
        }
    }
}

/// How clients see an operation. The same policies apply to all kinds.
#[derive(Debug, Clone, PartialEq)]
pub enum Served {
    /// A tool, or an operation that a tool runs.
    Tool,
    /// Reading a resource.
    Resource(ResourceId),
    /// Rendering a prompt.
    Prompt(PromptId),
    /// Suggestions for an argument. Callers who may use `of` may ask for them.
    Completion {
        /// The resource's or the prompt's own operation.
        of: OperationId,
        /// The argument that suggestions are for.
        argument: String,
    },
}

/// `cache:`. How answers may be reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caching {
    /// For how long.
    pub period: Duration,
    /// An answer to one caller may be reused for others.
    pub shared: bool,
}

/// `page:`. Sizes in items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSizes {
    /// The size if `limit` is absent.
    pub default: u32,
    /// The largest `limit`.
    pub max: u32,
}

/// The deprecation of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Deprecation {
    /// The version that deprecated it.
    pub since: Option<String>,
    pub replacement: Option<OperationId>,
    /// Why, or how to migrate.
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
