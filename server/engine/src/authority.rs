//! What a generated authority looks like: static tables, read by the engine, written by
//! [`authority!`](crate::authority) alone. Nothing here allocates at start.

use std::sync::OnceLock;
use std::time::Duration;

use regex::Regex;

/// One authority as the macro leaves it in the binary.
#[derive(Debug)]
pub struct Authority {
    /// How the server presents itself.
    pub server: Server,
    /// Ceilings for the cost of `tools/list`, in o200k tokens.
    pub budget: Budget,
    /// How many handlers may run at once, over all operations.
    pub concurrency: u32,
    /// Categories in manifest order.
    pub categories: &'static [Category],
    /// Operations in manifest order.
    pub operations: &'static [Operation],
    /// Ids, wire names and aliases, sorted by name.
    pub names: &'static [Name],
    /// Focus modes; the first is the default.
    pub focus: &'static [FocusMode],
    /// Roles; the first is the default.
    pub roles: &'static [Role],
    /// For each focus mode, then each role: the operations that both allow.
    pub policy: &'static [&'static [&'static [u64]]],
    /// What a message is about, and what is then relevant.
    pub contexts: &'static [ContextRule],
    /// What some operations need at run time.
    pub providers: &'static [Provider],
    /// The YAML files, the root first.
    pub sources: &'static [Source],
}

/// Tests one bit of an operation set.
pub(crate) fn contains(set: &[u64], operation: usize) -> bool {
    set.get(operation / 64).is_some_and(|word| word >> (operation % 64) & 1 == 1)
}

impl Authority {
    /// Finds an operation by id, wire name or alias.
    pub(crate) fn lookup(&self, name: &str) -> Option<&'static Name> {
        self.names.binary_search_by(|entry| entry.name.cmp(name)).ok().map(|at| &self.names[at])
    }

    /// The category of an operation.
    pub(crate) fn category_of(&self, operation: &Operation) -> &'static Category {
        &self.categories[usize::from(operation.category)]
    }
}

/// How the server presents itself.
#[derive(Debug)]
pub struct Server {
    /// Programmatic name.
    pub name: &'static str,
    /// Name for people.
    pub title: Option<&'static str>,
    /// Version of the crate that holds the authority.
    pub version: &'static str,
    /// Instructions for the model.
    pub instructions: Option<&'static str>,
    /// Empty, or what stands before every wire name, `_` included.
    pub prefix: &'static str,
}

/// Ceilings for the cost of `tools/list`, in o200k tokens.
#[derive(Debug)]
pub struct Budget {
    /// For the flat surface.
    pub flat: Option<u64>,
    /// For the dispatch surface.
    pub dispatch: Option<u64>,
    /// For the meta surface.
    pub meta: Option<u64>,
}

/// A family of operations.
#[derive(Debug)]
pub struct Category {
    /// The manifest's name.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The words that people use for what it governs.
    pub keywords: &'static [&'static str],
    /// Its name on the wire, without the server's prefix.
    pub wire_name: &'static str,
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

    /// The manifest's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Destroy => "destroy",
        }
    }

    /// The word in the names of split tools: `vault_delete`, `execute_delete`.
    pub(crate) fn door(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Destroy => "delete",
        }
    }
}

/// One thing that the server can do.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the manifest")]
pub struct Operation {
    /// `category.name`.
    pub id: &'static str,
    /// The part of the id behind the category.
    pub name: &'static str,
    /// The name on the flat surface, the server's prefix included.
    pub wire_name: &'static str,
    /// Position of the category.
    pub category: u16,
    /// One sentence.
    pub summary: &'static str,
    /// Longer text.
    pub description: Option<&'static str>,
    /// What it may do to the world.
    pub effect: Effect,
    /// Calling it twice is as calling it once.
    pub idempotent: bool,
    /// It touches the network.
    pub open_world: bool,
    /// A write that may replace content.
    pub overwrites: bool,
    /// Everything that a call accepts, in the order of the parameter struct.
    pub inputs: &'static [Field],
    /// The portable JSON Schema of the arguments.
    pub input_schema: &'static str,
    /// What the handler gives back.
    pub returns: Returns,
    /// `vault.read(path: NotePath) -> NoteContent`.
    pub signature: &'static str,
    /// Arguments of a valid call as JSON, when one is known.
    pub example: Option<&'static str>,
    /// Examples from the manifest.
    pub examples: &'static [Example],
    /// How people ask for it.
    pub asks: &'static [&'static str],
    /// Free labels.
    pub tags: &'static [&'static str],
    /// Older names.
    pub aliases: &'static [Alias],
    /// Set when it is on its way out.
    pub deprecated: Option<Deprecation>,
    /// `fields` cuts the result.
    pub select: bool,
    /// `limit` and `cursor` page through the result.
    pub page: Option<Page>,
    /// How long an answer may be reused.
    pub cache: Option<Duration>,
    /// How long the handler may run.
    pub timeout: Duration,
    /// How many calls of it may run at once, when limited.
    pub concurrency: Option<u32>,
    /// Above this many bytes the result is truncated.
    pub result_bytes: u64,
    /// Position of the provider that must be there.
    pub requires: Option<u16>,
    /// The caller confirms before it acts.
    pub confirm: bool,
    /// `dry_run` reports what would happen.
    pub dry_run: bool,
}

impl Operation {
    /// What an operation is unless its row says more.
    pub const BARE: Operation = Operation {
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
        signature: "",
        example: None,
        examples: &[],
        asks: &[],
        tags: &[],
        aliases: &[],
        deprecated: None,
        select: false,
        page: None,
        cache: None,
        timeout: Duration::ZERO,
        concurrency: None,
        result_bytes: 0,
        requires: None,
        confirm: false,
        dry_run: false,
    };

