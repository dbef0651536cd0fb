//! The references of a schema. The validator follows them without a memory, so that a value in `n` nested choices is checked up
//! to `2^n` times, and a schema of a few lines can keep it busy for ever. Here each subschema that a reference leads to is
//! a schema of its own, a part, and a part checks a value once.

use std::collections::HashMap;

use jsonschema::Draft;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

/// The keyword in place of a reference to a part.
pub(super) const PART: &str = "toolwrit:part";
/// The keyword beside a reference that stays, because only the validator knows where it leads.
pub(super) const STEP: &str = "toolwrit:step";

/// Most schemas in a schema if each reference is written out, up to where it repeats itself.
const MOST_UNFOLDED: u64 = 1_000_000;

/// Keywords that contain a schema, a list of schemas, and schemas by name.
const ONE: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
const LIST: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const NAMED: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];
/// Keywords with which a reference depends on more than the subschema that it names.
const DYNAMIC: [&str; 7] = [
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$recursiveAnchor",
    "$recursiveRef",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// A schema without references that are followed without a memory.
pub(super) struct Parts {
    /// The whole schema, and the schemas to which references lead.
    pub(super) schemas: Vec<Value>,
    pub(super) draft: Draft,
    /// Whether the validator follows references. It then counts its steps.
    pub(super) follows: bool,
}

impl Parts {
    /// Takes a schema apart.
    ///
    /// # Errors
    /// Why it cannot be used, as the rest of a sentence.
    pub(super) fn parse(schema: &Value) -> Result<Self, String> {
        let draft = Draft::default().detect(schema);
        let mut splitter = Splitter {
            schema,
            draft,
            follows: false,
            pointers: vec![String::new()],
            known: HashMap::from([(String::new(), 0)]),
        };
        splitter.follows = is_dynamic(schema, true);
        let mut schemas = vec![splitter.split(schema)?];
        while schemas.len() < splitter.pointers.len() {
            let pointer = splitter.pointers[schemas.len()].clone();
            let target = schema
                .pointer(&pointer)
                .ok_or_else(|| format!("is not valid: `#{pointer}` leads nowhere"))?;
            schemas.push(splitter.split(target)?);
        }
        let parts = Self { schemas, draft, follows: splitter.follows };
        parts.limit_size(&splitter.pointers)?;
        Ok(parts)
    }

    /// Refuses a schema that is too large when it is unfolded, and names the subschema that multiplies it.
    fn limit_size(&self, pointers: &[String]) -> Result<(), String> {
        let mut sizes = vec![None; self.schemas.len()];
        let measured =
            pointers.iter().enumerate().map(|(at, pointer)| (self.size(at, &mut sizes), pointer));
        // What contains that subschema is larger still.
        let Some((_, pointer)) = measured.filter(|(size, _)| *size > MOST_UNFOLDED).min() else {
            return Ok(());
        };
        let pointer = if pointer.is_empty() { "it" } else { pointer };
        Err(format!(
            "has more than {MOST_UNFOLDED} schemas in `{pointer}` once its references are written out"
        ))
    }

    /// The size of a part. A reference to a part that is being measured repeats itself, and adds nothing.
    fn size(&self, at: usize, sizes: &mut [Option<u64>]) -> u64 {
        if let Some(size) = sizes[at] {
            return size;
        }
        sizes[at] = Some(1);
        let mut size = 0u64;
        each_schema(&self.schemas[at], &mut |schema| {
            let inner = part_of(schema).map_or(0, |part| self.size(part, sizes));
            size = size.saturating_add(1).saturating_add(inner);
        });
        sizes[at] = Some(size);
        size
    }
}

/// The part that a schema refers to.
pub(super) fn part_of(schema: &Value) -> Option<usize> {
    schema.as_object().and_then(part_in)
}

/// The part that the keywords of a schema refer to.
pub(super) fn part_in(keywords: &Map<String, Value>) -> Option<usize> {
    usize::try_from(keywords.get(PART)?.as_u64()?).ok()
}

/// Calls a function for a schema and for all schemas in it.
fn each_schema(schema: &Value, visit: &mut impl FnMut(&Value)) {
    visit(schema);
    let Value::Object(keywords) = schema else { return };
    for (keyword, value) in keywords {
        match value {
            Value::Object(named) if NAMED.contains(&keyword.as_str()) => {
                for schema in named.values() {
                    each_schema(schema, visit);
                }
            }
            Value::Array(list) if LIST.contains(&keyword.as_str()) => {
                for schema in list {
                    each_schema(schema, visit);
                }
            }
            value if ONE.contains(&keyword.as_str()) => each_schema(value, visit),
            _ => {}
        }
    }
}

/// Whether references depend on more than the subschema that they name.
fn is_dynamic(schema: &Value, is_root: bool) -> bool {
    let mut refers = false;
    let mut found = false;
    let mut first = is_root;
    each_schema(schema, &mut |schema| {
        let reference = schema.get("$ref").and_then(Value::as_str);
        refers |= reference.is_some();
        found |=
            reference.is_some_and(|reference| !(reference == "#" || reference.starts_with("#/")));
        found |= DYNAMIC.iter().any(|keyword| schema.get(keyword).is_some());
        found |=
            !first && ["$id", "id"].iter().any(|id| schema.get(id).is_some_and(Value::is_string));
        refers |= schema.get("$dynamicRef").is_some() || schema.get("$recursiveRef").is_some();
        first = false;
    });
    refers && found
}

struct Splitter<'a> {
    schema: &'a Value,
    draft: Draft,
    follows: bool,
    /// The JSON pointers of the parts.
    pointers: Vec<String>,
    known: HashMap<String, usize>,
}

