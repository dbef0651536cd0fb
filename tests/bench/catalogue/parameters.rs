//! JSON Schema to the manifest's types. What the language cannot say becomes `json`.

use serde_json::{Map, Value, json};

use crate::losses::{Loss, Losses};
use crate::naming::{singular, snake_case, upper_camel};
use crate::texts;

/// Types that need a declaration, because they stand in lists.
#[derive(Default)]
pub(crate) struct Declared(Map<String, Value>);

impl Declared {
    pub(crate) fn into_types(self) -> Map<String, Value> {
        self.0
    }

    /// A name for the type: that of the parameter, with its owner's before it if another type has it.
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

/// Keywords that are taken up, or say what holds anyway.
const KNOWN: &[&str] = &[
    "type",
    "enum",
    "properties",
    "required",
    "items",
    "description",
    "default",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "anyOf",
    "oneOf",
    "allOf",
    "additionalProperties",
    "$schema",
];

/// Constraints, and what the language calls them.
const CONSTRAINTS: &[(&str, &str, &[&str])] = &[
    ("minimum", "min", &["integer", "number"]),
    ("maximum", "max", &["integer", "number"]),
    ("minLength", "min_length", &["string"]),
    ("maxLength", "max_length", &["string"]),
    ("minItems", "min_items", &["array"]),
    ("maxItems", "max_items", &["array"]),
];

impl Lowering<'_> {
    /// The parameters, or the fields, of an object's schema.
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
            while snake == "confirm" || fields.contains_key(&snake) {
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

    /// A parameter's type, as short as it can be written.
    fn parameter(&mut self, name: &str, schema: &Value, is_required: bool, place: &str) -> Value {
        let empty = Map::new();
        let schema = schema.as_object().unwrap_or(&empty);
        let mut long = self.shape(name, schema, place);
        let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
        if is_built_in(&long, kind) {
            for (keyword, constraint, kinds) in CONSTRAINTS {
                if let Some(bound) = schema.get(*keyword)
                    && kinds.contains(&kind)
                {
                    long.insert((*constraint).to_owned(), bound.clone());
                }
            }
        }
        match schema.get("default") {
            Some(default) if !is_required => {
                drop(long.insert("default".to_owned(), default.clone()))
            }
            _ => {}
        }
        let told = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let values = long.remove("values").unwrap_or_default();
        let told = format!("{told}{}", values.as_str().unwrap_or_default());
        if !told.is_empty() {
            let told = texts::description(&told, place, self.losses);
            long.insert("description".to_owned(), json!(told));
        }
        match (long.len(), long.get("type")) {
            (1, Some(expression)) => expression.clone(),
            _ => Value::Object(long),
        }
    }

    /// The long form with nothing but the shape: `type`, `enum` or `fields`. Values of an enum that
    /// cannot be one stand in `values`, as a sentence.
    fn shape(
        &mut self,
        name: &str,
        schema: &Map<String, Value>,
        place: &str,
    ) -> Map<String, Value> {
        let of = |key: &str, value: Value| Map::from_iter([(key.to_owned(), value)]);
        if let Some(values) = schema.get("enum") {
            return match words(values) {
                Some(words) => of("enum", json!(words)),
                None => {
                    self.losses.add(Loss::Enum, place);
                    let mut shape = of("type", json!(kind_of(schema).unwrap_or("json")));
                    shape.insert("values".to_owned(), json!(format!(" One of {values}.")));
                    shape
                }
            };
        }
        match kind_of(schema) {
            Some("array") => of("type", json!(self.list(name, schema, place))),
            Some("object") if properties(schema).next().is_some() => {
                of("fields", Value::Object(self.fields(schema, place)))
            }
            Some("object") => {
                self.unknown_keywords(schema, place);
                of("type", json!("map<json>"))
            }
            Some(kind) => {
                self.unknown_keywords(schema, place);
                of("type", json!(kind))
            }
            None => {
                self.losses.add(Loss::Union, place);
                of("type", json!("json"))
            }
        }
    }

    /// `T[]`; an item that is an enum or an object is declared as a type.
    fn list(&mut self, name: &str, schema: &Map<String, Value>, place: &str) -> String {
        self.unknown_keywords(schema, place);
        let Some(items) = schema.get("items").and_then(Value::as_object) else {
            return "json[]".to_owned();
        };
        let shape = self.shape(name, items, &format!("{place}[]"));
        match shape.get("type").and_then(Value::as_str) {
            Some(expression) => format!("{expression}[]"),
            None => format!("{}[]", self.declared.name(self.tool, name, Value::Object(shape))),
        }
    }

    fn unknown_keywords(&mut self, schema: &Map<String, Value>, place: &str) {
        for keyword in schema.keys().filter(|keyword| !KNOWN.contains(&keyword.as_str())) {
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
        words.iter().map(|word| toolwrit_manifest::names::variant_name(word)).collect();
    variants.sort_unstable();
    variants.dedup();
    (variants.len() == words.len() && words.iter().all(|word| !word.trim().is_empty()))
        .then_some(words)
}

/// Whether constraints of a kind apply: the shape is of that kind, and no enum or object.
fn is_built_in(long: &Map<String, Value>, kind: &str) -> bool {
    let expression = long.get("type").and_then(Value::as_str).unwrap_or_default();
    expression == kind || (kind == "array" && expression.ends_with("[]"))
}
