//! The checked model. A value of [`Authority`] exists only when every rule of the language holds,
//! so the crates behind it (macros, docs, engine) never look for mistakes again.

use std::ops::Deref;
use std::time::Duration;

use regex::Regex;
use serde_json::{Map, Value};

use crate::problem::Problem;
use crate::source::Sources;

/// A checked manifest, together with the text it came from and the warnings of the load.
#[derive(Debug, Clone)]
pub struct Authority {
    pub(crate) model: Model,
    pub(crate) sources: Sources,
    pub(crate) warnings: Vec<Problem>,
}

impl Authority {
    /// The YAML files of the load, the root first, in the order of `include`.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// What is allowed but probably not meant, such as an operation that nobody may call.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }
}

/// Read-only access: a checked model cannot be edited into a bad one.
impl Deref for Authority {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.model
    }
}

/// Two authorities are equal when they declare the same, wherever the text stands.
impl PartialEq for Authority {
    fn eq(&self, other: &Self) -> bool {
        self.model == other.model
    }
}

/// Everything that a manifest declares, in the order of the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// How the server presents itself.
    pub server: Server,
    /// Defaults that an operation may override.
    pub limits: Limits,
    /// Ceilings for the cost of `tools/list`, in o200k tokens.
    pub budget: Budget,
    /// Declared types; [`TypeId`] points here.
    pub types: Vec<TypeDef>,
    /// Declared categories; [`CategoryId`] points here.
    pub categories: Vec<Category>,
    /// Focus modes; the first is the default. Never empty.
    pub focus: Vec<FocusMode>,
    /// Roles; the first is the default. Never empty.
    pub roles: Vec<Role>,
    /// What a message is about, and what is then relevant.
    pub contexts: Vec<Context>,
    /// Things that must be there at run time for some operations.
    pub providers: Vec<Provider>,
    /// All operations, in the order of the files and of each file; [`OperationId`] points here.
    pub operations: Vec<Operation>,
    /// MCP resources and resource templates.
    pub resources: Vec<Resource>,
    /// MCP prompts.
    pub prompts: Vec<Prompt>,
}

macro_rules! index {
    ($(#[$doc:meta])* $name:ident, $list:ident, $item:ty) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) usize);

        impl $name {
            /// The position in the model's list.
            pub fn index(self) -> usize {
                self.0
            }
        }

        impl std::ops::Index<$name> for Model {
            type Output = $item;

            fn index(&self, id: $name) -> &$item {
                &self.$list[id.0]
            }
        }
    };
}

index!(/// A declared type.
    TypeId, types, TypeDef);
index!(/// A declared category.
    CategoryId, categories, Category);
index!(/// A declared operation.
    OperationId, operations, Operation);
index!(/// A declared focus mode.
    FocusId, focus, FocusMode);
index!(/// A declared role.
    RoleId, roles, Role);
index!(/// A declared provider.
    ProviderId, providers, Provider);

/// `server:`. What `initialize` and `server/discover` answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    /// Programmatic name, for example `toolwrit-vault`.
    pub name: String,
    /// Name for people.
    pub title: Option<String>,
    /// Instructions for the model.
    pub instructions: Option<String>,
    /// Put before every wire name, with `_` between; empty for none.
    pub prefix: String,
}

/// `limits:`. Defaults of every operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// How long a handler may run.
    pub timeout: Duration,
    /// How many handlers may run at once.
    pub concurrency: u32,
    /// Above this many bytes a result is truncated.
    pub result_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), concurrency: 16, result_bytes: 256 * 1024 }
    }
}

/// `budget:`. Ceilings in o200k tokens of `tools/list`; `None` where the manifest sets none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Budget {
    /// For the flat surface.
    pub flat: Option<u64>,
    /// For the dispatch surface.
    pub dispatch: Option<u64>,
    /// For the meta surface.
    pub meta: Option<u64>,
}

/// A declared type.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDef {
    /// `UpperCamel`.
    pub name: String,
    /// What values it has.
    pub shape: Shape,
    /// For people and models.
    pub description: Option<String>,
    /// A valid value.
    pub example: Option<Value>,
    /// Never written to logs or the audit.
    pub sensitive: bool,
}

