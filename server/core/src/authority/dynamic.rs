//! Operations that the manifest does not have: they join while the server runs, and leave again.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolwrit_retrieval::{Analysis, Document};

use super::arena::Arena;
use super::{Effect, Example, Operation, Returns, Tables};
use crate::fault::Fault;

/// Longest name of a tool; clients refuse longer ones.
const LONGEST_WIRE_NAME: usize = 64;

/// Checks the arguments of a dynamic operation, by its schema.
pub trait Validate: Send + Sync {
    /// # Errors
    /// `VALIDATION_ERROR` when they do not fit.
    fn validate(&self, arguments: &Map<String, Value>) -> Result<(), Fault>;
}

impl<F: Fn(&Map<String, Value>) -> Result<(), Fault> + Send + Sync> Validate for F {
    fn validate(&self, arguments: &Map<String, Value>) -> Result<(), Fault> {
        self(arguments)
    }
}

/// An operation that is not in the manifest, as a plugin or a server behind this one brings it.
#[derive(Clone)]
pub struct DynamicOperation {
    /// `category.name`. The category is one of the manifest's, and says with the effect who may use it.
    pub id: String,
    /// One sentence.
    pub summary: String,
    /// Longer text.
    pub description: Option<String>,
    /// What it may do to the world. An operation that does not say counts as one that removes, and as those
    /// of the manifest it asks before it does.
    pub effect: Option<Effect>,
    /// Calling it twice is as calling it once.
    pub idempotent: bool,
    /// It touches the network.
    pub open_world: bool,
    /// How people ask for it.
    pub asks: Vec<String>,
    /// Arguments of valid calls.
    pub examples: Vec<Map<String, Value>>,
    /// The JSON Schema of the arguments, which are an object.
    pub input_schema: Map<String, Value>,
    /// The JSON Schema of the result, if that is an object. Any other result is text, or JSON as text.
    pub output_schema: Option<Map<String, Value>>,
    /// Holds calls to the schema of the arguments.
    pub validate: Arc<dyn Validate>,
    /// How long it may run, when not as long as any.
    pub timeout: Option<Duration>,
    /// How many calls of it may run at once, when limited.
    pub concurrency: Option<u32>,
    /// Above this many bytes the result is truncated.
    pub result_bytes: u64,
}

impl DynamicOperation {
    /// An operation of which nothing more is known: it may do anything, and answer with as
    /// many bytes as one whose manifest does not say.
    pub fn new(
        id: impl Into<String>,
        summary: impl Into<String>,
        input_schema: Map<String, Value>,
        validate: Arc<dyn Validate>,
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
            output_schema: None,
            validate,
            timeout: None,
            concurrency: None,
            result_bytes: 256 * 1024,
        }
    }

    fn effect(&self) -> Effect {
        self.effect.unwrap_or(Effect::Destroy)
    }
}

/// The schema of the arguments of a call: those of the operation, and that of the engine.
fn shown_schema(
    operation: &DynamicOperation,
) -> Result<Map<String, Value>, InvalidDynamicOperation> {
    let mut schema = operation.input_schema.clone();
    if operation.effect() == Effect::Destroy {
        let properties = schema.entry("properties").or_insert_with(|| Map::new().into());
        let confirm =
            json!({"type": "string", "description": "The code of a first, refused call."});
        let known = properties.as_object_mut();
        if known.is_none_or(|known| known.insert(Operation::CONFIRM.to_owned(), confirm).is_some())
        {
            return Err(InvalidDynamicOperation::Confirm(operation.id.clone()));
        }
    }
    Ok(schema)
}

/// Why an operation cannot join.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDynamicOperation {
    /// Its id is not `category.name` with a category of the manifest.
    #[error("`{0}` is not `category.name` with a category that the manifest declares")]
    Category(String),
    /// Something else has its id or its name as a tool.
    #[error("the name `{0}` is taken")]
    Taken(String),
    /// Its name as a tool is too long.
    #[error("`{0}` makes a tool name of more than {LONGEST_WIRE_NAME} characters")]
    TooLong(String),
    /// A schema is not one of an object.
    #[error("a schema of `{0}` does not have `\"type\": \"object\"`")]
    Schema(String),
    /// It has an argument of the name that the engine needs for the confirmation.
    #[error("`{0}` removes things, so its argument `confirm` is the engine's")]
    Confirm(String),
    /// There are as many operations as there can be.
    #[error("there is no room for `{0}`: the authority has 65,535 operations")]
    Full(String),
}

/// A dynamic operation, ready to become a row.
pub(super) struct Joined {
    pub(super) operation: DynamicOperation,
    pub(super) category: u16,
    name: String,
    pub(super) wire_name: String,
    signature: String,
    input_schema: String,
    output_schema: Option<String>,
    examples: Vec<String>,
    analysis: Vec<u8>,
}

