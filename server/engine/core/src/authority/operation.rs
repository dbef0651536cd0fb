//! The rows of the operation table.

use std::time::Duration;

use toolwrit_words::{Builtin, Effect, Task};

use super::{Field, FoundBy};
use crate::json::written::parse_row_text;

/// One operation.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the manifest")]
pub struct Operation<'a> {
    /// `category.name`. The name may have more segments, `plugin.dataview.query`, and a dynamic operation ends in
    /// `:name`.
    pub id: &'a str,
    /// The part of the id after the category.
    pub name: &'a str,
    /// The name on the flat surface, the server's prefix included.
    pub wire_name: &'a str,
    /// Position of the category.
    pub category: u16,
    /// One sentence.
    pub summary: &'a str,
    /// Longer text.
    pub description: Option<&'a str>,
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
    pub inputs: &'a [Field<'a>],
    /// The portable JSON Schema of the arguments.
    pub input_schema: &'a str,
    /// What the handler returns.
    pub returns: Returns<'a>,
    /// Whether its handler returns the result of a tool of another MCP server, a
    /// [`ToolResult`](crate::result::content::ToolResult). `returns` says which part of it is the value.
    pub returns_tool_result: bool,
    /// How clients see it: as a tool, a resource, a prompt or a completion.
    pub served: Served<'a>,
    /// `vault.read(path: NotePath) -> NoteContent`.
    pub signature: &'a str,
    /// Arguments of a valid call as JSON, if any are known.
    pub example: Option<&'a str>,
    /// Examples from the manifest.
    pub examples: &'a [Example<'a>],
    /// Its words for searches: a [`toolwrit_retrieval::Analysis`] as bytes. Empty for a dynamic operation.
    pub analysis: &'a [u8],
    /// The words of a dynamic operation.
    pub found_by: Option<FoundBy<'a>>,
    /// How people ask for it.
    pub asks: &'a [&'a str],
    /// Free labels.
    pub tags: &'a [&'a str],
    /// Older names.
    pub aliases: &'a [Alias<'a>],
    /// Set if it is deprecated.
    pub deprecated: Option<Deprecation<'a>>,
    /// Whether it has the argument `fields`, which selects fields of the result.
    pub select: bool,
    /// Sizes of pages, if it has the arguments `limit` and `cursor`.
    pub page: Option<PageSizes>,
    /// How long an answer may be cached; `None` for not at all.
    pub cache: Option<Duration>,
    /// Whether a cached answer is shared by all callers.
    pub shared_cache: bool,
    /// Positions of further categories whose cached answers it invalidates.
    pub invalidates: &'a [u16],
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
    pub errors: &'a [u16],
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
    pub binding: Option<&'a str>,
    /// Its position among the dynamic operations; `None` for an operation of the manifest.
    pub joined: Option<u16>,
}

impl<'a> Operation<'a> {
    /// Returns the id without the category, if that is a name of its own: `dataview.query` for
    /// `plugin.dataview.query`.
    pub fn short_name(&self) -> Option<&'a str> {
        self.name.contains(['.', ':']).then_some(self.name)
    }
}

impl Operation<'_> {
    /// The input that `confirm` adds: the confirmation token of a first, refused call.
    pub const CONFIRM: &'static str = "confirm";
    /// The input that `select` adds: the fields of the result to return.
    pub const FIELDS: &'static str = "fields";

    /// An operation with the default value of each field.
    pub const BARE: Self = Self {
        id: "",
        name: "",
        wire_name: "",
        category: 0,
        summary: "",
        description: None,
        effect: Effect::Destroy,
        is_assumed: false,
        idempotent: false,
        open_world: false,
        is_world_assumed: false,
        overwrites: false,
        inputs: &[],
        input_schema: "{}",
        returns: Returns::Text,
        returns_tool_result: false,
        served: Served::Tool,
        signature: "",
        example: None,
        examples: &[],
        analysis: &[],
        found_by: None,
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
        builtin: None,
        binding: None,
        joined: None,
    };

    /// Returns the position of the input with this name.
    pub(crate) fn input(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|field| field.name == name)
    }

    /// Returns the arguments of a valid call, if any are known.
    pub fn example(&self) -> Option<serde_json::Value> {
        self.example.map(parse_row_text)
    }
}

/// What a handler returns.
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

/// How clients see an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served<'a> {
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
        argument: &'a str,
    },
}

/// An older name of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Alias<'a> {
    /// The older name.
    pub name: &'a str,
    /// How to translate the arguments of its calls.
    pub mapping: Mapping<'a>,
}

/// How older arguments become current ones.
#[derive(Debug, Clone, Copy)]
pub struct Mapping<'a> {
    /// Older parameters whose members are parameters.
    pub flatten: &'a [&'a str],
    /// Older parameters, or places inside them, that no longer have an effect.
    pub ignore: &'a [ArgumentPath<'a>],
    /// Older parameter names, and where their values belong.
    pub args: &'a [(&'a str, ArgumentPath<'a>)],
    /// Older values, and the current ones as JSON text.
    pub values: &'a [(ArgumentPath<'a>, &'a [(&'a str, &'a str)])],
    /// Values that the older name fixes, as JSON text.
    pub set: &'a [(ArgumentPath<'a>, &'a str)],
    /// Older parameters that are lists.
    pub each: &'a [EachItem<'a>],
}

impl Mapping<'_> {
    /// The mapping of arguments that have not changed.
    pub const SAME: Self =
        Self { flatten: &[], ignore: &[], args: &[], values: &[], set: &[], each: &[] };

    /// Whether arguments stay as they are.
    pub(crate) fn is_same(&self) -> bool {
        let Self { flatten, ignore, args, values, set, each } = self;
        flatten.is_empty()
            && ignore.is_empty()
            && args.is_empty()
            && values.is_empty()
            && set.is_empty()
            && each.is_empty()
    }
}

/// How each item of an older list becomes an item of a current one.
#[derive(Debug, Clone, Copy)]
pub struct EachItem<'a> {
    /// The older parameter.
    pub from: &'a str,
    /// The current list. Items are added to its end.
    pub into: ArgumentPath<'a>,
    /// Where in the current item an older item belongs that is not an object.
    pub item: Option<ArgumentPath<'a>>,
    /// Where in the current item an identifier belongs that is made from the item and its position.
    pub id: Option<ArgumentPath<'a>>,
    /// How the fields of an older item become those of a current one.
    pub mapping: Mapping<'a>,
}

/// A parameter, or a place inside one: the keys that lead to it. A key of digits is the position of an item in a
/// list.
pub type ArgumentPath<'a> = &'a [&'a str];

/// The deprecation of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Deprecation<'a> {
    /// The version that deprecated it.
    pub since: Option<&'a str>,
    /// The id of the replacement.
    pub replacement: Option<&'a str>,
    /// Why, or how to migrate.
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
    /// Items on a page if `limit` is absent.
    pub default: u32,
    /// The largest `limit`.
    pub max: u32,
}