/// The values that a type has.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A string; lengths are in Unicode scalar values.
    String {
        /// Shortest length.
        min_length: Option<u64>,
        /// Longest length.
        max_length: Option<u64>,
        /// RE2-style expression that must match somewhere in the string.
        pattern: Option<Pattern>,
    },
    /// A whole number of 64 bits.
    Integer {
        /// Smallest value.
        min: Option<i64>,
        /// Largest value.
        max: Option<i64>,
    },
    /// A finite number.
    Number {
        /// Smallest value.
        min: Option<f64>,
        /// Largest value.
        max: Option<f64>,
    },
    /// `true` or `false`.
    Boolean,
    /// A calendar date, `2026-05-01`.
    Date,
    /// An instant, RFC 3339.
    DateTime,
    /// Any JSON value.
    Json,
    /// One of several strings; at least one, all different.
    Enum(Vec<String>),
    /// A list.
    Array {
        /// The shape of each item.
        items: Box<Shape>,
        /// Fewest items.
        min_items: Option<u64>,
        /// Most items.
        max_items: Option<u64>,
    },
    /// An object with free keys.
    Map(Box<Shape>),
    /// An object with declared fields.
    Record(Vec<Field>),
    /// A declared type. Never part of a cycle.
    Named(TypeId),
}

/// A regular expression that compiles.
#[derive(Debug, Clone)]
pub struct Pattern(pub(crate) Regex);

impl Pattern {
    /// The expression as written.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The compiled expression.
    pub fn regex(&self) -> &Regex {
        &self.0
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

/// A parameter, or a field of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// `snake_case`.
    pub name: String,
    /// What values it takes.
    pub shape: Shape,
    /// Whether it must be there, and what stands for it when it is not.
    pub presence: Presence,
    /// For people and models. Falls back to the declared type's own.
    pub description: Option<String>,
    /// A valid value. Falls back to the declared type's own.
    pub example: Option<Value>,
    /// Never written to logs or the audit.
    pub sensitive: bool,
}

/// Whether a field must be given.
#[derive(Debug, Clone, PartialEq)]
pub enum Presence {
    /// It must be given.
    Required,
    /// It may be absent.
    Optional,
    /// It may be absent and is then this value, which fits the shape.
    Default(Value),
}

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

/// A focus mode: which operations a task needs. Deny beats allow.
#[derive(Debug, Clone, PartialEq)]
pub struct FocusMode {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// One sentence.
    pub summary: Option<String>,
    /// What is let through.
    pub allow: Vec<Selector>,
    /// What is held back all the same.
    pub deny: Vec<Selector>,
}

/// A role: what a principal may do at all. Deny beats allow.
#[derive(Debug, Clone, PartialEq)]
pub struct Role {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// One sentence.
    pub summary: Option<String>,
    /// A role whose rules are added to this one's. Never part of a cycle.
    pub extends: Option<RoleId>,
    /// What is let through.
    pub allow: Vec<Selector>,
    /// What is held back all the same.
    pub deny: Vec<Selector>,
    /// Instructions for a model in this role.
    pub persona: Option<String>,
}

/// A set of operations.
#[derive(Debug, Clone, PartialEq)]
pub enum Selector {
    /// `"*"`.
    All,
    /// `vault` or `vault.*`.
    Category(CategoryId),
    /// `vault.read`.
    Operation(OperationId),
    /// `{ effect: .., tag: .., category: .. }`: all the conditions given hold; at least one is given.
    Where {
        /// The operation's effect.
        effect: Option<Effect>,
        /// One of the operation's tags.
        tag: Option<String>,
        /// The operation's category.
        category: Option<CategoryId>,
    },
}

/// What a message is about, and which operations are then relevant.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// Words that give the subject away.
    pub keywords: Vec<String>,
    /// Expressions that give the subject away.
    pub patterns: Vec<Pattern>,
    /// The relevant operations.
    pub include: Vec<Selector>,
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
    /// The declared parameters, without those that the engine adds ([`Model::inputs`]).
    pub params: Vec<Field>,
    /// The result's shape; plain text when absent.
    pub returns: Option<Shape>,
    /// `fields` cuts the result to the named fields.
    pub select: bool,
    /// `limit` and `cursor` page through the result.
    pub page: Option<Page>,
    /// How long an answer may be reused. Reads only.
    pub cache: Option<Duration>,
    /// How long the handler may run, when it differs from the manifest's limit.
    pub timeout: Option<Duration>,
    /// How many calls of this operation may run at once.
    pub concurrency: Option<u32>,
    /// Above this many bytes the result is truncated, when it differs from the manifest's limit.
    pub result_bytes: Option<u64>,
    /// The provider that must be there.
    pub requires: Option<ProviderId>,
    /// The caller confirms before it acts. Always set where the effect is `destroy`.
    pub confirm: bool,
    /// `dry_run` reports what would happen.
    pub dry_run: bool,
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

/// An MCP resource, or a resource template when the URI has `{variables}`.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// `[a-z][a-z0-9_-]*`, the handler's name.
    pub name: String,
    /// A URI or an RFC 6570 level-1 template.
    pub uri: String,
    /// For people.
    pub title: Option<String>,
    /// One sentence.
    pub summary: String,
    /// The MIME type of what it gives.
    pub mime_type: Option<String>,
}

