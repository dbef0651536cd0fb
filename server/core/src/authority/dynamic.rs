//! Dynamic operations: the manifest does not declare them; a provider adds and removes them at run time.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use toolwrit_retrieval::{Analysis, Analyst, ToolDocument};

use super::arena::Arena;
use super::offered::Offered;
use super::parameter_types::parameters;
use super::shown_schema::{selectable, shown_schema};
use super::{Category, DeclaredProvider, Effect, Example, Operation, Returns, Tables};
use crate::argument_schema::ArgumentSchema;
use crate::hex::Hex;

/// Characters of the longest tool name; some clients refuse longer ones.
const LONGEST_WIRE_NAME: usize = 60;
/// Characters of the longest id.
const LONGEST_ID: usize = 200;

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
    /// Whether it uses the network.
    pub open_world: bool,
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
    /// The JSON Schema of the result, if the result is an object. Any other result is text, or JSON as text.
    pub output_schema: Option<Map<String, Value>>,
    /// Whether its provider returns a [`ToolResult`](crate::content::ToolResult). Its structured content is the result if
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
            open_world: true,
            asks: Vec::new(),
            examples: Vec::new(),
            input_schema,
            listed_schema: None,
            output_schema: None,
            returns_tool_result: false,
            offered: Offered::Tool,
            cache: None,
            select: false,
            timeout: None,
            concurrency: None,
            result_bytes: 256 * 1024,
        }
    }

    /// Returns a text as the last part of an id: white space and control characters become `-`.
    pub fn name_of(text: &str) -> String {
        let dash = |c: char| if c.is_whitespace() || c.is_control() { '-' } else { c };
        text.trim().chars().map(dash).collect()
    }

    fn effect(&self) -> Effect {
        self.effect.unwrap_or(Effect::Destroy)
    }

    /// The schema of the arguments that clients see, without those of the engine.
    fn listed(&self) -> &Map<String, Value> {
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
    /// Another operation has its id or its tool name.
    #[error("another operation has the name `{0}`")]
    Taken(String),
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

/// A checked dynamic operation, with the texts of its row.
#[derive(Clone)]
pub(super) struct Joined {
    pub(super) operation: DynamicOperation,
    /// Position in [`Tables::joining`].
    pub(super) joining: u16,
    category: u16,
    provider: u16,
    pub(super) arguments: Arc<ArgumentSchema>,
    name: String,
    pub(super) wire_name: String,
    /// Whether its category has no other operations. Its names are then those of its provider, and are not changed.
    whole: bool,
    signature: String,
    input_schema: String,
    output_schema: Option<String>,
    examples: Vec<String>,
    /// The texts of its category, by which it is found, too.
    category_words: String,
    analysis: OnceLock<Analysis>,
    /// The values of its argument `fields`.
    pub(super) selectable: Vec<String>,
}

/// The place of an operation among the categories, and its name there.
struct Membership<'a> {
    joining: u16,
    name: &'a str,
    whole: bool,
}

/// Finds where an operation belongs; `None` if its provider may not add it.
fn membership<'a>(tables: &Tables<'_>, provider: &str, id: &'a str) -> Option<Membership<'a>> {
    let (category, name) = id.split_once('.')?;
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control());
    let mut joining = tables.joining.iter();
    let at = joining.position(|joining| {
        tables.categories[usize::from(joining.category)].name == category
            && tables.providers[usize::from(joining.provider)].name == provider
    })?;
    let whole = tables.joining[at].whole;
    let fits = is_name && (whole || is_of_provider(name, provider));
    fits.then_some(Membership { joining: u16::try_from(at).ok()?, name, whole })
}

/// Whether a name begins with its provider, in a category that has other operations, too.
fn is_of_provider(name: &str, provider: &str) -> bool {
    let rest = name.strip_prefix(provider).and_then(|rest| rest.split_once(':'));
    rest.is_some_and(|(segments, own)| {
        !own.is_empty() && (segments.is_empty() || segments.starts_with('.'))
    })
}

