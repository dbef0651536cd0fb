//! One tool as a client sees it in `tools/list`.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use toolwrit_core::authority::{Effect, Operation};
use toolwrit_core::json::written::parse_row_text;

/// A tool's entry in `tools/list`.
#[derive(Debug, Clone)]
pub struct ToolDescriptor {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) input_schema: Arc<Map<String, Value>>,
    pub(crate) output_schema: Option<Arc<Map<String, Value>>>,
    pub(crate) hints: Hints,
}

/// MCP tool annotations. For read-only tools, only `read_only` and `open_world` have a meaning.
#[expect(clippy::struct_excessive_bools, reason = "the specification has four hints")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    pub(crate) read_only: bool,
    pub(crate) destructive: bool,
    pub(crate) idempotent: bool,
    pub(crate) open_world: bool,
}

impl Hints {
    /// The hints of the engine's own tools, which only list and search.
    pub(crate) const READ_ONLY: Hints =
        Hints { read_only: true, destructive: false, idempotent: true, open_world: false };

    /// Combines the hints of several operations: for each hint, the most dangerous value.
    pub(crate) fn combine<'a>(operations: impl IntoIterator<Item = &'a Operation>) -> Self {
        operations.into_iter().fold(Self::READ_ONLY, |hints, operation| Self {
            read_only: hints.read_only && operation.effect == Effect::Read,
            destructive: hints.destructive
                || operation.effect == Effect::Destroy
                || operation.overwrites,
            idempotent: hints.idempotent && operation.idempotent,
            open_world: hints.open_world || operation.open_world,
        })
    }
}

/// A dialect of JSON Schema that a client accepts. A profile only removes keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Profile {
    /// The portable schema as generated.
    #[default]
    Portable,
    /// Gemini: no `additionalProperties`, no `default`.
    Gemini,
}

impl ToolDescriptor {
    /// Returns the same tool for a client of this profile.
    pub(crate) fn under(mut self, profile: Profile) -> Self {
        if profile == Profile::Gemini {
            strip(Arc::make_mut(&mut self.input_schema));
            if let Some(schema) = &mut self.output_schema {
                strip(Arc::make_mut(schema));
            }
        }
        self
    }

    /// Returns what a client hands its model of the tool. Titles, annotations and output schemas stay with the
    /// client.
    pub(crate) fn to_model_json(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": *self.input_schema,
        })
    }

    /// Returns the tool as `tools/list` carries it.
    pub(crate) fn to_json(&self) -> Value {
        let mut tool = Map::new();
        tool.insert("name".to_owned(), self.name.clone().into());
        if let Some(title) = &self.title {
            tool.insert("title".to_owned(), title.clone().into());
        }
        tool.insert("description".to_owned(), self.description.clone().into());
        tool.insert("inputSchema".to_owned(), Value::Object((*self.input_schema).clone()));
        if let Some(schema) = &self.output_schema {
            tool.insert("outputSchema".to_owned(), Value::Object((**schema).clone()));
        }
        tool.insert("annotations".to_owned(), self.hints.to_json());
        Value::Object(tool)
    }
}

impl Hints {
    fn to_json(self) -> Value {
        if self.read_only {
            return json!({"readOnlyHint": true, "openWorldHint": self.open_world});
        }
        json!({
            "readOnlyHint": false,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        })
    }
}

/// Removes schema keywords, but never a property of the same name.
fn strip(schema: &mut Map<String, Value>) {
    schema.shift_remove("additionalProperties");
    schema.shift_remove("default");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().filter_map(Value::as_object_mut).for_each(strip);
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        strip(items);
    }
}

/// Parses the text of a generated schema.
pub(crate) fn schema(text: &str) -> Arc<Map<String, Value>> {
    Arc::new(parse_row_text(text))
}

/// Ends a text with one full stop.
pub(super) fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

/// The members of a JSON object.
pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
