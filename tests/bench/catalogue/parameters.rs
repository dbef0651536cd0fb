//! Converts JSON Schema to the manifest's types. What the language cannot express becomes `json`.

use serde_json::{Map, Value, json};

use crate::losses::{Loss, Losses};
use crate::naming::{singular, snake_case, upper_camel};
use crate::texts;

/// Enums and objects, each once.
#[derive(Default)]
pub(crate) struct Declared(Map<String, Value>);

impl Declared {
    pub(crate) fn into_types(self) -> Map<String, Value> {
        self.0
    }

    /// A name for the type: that of the parameter, prefixed with its owner's if another type has that name.
    fn name(&mut self, owner: &str, parameter: &str, shape: Value) -> String {
        let short = upper_camel(&singular(&snake_case(parameter)));
        let long = format!("{}{short}", upper_camel(owner));
        let numbered = (2..).map(|number| format!("{long}{number}"));
        let mut names = [short, long.clone()].into_iter().chain(numbered);
        let fits = |name: &String| self.0.get(name).is_none_or(|declared| *declared == shape);
        let name = names.find(fits).unwrap();
        self.0.insert(name.clone(), shape);
        name
    }
}

/// Lowers the schemas of one tool.
pub(crate) struct Lowering<'a> {
    pub(crate) tool: &'a str,
    pub(crate) declared: &'a mut Declared,
    pub(crate) losses: &'a mut Losses,
}

/// Names that are reserved by the engine or Rust.
const TAKEN: [&str; 4] = ["confirm", "crate", "self", "super"];

/// Keywords that are converted, or that state what applies anyway.
const KNOWN: &str = "\
    type enum properties required items description default minimum maximum minLength \
    maxLength minItems maxItems anyOf oneOf allOf additionalProperties $schema";

/// Constraints, their names in the manifest, and the endings of the expressions that accept them.
const CONSTRAINTS: &[(&str, &str, &[&str])] = &[
    ("minimum", "min", &["integer", "number"]),
    ("maximum", "max", &["integer", "number"]),
    ("minLength", "min_length", &["string"]),
    ("maxLength", "max_length", &["string"]),
    ("minItems", "min_items", &["[]"]),
    ("maxItems", "max_items", &["[]"]),
];

impl Lowering<'_> {
    /// The parameters of an operation or the fields of an object's schema.
    pub(crate) fn fields(
        &mut self,
        schema: &Map<String, Value>,
        place: &str,
    ) -> Map<String, Value> {
        self.unknown_keywords(schema, place);
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut fields = Map::new();
        for (name, schema) in properties(schema) {
            let place = format!("{place}.{name}");
            let mut snake = snake_case(name);
            let given = |name: &str| fields.keys().any(|key| key.trim_end_matches('?') == name);
            while TAKEN.contains(&snake.as_str()) || given(&snake) {
                snake.push('_');
            }
            if snake != *name {
                self.losses.add(Loss::Name, &place);
            }
            let is_required = required.contains(&name.as_str());
            let key = if is_required { snake } else { format!("{snake}?") };
            fields.insert(key, self.parameter(name, schema, is_required, &place));
        }
        fields
    }

    /// A parameter's type in its shortest form.
    fn parameter(&mut self, name: &str, schema: &Value, is_required: bool, place: &str) -> Value {
        let empty = Map::new();
        let schema = schema.as_object().unwrap_or(&empty);
        let expression = self.expression(name, schema, place);
        let mut long = Map::new();
        let mut say = |key: &str, value: Value| drop(long.insert(key.to_owned(), value));
        for (keyword, constraint, kinds) in CONSTRAINTS {
            let applies = kinds.iter().any(|kind| expression.ends_with(kind));
            if let Some(bound) = schema.get(*keyword).filter(|_| applies) {
                say(constraint, bound.clone());
            }
        }
        if let Some(default) = schema.get("default").filter(|_| !is_required) {
            say("default", default.clone());
        }
        let told = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let values = schema.get("enum").filter(|values| words(values).is_none());
        let values = values.map(|values| format!(" One of {values}.")).unwrap_or_default();
        let description = texts::description(&format!("{told}{values}"), place, self.losses);
        if !description.is_empty() {
            say("description", json!(description));
        }
        if long.is_empty() {
            return json!(expression);
        }
        long.insert("type".to_owned(), json!(expression));
        Value::Object(long)
    }

    /// A type expression. Enums and objects are declared as named types.
    fn expression(&mut self, name: &str, schema: &Map<String, Value>, place: &str) -> String {
        if let Some(values) = schema.get("enum") {
            if let Some(words) = words(values) {
                return self.declared.name(self.tool, name, json!({ "enum": words }));
            }
            self.losses.add(Loss::Enum, place);
        }
        match kind_of(schema) {
            Some("object") if properties(schema).next().is_some() => {
                let fields = self.fields(schema, place);
                self.declared.name(self.tool, name, json!({ "fields": fields }))
            }
            Some(kind) => {
                self.unknown_keywords(schema, place);
                match (kind, schema.get("items").and_then(Value::as_object)) {
                    ("object", _) => "map<json>".to_owned(),
                    ("array", None) => "json[]".to_owned(),
                    ("array", Some(items)) => {
                        let items = self.expression(name, items, &format!("{place}[]"));
                        format!("{items}[]")
                    }
                    _ => kind.to_owned(),
                }
            }
            None => {
                self.losses.add(Loss::Union, place);
                "json".to_owned()
            }
        }
    }

    fn unknown_keywords(&mut self, schema: &Map<String, Value>, place: &str) {
        for keyword in
            schema.keys().filter(|keyword| KNOWN.split(' ').all(|known| known != *keyword))
        {
            self.losses.add(Loss::Keyword(keyword.clone()), place);
        }
    }
}

fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// The one type that a schema allows.
fn kind_of(schema: &Map<String, Value>) -> Option<&str> {
    let is_union = ["anyOf", "oneOf", "allOf", "$ref"].iter().any(|key| schema.contains_key(*key));
    let kind = schema.get("type").and_then(Value::as_str).filter(|_| !is_union)?;
    ["string", "integer", "number", "boolean", "array", "object"].contains(&kind).then_some(kind)
}

/// The values of an enum, if all are strings that differ in Rust.
fn words(values: &Value) -> Option<Vec<&str>> {
    let words: Vec<&str> = values.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    let mut variants: Vec<String> =
        words.iter().map(|word| toolwrit_manifest::rust_names::variant_name(word)).collect();
    variants.sort_unstable();
    variants.dedup();
    (variants.len() == words.len() && words.iter().all(|word| !word.trim().is_empty()))
        .then_some(words)
}