impl Joined {
    /// Checks an operation of a provider.
    ///
    /// # Errors
    /// If it does not fit these tables. Does not check whether another operation has its names.
    pub(super) fn new(
        tables: &Tables<'_>,
        provider: &str,
        operation: DynamicOperation,
    ) -> Result<Self, InvalidDynamicOperation> {
        let id = &operation.id;
        if id.chars().count() > LONGEST_ID {
            return Err(InvalidDynamicOperation::TooLong(id.clone()));
        }
        let Membership { joining, name, whole } =
            membership(tables, provider, id).ok_or_else(|| InvalidDynamicOperation::Id {
                id: id.clone(),
                provider: provider.to_owned(),
            })?;
        let rule = tables.joining[usize::from(joining)];
        if operation.effect() > rule.most {
            let (effect, most) = (operation.effect(), rule.most);
            return Err(InvalidDynamicOperation::Effect { id: id.clone(), effect, most });
        }
        let schema = |why| InvalidDynamicOperation::Schema { id: id.clone(), why };
        let arguments = ArgumentSchema::new(&operation.input_schema).map_err(schema)?;
        if let Some(output) = &operation.output_schema {
            ArgumentSchema::new(output).map_err(schema)?;
        }
        let declared = &tables.categories[usize::from(rule.category)];
        let output = operation.output_schema.as_ref().filter(|_| operation.select);
        let selectable = output.map(selectable).unwrap_or_default();
        let is_confirmed = operation.effect() == Effect::Destroy;
        let shown = shown_schema(operation.listed().clone(), is_confirmed, &selectable);
        let shown =
            shown.map_err(|name| InvalidDynamicOperation::Argument(id.clone(), name.to_owned()))?;
        let wire_name = if whole {
            exact_wire_name(tables, declared.wire_name, name)
                .ok_or_else(|| InvalidDynamicOperation::WireName(id.clone()))?
        } else {
            wire_name(tables, declared.wire_name, name)
        };
        let text = |object: &Map<String, Value>| serde_json::to_string(object).unwrap_or_default();
        Ok(Self {
            joining,
            category: rule.category,
            provider: rule.provider,
            arguments: Arc::new(arguments),
            name: name.to_owned(),
            wire_name,
            whole,
            signature: signature(&operation, &shown),
            input_schema: text(&shown),
            output_schema: operation.output_schema.as_ref().map(text),
            examples: operation.examples.iter().map(text).collect(),
            category_words: category_words(declared),
            analysis: OnceLock::new(),
            selectable,
            operation,
        })
    }

    /// Returns the same operation with a tool name that no other operation has; `None` if its name must stay.
    pub(super) fn renamed(&self, tables: &Tables<'_>) -> Option<Self> {
        if self.whole {
            return None;
        }
        let category = tables.categories[usize::from(self.category)].wire_name;
        Some(Self { wire_name: unique_wire_name(tables, category, &self.name), ..self.clone() })
    }

    /// Returns its names: the id, the tool name, and the id without the category, unless others may have that, too.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let short = (!self.whole).then_some(self.name.as_str());
        [self.operation.id.as_str(), self.wire_name.as_str()].into_iter().chain(short)
    }

    /// Returns its names other than the tool name.
    pub(super) fn fixed_names(&self) -> impl Iterator<Item = &str> {
        self.names().filter(|name| *name != self.wire_name)
    }

    /// Whether it is this operation of this provider.
    pub(super) fn is(&self, tables: &Tables<'_>, provider: &str, other: &DynamicOperation) -> bool {
        self.is_of(tables, provider) && self.operation == *other
    }

    /// Whether this provider has added it.
    pub(super) fn is_of(&self, tables: &Tables<'_>, provider: &str) -> bool {
        self.provider(tables.providers) == provider
    }

    /// Returns the name of the provider that has added it, which is one of these.
    pub(super) fn provider<'a>(&self, providers: &[DeclaredProvider<'a>]) -> &'a str {
        providers.get(usize::from(self.provider)).map_or("", |own| own.name)
    }

    pub(super) fn effect(&self) -> Effect {
        self.operation.effect()
    }

    /// Returns the row for this position among the dynamic operations, and this one among all.
    pub(super) fn row<'a>(&'a self, at: u16, position: u16, arena: &'a Arena) -> Operation<'a> {
        let operation = &self.operation;
        Operation {
            id: &operation.id,
            name: &self.name,
            wire_name: &self.wire_name,
            category: self.category,
            summary: &operation.summary,
            description: operation.description.as_deref(),
            effect: self.effect(),
            is_assumed: operation.effect.is_none(),
            idempotent: operation.idempotent,
            open_world: operation.open_world,
            confirm: self.effect() == Effect::Destroy,
            input_schema: &self.input_schema,
            returns: match (&operation.offered, self.output_schema.as_deref()) {
                (Offered::Resources { .. }, _) => Returns::Resource,
                (Offered::Prompts(_), _) => Returns::Messages,
                (Offered::Tool | Offered::Completions, Some(schema)) => Returns::Object(schema),
                (Offered::Tool, None) if operation.returns_tool_result => Returns::Content,
                (Offered::Tool | Offered::Completions, None) => Returns::Text,
            },
            returns_tool_result: operation.returns_tool_result,
            served: operation.offered.served(position),
            cache: operation.cache,
            select: !self.selectable.is_empty(),
            signature: &self.signature,
            example: self.examples.first().map(String::as_str),
            examples: arena.list(self.examples.iter().map(|args| Example { args, note: None })),
            found_by: Some(FoundBy(self)),
            asks: arena.list(operation.asks.iter().map(String::as_str)),
            timeout: operation.timeout,
            concurrency: operation.concurrency,
            result_bytes: operation.result_bytes,
            requires: Some(self.provider),
            joined: Some(at),
            ..Operation::BARE
        }
    }
}

