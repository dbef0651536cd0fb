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
    /// `icons` and `_meta`, if the tool is one of another server.
    pub(crate) passed: Map<String, Value>,
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
    /// Gemini: no `additionalProperties`, no `default`, no empty texts in an `enum`.
    Gemini,
}

impl ToolDescriptor {
    /// Returns the same tool with what another server says of it beside its contract.
    pub(crate) fn passing(self, fields: &Map<String, Value>) -> Self {
        let title = fields.get("title").and_then(Value::as_str).map(str::to_owned);
        Self { title: title.or(self.title), passed: fields.clone(), ..self }
    }

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
        for key in ["icons", "_meta"] {
            if let Some(value) = self.passed.get(key) {
                tool.insert(key.to_owned(), value.clone());
            }
        }
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
    drop_empty_choices(schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().filter_map(Value::as_object_mut).for_each(strip);
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        strip(items);
    }
}

/// Removes the empty text from the values of an `enum`.
fn drop_empty_choices(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| value != "");
        if values.is_empty() {
            schema.shift_remove("enum");
        }
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