impl Splitter<'_> {
    fn split(&mut self, schema: &Value) -> Result<Value, String> {
        let Value::Object(keywords) = schema else { return Ok(schema.clone()) };
        let mut out = Map::new();
        for (keyword, value) in keywords {
            let name = keyword.as_str();
            if [PART, STEP].contains(&name) {
                // Nobody else may use these keywords.
                continue;
            }
            let value = match value {
                Value::Object(named) if NAMED.contains(&name) => {
                    let split =
                        named.iter().map(|(name, schema)| Ok((name.clone(), self.split(schema)?)));
                    Value::Object(split.collect::<Result<_, String>>()?)
                }
                Value::Array(list) if LIST.contains(&name) => {
                    let split = list.iter().map(|schema| self.split(schema));
                    Value::Array(split.collect::<Result<_, _>>()?)
                }
                value if ONE.contains(&name) => self.split(value)?,
                value => value.clone(),
            };
            out.insert(keyword.clone(), value);
        }
        let reference = out.get("$ref").and_then(Value::as_str).map(str::to_owned);
        if self.follows {
            let refers = ["$ref", "$dynamicRef", "$recursiveRef"]
                .iter()
                .any(|keyword| out.contains_key(*keyword));
            return Ok(if refers {
                counted(out, self.ignores_siblings())
            } else {
                Value::Object(out)
            });
        }
        let Some(reference) = reference else { return Ok(Value::Object(out)) };
        let part = self.part(&reference)?;
        if self.ignores_siblings() {
            return Ok(json!({ PART: part }));
        }
        out.shift_remove("$ref");
        out.insert(PART.to_owned(), part.into());
        Ok(Value::Object(out))
    }

    /// The number of the part to which a reference leads.
    fn part(&mut self, reference: &str) -> Result<usize, String> {
        let invalid = || format!("is not valid: `{reference}` is no reference");
        let pointer = percent_decode_str(&reference[1..]).decode_utf8().map_err(|_| invalid())?;
        if let Some(known) = self.known.get(pointer.as_ref()) {
            return Ok(*known);
        }
        if self.schema.pointer(&pointer).is_none() {
            return Err(format!("is not valid: `{reference}` leads nowhere"));
        }
        let part = self.pointers.len();
        self.known.insert(pointer.as_ref().to_owned(), part);
        self.pointers.push(pointer.into_owned());
        Ok(part)
    }

    /// Whether what stands beside a reference means nothing.
    fn ignores_siblings(&self) -> bool {
        matches!(self.draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7)
    }
}

/// A schema with a reference that the validator follows, after a step is counted.
fn counted(mut schema: Map<String, Value>, ignores_siblings: bool) -> Value {
    let mut steps = vec![json!({ STEP: true })];
    for reference in ["$ref", "$dynamicRef", "$recursiveRef"] {
        if let Some(target) = schema.shift_remove(reference) {
            steps.push(json!({ reference: target }));
        }
    }
    if ignores_siblings {
        // Other references may lead to what is defined here.
        schema.retain(|keyword, _| ["definitions", "$defs", "$schema"].contains(&keyword.as_str()));
    }
    match schema.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(conjuncts) => conjuncts.extend(steps),
        None => {
            schema.insert("allOf".to_owned(), steps.into());
        }
    }
    Value::Object(schema)
}