/// Returns the tool name of an operation. A name that must be changed much gets a suffix that keeps it apart.
fn wire_name(tables: &Tables<'_>, category: &str, name: &str) -> String {
    let whole = format!("{}{category}_{}", tables.server.prefix, plain(name));
    if has_plain_name(name) && whole.len() <= LONGEST_WIRE_NAME {
        whole
    } else {
        unique_wire_name(tables, category, name)
    }
}

/// Returns the tool name of an operation whose name must not be changed; `None` if it cannot be one.
fn exact_wire_name(tables: &Tables<'_>, category: &str, name: &str) -> Option<String> {
    let whole = format!("{}{category}_{}", tables.server.prefix, plain(name));
    (has_plain_name(name) && whole.len() <= LONGEST_WIRE_NAME).then_some(whole)
}

/// Returns a tool name that ends in a digest of the operation's name.
fn unique_wire_name(tables: &Tables<'_>, category: &str, name: &str) -> String {
    let digest = Sha256::digest(format!("{category}.{name}"));
    let digest = Hex(&digest[..4]).to_string();
    let whole = format!("{}{category}_{}", tables.server.prefix, plain(name));
    let most = LONGEST_WIRE_NAME - digest.len() - 1;
    format!("{}_{digest}", &whole[..whole.len().min(most)])
}

/// Whether a tool name shows all that an operation's name says.
fn has_plain_name(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:/".contains(c))
}

/// Replaces the characters that tool names cannot have.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

/// The texts of a category.
fn category_words(category: &Category<'_>) -> String {
    format!("{} {} {}", category.name, category.title, category.keywords.join(" "))
}

/// The words by which searches find a dynamic operation. They are read from its texts at the first search.
#[derive(Clone, Copy)]
pub struct FoundBy<'a>(&'a Joined);

impl<'a> FoundBy<'a> {
    /// Returns them.
    pub fn analysis(self, analyst: &mut Analyst) -> &'a Analysis {
        let Self(Joined { operation, name, category_words, analysis, .. }) = self;
        analysis.get_or_init(|| {
            analyst.analysis(&ToolDocument {
                name,
                title: &operation.summary,
                description: operation.description.as_deref().unwrap_or_default(),
                category: category_words,
                parameters: parameters(operation.listed())
                    .map(|parameter| (parameter.name, parameter.description()))
                    .collect(),
                asks: operation.asks.iter().map(String::as_str).collect(),
                ..ToolDocument::default()
            })
        })
    }
}

impl fmt::Debug for FoundBy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FoundBy").field(&self.0.operation.id).finish()
    }
}

/// `plugin.render(template: string, times?: integer) -> object`, with the types that the schema declares.
fn signature(operation: &DynamicOperation, schema: &Map<String, Value>) -> String {
    let parameters = parameters(schema)
        .map(|parameter| format!("{}: {}", parameter.marked_name(), parameter.type_name()));
    let parameters: Vec<String> = parameters.collect();
    let result = match operation.output_schema {
        Some(_) => "object",
        None if operation.returns_tool_result => "content",
        None => "text",
    };
    format!("{}({}) -> {result}", operation.id, parameters.join(", "))
}