impl Joined {
    /// # Errors
    /// When it does not fit these tables. Whether its names are free is not looked at.
    pub(super) fn new(
        tables: &Tables<'_>,
        operation: DynamicOperation,
    ) -> Result<Self, InvalidDynamicOperation> {
        let id = &operation.id;
        let found = tables.categories.iter().enumerate().find_map(|(at, category)| {
            let name = id.strip_prefix(category.name)?.strip_prefix('.')?;
            Some((u16::try_from(at).ok()?, category, name))
        });
        let (category, declared, name) = found
            .filter(|(.., name)| !name.is_empty() && !name.contains(char::is_whitespace))
            .ok_or_else(|| InvalidDynamicOperation::Category(id.clone()))?;
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let wire: String = name.chars().map(plain).collect();
        let wire_name = format!("{}{}_{wire}", tables.server.prefix, declared.wire_name);
        if wire_name.len() > LONGEST_WIRE_NAME {
            return Err(InvalidDynamicOperation::TooLong(id.clone()));
        }
        let mut schemas = std::iter::once(&operation.input_schema).chain(&operation.output_schema);
        if schemas.any(|schema| schema.get("type").is_none_or(|ty| ty != "object")) {
            return Err(InvalidDynamicOperation::Schema(id.clone()));
        }
        let shown = shown_schema(&operation)?;
        let category_words =
            format!("{} {} {}", declared.name, declared.title, declared.keywords.join(" "));
        let document = Document {
            name,
            title: &operation.summary,
            description: operation.description.as_deref().unwrap_or_default(),
            category: &category_words,
            parameters: parameters(&operation.input_schema)
                .map(|parameter| (parameter.name, parameter.description()))
                .collect(),
            asks: operation.asks.iter().map(String::as_str).collect(),
            ..Document::default()
        };
        let text = |object: &Map<String, Value>| serde_json::to_string(object).unwrap_or_default();
        Ok(Self {
            category,
            name: name.to_owned(),
            wire_name,
            signature: signature(&operation, &shown),
            input_schema: text(&shown),
            output_schema: operation.output_schema.as_ref().map(text),
            examples: operation.examples.iter().map(text).collect(),
            analysis: Analysis::of(&document).to_bytes(),
            operation,
        })
    }

    pub(super) fn effect(&self) -> Effect {
        self.operation.effect()
    }

    /// The row at this position among those that joined.
    pub(super) fn row<'a>(&'a self, at: u16, arena: &'a Arena) -> Operation<'a> {
        let operation = &self.operation;
        Operation {
            id: &operation.id,
            name: &self.name,
            wire_name: &self.wire_name,
            category: self.category,
            summary: &operation.summary,
            description: operation.description.as_deref(),
            effect: self.effect(),
            idempotent: operation.idempotent,
            open_world: operation.open_world,
            confirm: self.effect() == Effect::Destroy,
            input_schema: &self.input_schema,
            returns: self.output_schema.as_deref().map_or(Returns::Text, Returns::Object),
            signature: &self.signature,
            example: self.examples.first().map(String::as_str),
            examples: arena.list(self.examples.iter().map(|args| Example { args, note: None })),
            analysis: &self.analysis,
            asks: arena.list(operation.asks.iter().map(String::as_str)),
            timeout: operation.timeout,
            concurrency: operation.concurrency,
            result_bytes: operation.result_bytes,
            joined: Some(at),
            ..Operation::BARE
        }
    }
}

/// A property of a schema of an object.
struct Parameter<'a> {
    name: &'a str,
    schema: &'a Value,
    is_required: bool,
}

fn parameters(schema: &Map<String, Value>) -> impl Iterator<Item = Parameter<'_>> {
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(move |(name, schema)| Parameter {
        name,
        schema,
        is_required: required.is_some_and(|all| all.iter().any(|own| own == name)),
    })
}

impl<'a> Parameter<'a> {
    fn description(&self) -> &'a str {
        self.schema.get("description").and_then(Value::as_str).unwrap_or_default()
    }
}

/// `plugin.render(template: string, times?: integer) -> object`, as far as the schema tells.
fn signature(operation: &DynamicOperation, schema: &Map<String, Value>) -> String {
    let parameters = parameters(schema).map(|parameter| {
        let mark = if parameter.is_required { "" } else { "?" };
        format!("{}{mark}: {}", parameter.name, type_name(parameter.schema))
    });
    let parameters: Vec<String> = parameters.collect();
    let result = if operation.output_schema.is_some() { "object" } else { "text" };
    format!("{}({}) -> {result}", operation.id, parameters.join(", "))
}

fn type_name(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        return values.iter().map(text).collect::<Vec<_>>().join("|");
    }
    match (schema.get("type").and_then(Value::as_str), schema.get("items")) {
        (Some("array"), Some(items)) => format!("{}[]", type_name(items)),
        (Some(name), _) => name.to_owned(),
        (None, _) => "any".to_owned(),
    }
}