    /// Arguments of a valid call, when one is known.
    pub(crate) fn example(&self) -> Option<serde_json::Value> {
        self.example.and_then(|text| serde_json::from_str(text).ok())
    }
}

/// What a handler gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    /// Plain text.
    Text,
    /// A JSON object, with its schema.
    Object(&'static str),
    /// Any other JSON value; structured content carries it as `{"result": ..}`, with that schema.
    Wrapped(&'static str),
}

/// A parameter, or a field of an object parameter.
#[derive(Debug)]
pub struct Field {
    /// The manifest's name.
    pub name: &'static str,
    /// What values it takes.
    pub ty: &'static Type,
    /// Whether it must be given.
    pub presence: Presence,
    /// For people and models.
    pub description: &'static str,
    /// Never written to logs.
    pub sensitive: bool,
}

impl Field {
    /// A field that must be given.
    pub const REQUIRED: Field = Field {
        name: "",
        ty: &Type::Json,
        presence: Presence::Required,
        description: "",
        sensitive: false,
    };
    /// A field that may be absent.
    pub const OPTIONAL: Field = Field { presence: Presence::Optional, ..Field::REQUIRED };
}

/// Whether a field must be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It must be given.
    Required,
    /// It may be absent.
    Optional,
    /// It may be absent and is then this JSON text, which fits.
    Default(&'static str),
}

/// The values that a field takes.
#[derive(Debug)]
pub enum Type {
    /// A string; lengths in Unicode scalar values.
    String {
        /// Shortest length.
        min: u64,
        /// Longest length.
        max: u64,
        /// Must match somewhere.
        pattern: Option<&'static Pattern>,
    },
    /// A whole number.
    Integer {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// A finite number.
    Number {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// `true` or `false`.
    Boolean,
    /// A calendar date.
    Date,
    /// An instant.
    DateTime,
    /// Any JSON value.
    Json,
    /// One of several strings.
    Enum(&'static [&'static str]),
    /// A list.
    Array {
        /// Each item.
        items: &'static Type,
        /// Fewest items.
        min: u64,
        /// Most items.
        max: u64,
    },
    /// An object with free keys.
    Map(&'static Type),
    /// An object with declared fields.
    Record(&'static [Field]),
}

impl Type {
    /// Any string.
    pub const STRING: Type = Type::String { min: 0, max: u64::MAX, pattern: None };
    /// Any 64-bit whole number.
    pub const INTEGER: Type = Type::Integer { min: i64::MIN, max: i64::MAX };
    /// Any finite number.
    pub const NUMBER: Type = Type::Number { min: f64::MIN, max: f64::MAX };
}

/// A regular expression, compiled on first use. The macro has seen it compile.
#[derive(Debug)]
pub struct Pattern {
    source: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Wraps an expression that the macro has checked.
    pub const fn new(source: &'static str) -> Self {
        Self { source, compiled: OnceLock::new() }
    }

    /// The expression as written in the manifest.
    pub fn as_str(&self) -> &'static str {
        self.source
    }

    /// Whether it matches somewhere in the text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.compiled
            .get_or_init(|| Regex::new(self.source).ok())
            .as_ref()
            .is_some_and(|regex| regex.is_match(text))
    }
}

/// An older name of an operation.
#[derive(Debug)]
pub struct Alias {
    /// The older name.
    pub name: &'static str,
    /// Older parameter names, and what they are called now.
    pub args: &'static [(&'static str, &'static str)],
    /// Parameters that the older name fixes, as JSON text.
    pub set: &'static [(&'static str, &'static str)],
}

/// What to use in place of an operation.
#[derive(Debug)]
pub struct Deprecation {
    /// The version that deprecated it.
    pub since: Option<&'static str>,
    /// The id of the replacement.
    pub replacement: Option<&'static str>,
    /// Why, or how to move.
    pub note: Option<&'static str>,
}

/// A valid call from the manifest.
#[derive(Debug)]
pub struct Example {
    /// The arguments as JSON text.
    pub args: &'static str,
    /// What it shows.
    pub note: Option<&'static str>,
}

/// Sizes of a page, in items.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// When `limit` is absent.
    pub default: u32,
    /// The largest `limit`.
    pub max: u32,
}

/// One name by which an operation can be called.
#[derive(Debug)]
pub struct Name {
    /// The name itself.
    pub name: &'static str,
    /// Position of the operation.
    pub operation: u16,
    /// Position among the operation's aliases, when it is one.
    pub alias: Option<u16>,
}

/// A focus mode.
#[derive(Debug)]
pub struct FocusMode {
    /// The manifest's name.
    pub name: &'static str,
    /// One sentence.
    pub summary: Option<&'static str>,
}

/// A role.
#[derive(Debug)]
pub struct Role {
    /// The manifest's name.
    pub name: &'static str,
    /// One sentence.
    pub summary: Option<&'static str>,
    /// Instructions for a model in this role.
    pub persona: Option<&'static str>,
    /// The operations that the role allows, whatever the focus.
    pub operations: &'static [u64],
}

/// What a message is about, and what is then relevant.
#[derive(Debug)]
pub struct ContextRule {
    /// The manifest's name.
    pub name: &'static str,
    /// Words that give the subject away.
    pub keywords: &'static [&'static str],
    /// Expressions that give the subject away.
    pub patterns: &'static [Pattern],
    /// The relevant operations.
    pub operations: &'static [u64],
}

/// Something outside the server that some operations need.
#[derive(Debug)]
pub struct Provider {
    /// The manifest's name.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
}

/// A YAML file of the authority.
#[derive(Debug)]
pub struct Source {
    /// As the root names it.
    pub path: &'static str,
    /// Its whole text.
    pub text: &'static str,
}
