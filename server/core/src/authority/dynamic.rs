//! Dynamic operations: the manifest does not declare them, and they are added and removed at run time.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolwrit_retrieval::{Analysis, ToolDocument};

use super::arena::Arena;
use super::{Effect, Example, Operation, Returns, Tables};
use crate::fault::Fault;

/// Characters of the longest tool name; clients refuse longer ones.
const LONGEST_WIRE_NAME: usize = 64;

/// Checks the arguments of a dynamic operation, by its schema.
pub trait Validate: Send + Sync {
    /// Checks the arguments of one call.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` if the arguments are not valid.
    fn validate(&self, arguments: &Map<String, Value>) -> Result<(), Fault>;
}

impl<F: Fn(&Map<String, Value>) -> Result<(), Fault> + Send + Sync> Validate for F {
    fn validate(&self, arguments: &Map<String, Value>) -> Result<(), Fault> {
        self(arguments)
    }
}

/// An operation that is not in the manifest, for example of a plugin or an upstream server.
#[derive(Clone)]
pub struct DynamicOperation {
    /// `category.name`. The category is one of the manifest's. Category and effect decide who may use it.
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
    /// The JSON Schema of the arguments, with `"type": "object"`.
    pub input_schema: Map<String, Value>,
    /// The JSON Schema of the result, if the result is an object. Any other result is text, or JSON as text.
    pub output_schema: Option<Map<String, Value>>,
    /// Checks the arguments of calls against the schema.
    pub validate: Arc<dyn Validate>,
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

/// Returns the schema that clients see: the operation's own, with the engine's argument `confirm` if needed.
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

/// Why an operation cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDynamicOperation {
    /// Its id is not `category.name` with a category of the manifest.
    #[error("`{0}` is not `category.name` with a category that the manifest declares")]
    Category(String),
    /// Another operation has its id or its tool name.
    #[error("another operation has the name `{0}`")]
    Taken(String),
    /// Its tool name is too long.
    #[error("the tool name of `{0}` has more than {LONGEST_WIRE_NAME} characters")]
    TooLong(String),
    /// A schema does not describe an object.
    #[error("a schema of `{0}` does not have `\"type\": \"object\"`")]
    Schema(String),
    /// It has an argument `confirm`, which the engine adds to operations that destroy.
    #[error(
        "`{0}` has an argument `confirm`, but the engine adds one of this name to operations that destroy"
    )]
    Confirm(String),
    /// The authority has the maximum number of operations.
    #[error("cannot add `{0}`: the authority already has 65,535 operations")]
    Full(String),
}

/// A checked dynamic operation, with the texts of its row.
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
    /// Checks an operation.
    ///
    /// # Errors
    /// If it does not fit these tables. Does not check whether another operation has its names.
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
        let document = ToolDocument {
            name,
            title: &operation.summary,
            description: operation.description.as_deref().unwrap_or_default(),
            category: &category_words,
            parameters: parameters(&operation.input_schema)
                .map(|parameter| (parameter.name, parameter.description()))
                .collect(),
            asks: operation.asks.iter().map(String::as_str).collect(),
            ..ToolDocument::default()
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

    /// Returns the row for this position among the dynamic operations.
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

/// A property of an object schema.
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

/// `plugin.render(template: string, times?: integer) -> object`, with the types that the schema declares.
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