/// An MCP prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// One sentence.
    pub summary: String,
    /// Named strings that the caller fills in.
    pub arguments: Vec<PromptArgument>,
    /// Text with `{{argument}}` places; a handler writes the prompt when absent.
    pub template: Option<String>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptArgument {
    /// `snake_case`.
    pub name: String,
    /// For people and models.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
}

impl Model {
    /// All operations with their ids.
    pub fn operation_ids(&self) -> impl Iterator<Item = OperationId> + use<> {
        (0..self.operations.len()).map(OperationId)
    }

    /// All focus modes with their ids.
    pub fn focus_ids(&self) -> impl Iterator<Item = FocusId> + use<> {
        (0..self.focus.len()).map(FocusId)
    }

    /// All roles with their ids.
    pub fn role_ids(&self) -> impl Iterator<Item = RoleId> + use<> {
        (0..self.roles.len()).map(RoleId)
    }

    /// The operations of one category, in order.
    pub fn operations_of(&self, category: CategoryId) -> impl Iterator<Item = &Operation> {
        self.operations.iter().filter(move |operation| operation.category == category)
    }

    /// The shape behind a chain of declared types.
    pub fn resolve<'a>(&'a self, shape: &'a Shape) -> &'a Shape {
        let mut shape = shape;
        while let Shape::Named(id) = shape {
            shape = &self[*id].shape;
        }
        shape
    }

    /// What a call accepts: the declared parameters, then those that the engine adds for
    /// `select` (`fields`), `page` (`limit`, `cursor`) and `dry_run`.
    pub fn inputs(&self, operation: &Operation) -> Vec<Field> {
        let mut inputs = operation.params.clone();
        if operation.select {
            inputs.push(Field::added(
                "fields",
                Shape::Array {
                    items: Box::new(Shape::Enum(self.result_fields(operation))),
                    min_items: Some(1),
                    max_items: None,
                },
                Presence::Optional,
                "Only these fields of the result.",
            ));
        }
        if let Some(page) = operation.page {
            inputs.push(Field::added(
                "limit",
                Shape::Integer { min: Some(1), max: Some(page.max.into()) },
                Presence::Default(page.default.into()),
                "How many at most.",
            ));
            inputs.push(Field::added(
                "cursor",
                Shape::String { min_length: None, max_length: None, pattern: None },
                Presence::Optional,
                "The `next_cursor` of the page before.",
            ));
        }
        if operation.dry_run {
            inputs.push(Field::added(
                "dry_run",
                Shape::Boolean,
                Presence::Default(false.into()),
                "Report what would happen, change nothing.",
            ));
        }
        inputs
    }

    /// The names that `select` can keep: the fields of the result, or of its items when it is a list.
    fn result_fields(&self, operation: &Operation) -> Vec<String> {
        let mut shape = operation.returns.as_ref().map(|shape| self.resolve(shape));
        if let Some(Shape::Array { items, .. }) = shape {
            shape = Some(self.resolve(items));
        }
        match shape {
            Some(Shape::Record(fields)) => fields.iter().map(|field| field.name.clone()).collect(),
            _ => Vec::new(),
        }
    }
}

impl Field {
    fn added(name: &str, shape: Shape, presence: Presence, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            shape,
            presence,
            description: Some(description.to_owned()),
            example: None,
            sensitive: false,
        }
    }
}
