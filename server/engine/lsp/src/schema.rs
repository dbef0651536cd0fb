//! What JSON Schemas say about a place in YAML: the editor schema of manifests, and the schemas of parameters.

use serde_json::Value;

use crate::outline::Step;

/// Steps from one definition to the next, at most.
const MOST_REFERENCES: usize = 16;

/// A key that a mapping may have.
#[derive(Debug)]
pub(crate) struct Key<'s> {
    pub(crate) name: &'s str,
    pub(crate) schema: &'s Value,
    pub(crate) is_required: bool,
}

/// A schema that a value must fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'s> {
    schema: &'s Value,
    /// The definition and the key that lead here, without the steps into lists and names.
    pub(crate) owner: Option<(&'s str, &'s str)>,
}

/// A schema without references, and its name if it is a definition.
type Resolved<'s> = (Option<&'s str>, &'s Value);

impl<'s> Spot<'s> {
    pub(crate) fn root(schema: &'s Value) -> Self {
        Self { schema, owner: None }
    }

    /// The schemas of the value at a path, each alternative with its own.
    pub(crate) fn descend(self, definitions: &'s Value, path: &[Step]) -> Vec<Self> {
        path.iter().fold(vec![self], |spots, step| {
            spots.into_iter().flat_map(|spot| spot.enter(definitions, step)).collect()
        })
    }

    fn enter(self, definitions: &'s Value, step: &Step) -> Vec<Self> {
        let within = |(definition, schema): Resolved<'s>| match step {
            Step::Item(_) => Some(Self { schema: schema.get("items")?, ..self }),
            Step::Key(name) => match schema.get("properties").and_then(Value::as_object) {
                Some(properties) if properties.contains_key(name) => {
                    let (key, schema) = properties.get_key_value(name)?;
                    let owner = definition.map(|definition| (definition, key.as_str()));
                    Some(Self { schema, owner })
                }
                _ => {
                    let schema = schema.get("additionalProperties")?;
                    schema.is_object().then_some(Self { schema, ..self })
                }
            },
        };
        self.alternatives(definitions).into_iter().filter_map(within).collect()
    }

    fn alternatives(self, definitions: &'s Value) -> Vec<Resolved<'s>> {
        let mut open = vec![(None, self.schema, 0)];
        let mut resolved = Vec::new();
        while let Some((definition, schema, depth)) = open.pop() {
            if depth > MOST_REFERENCES {
                continue;
            }
            let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
            if let Some((name, schema)) =
                name.and_then(|name| definitions.as_object()?.get_key_value(name))
            {
                open.push((Some(name.as_str()), schema, depth + 1));
            } else if let Some(alternatives) = schema["anyOf"].as_array() {
                // `anyOf` beside `properties` says only which of them are required together.
                resolved.extend(schema.get("properties").map(|_| (definition, schema)));
                open.extend(alternatives.iter().rev().map(|one| (definition, one, depth + 1)));
            } else {
                resolved.push((definition, schema));
            }
        }
        resolved
    }

    /// The keys of the mapping.
    pub(crate) fn keys(self, definitions: &'s Value) -> Vec<Key<'s>> {
        let keys = |(_, schema): Resolved<'s>| {
            let required = schema["required"].as_array();
            let properties = schema["properties"].as_object().into_iter().flatten();
            properties.map(move |(name, schema)| Key {
                name,
                schema,
                is_required: required.is_some_and(|keys| keys.iter().any(|key| key == name)),
            })
        };
        self.alternatives(definitions).into_iter().flat_map(keys).collect()
    }

    /// The values of an enum or a boolean.
    pub(crate) fn values(self, definitions: &'s Value) -> Vec<String> {
        let values = |(_, schema): Resolved<'s>| match (&schema["enum"], schema["type"].as_str()) {
            (Value::Array(values), _) => {
                values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            (_, Some("boolean")) => vec!["true".to_owned(), "false".to_owned()],
            _ => Vec::new(),
        };
        self.alternatives(definitions).into_iter().flat_map(values).collect()
    }

    pub(crate) fn description(self) -> Option<&'s str> {
        self.schema["description"].as_str()
    }

    /// The kind of value, in words.
    pub(crate) fn kind(self, definitions: &'s Value) -> String {
        let mut kinds = Vec::new();
        for (_, schema) in self.alternatives(definitions) {
            let kind = describe_kind(schema);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds.join(" or ")
    }

    /// The default, as JSON.
    pub(crate) fn default(self) -> Option<&'s Value> {
        self.schema.get("default")
    }
}

fn describe_kind(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|");
    }
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", describe_kind(&schema["items"])),
        Some("object") => "mapping".to_owned(),
        Some(kind) => kind.to_owned(),
        None if schema["$ref"].is_string() => "mapping".to_owned(),
        None => "any value".to_owned(),
    }
}
