//! A schema as it is meant: references followed, `allOf` merged, and what only says "or null" removed.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::document::node::{Node, NodeId};

/// More parts than any real schema has.
const MOST_PARTS: usize = 200;
const MOST_WRAPPERS: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
    /// Any value, or one of several types.
    Any,
}

/// A schema that may be made of several.
pub(crate) struct Schema<'a> {
    /// The location that identifies it, behind references.
    pub(crate) node: Node<'a>,
    /// Schemas around it that only add a description, the outermost first.
    wrappers: Vec<Node<'a>>,
    /// The schemas that hold together.
    parts: Vec<Node<'a>>,
    /// The alternatives, if there is more than one.
    variants: Vec<Node<'a>>,
    /// The schemas that extend this one, one of which a value with a discriminator has.
    heirs: Vec<Node<'a>>,
    is_nullable: bool,
}

impl<'a> Schema<'a> {
    /// Reads a schema; `None` if its reference leads nowhere.
    pub(crate) fn read(node: &Node<'a>) -> Option<Self> {
        let mut wrappers = Vec::new();
        let mut is_nullable = false;
        let mut node = node.clone();
        for _ in 0..MOST_WRAPPERS {
            if node.has("$ref") {
                wrappers.push(node.clone());
            }
            node = node.resolve()?;
            let Some((next, or_null)) = unwrap_only_part(&node) else { break };
            is_nullable |= or_null || allows_null(&node);
            wrappers.push(node);
            node = next;
        }
        let node = node.resolve()?;
        let (parts, variants, heirs) = (Vec::new(), Vec::new(), Vec::new());
        let mut schema = Self { node: node.clone(), wrappers, parts, variants, heirs, is_nullable };
        let mut seen = HashSet::new();
        schema.collect_parts(&node, &mut seen);
        if node.has("discriminator") && schema.variants.is_empty() {
            schema.collect_heirs(&node, &mut seen);
        }
        Some(schema)
    }

    /// Collects the schemas that extend one, and those that extend them. What they require, only some values need.
    fn collect_heirs(&mut self, node: &Node<'a>, seen: &mut HashSet<NodeId>) {
        let (own, is_nullable) = (self.parts.len(), self.is_nullable);
        for heir in node.heirs() {
            if self.heirs.len() >= MOST_PARTS || seen.contains(&heir.id()) {
                continue;
            }
            self.collect_parts(&heir, seen);
            self.heirs.extend(self.parts.drain(own..));
            self.collect_heirs(&heir, seen);
        }
        self.is_nullable = is_nullable;
    }

    fn collect_parts(&mut self, node: &Node<'a>, seen: &mut HashSet<NodeId>) {
        if self.parts.len() >= MOST_PARTS || !seen.insert(node.id()) {
            return;
        }
        self.is_nullable |= allows_null(node);
        self.parts.push(node.clone());
        for part in node.raw("allOf").iter().flat_map(Node::items) {
            if let Some(part) = part.resolve() {
                self.collect_parts(&part, seen);
            }
        }
        for key in ["oneOf", "anyOf"] {
            let Some(list) = node.raw(key) else { continue };
            let all: Vec<Node<'a>> = list.items().filter_map(|item| item.resolve()).collect();
            let is_value = |variant: &&Node<'a>| !is_null(variant);
            let variants: Vec<Node<'a>> = all.iter().filter(is_value).cloned().collect();
            self.is_nullable |= variants.len() < all.len();
            match &variants[..] {
                [only] => self.collect_parts(only, seen),
                // Alternatives that only say which fields go together.
                several if node.has("properties") || several.iter().all(only_requires) => {}
                _ => self.variants.extend(variants),
            }
        }
    }

    pub(crate) fn is_nullable(&self) -> bool {
        self.is_nullable
    }

    /// Whether a value has the fields of one of several schemas that extend this one.
    pub(crate) fn has_heirs(&self) -> bool {
        !self.heirs.is_empty()
    }

    pub(crate) fn is_union(&self) -> bool {
        !self.variants.is_empty()
    }

    /// The property that says which of several schemas a value has, and its values: the one of this schema alone if it is
    /// one of them.
    pub(crate) fn discriminator(&self) -> Option<(&'a str, Vec<String>)> {
        let discriminator = self.find("discriminator")?;
        let property = discriminator.get("propertyName")?.as_str()?;
        let mapping = discriminator.get("mapping").and_then(Value::as_object);
        let value = |node: &Node<'a>| {
            let name = node.name();
            let leads =
                |to: &Value| to.as_str().is_some_and(|to| to.rsplit('/').next() == Some(&name));
            let mapped = mapping.into_iter().flatten().find(|(_, to)| leads(to));
            mapped.map_or_else(|| name.clone(), |(key, _)| key.clone())
        };
        let several = if self.variants.is_empty() { &self.heirs } else { &self.variants };
        let named = several.iter().filter(|node| node.is_component());
        let values: Vec<String> = named.map(value).collect();
        if !values.is_empty() {
            return Some((property, values));
        }
        self.node.is_component().then(|| (property, vec![value(&self.node)]))
    }

    /// The first of several alternatives.
    pub(crate) fn first_variant(&self) -> Option<Self> {
        self.variants.first().and_then(Self::read)
    }

    /// The first value of a key, from the outside to the inside.
    pub(crate) fn find(&self, key: &str) -> Option<&'a Value> {
        let mut around = self.wrappers.iter().chain(&self.parts);
        around.find_map(|node| node.value.get(key)).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        self.find(key)?.as_str()
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        self.wrappers.iter().chain(&self.parts).any(|node| node.flag(key) == Some(true))
    }

    pub(crate) fn child(&self, key: &str) -> Option<Node<'a>> {
        self.parts.iter().find_map(|part| part.raw(key))
    }

    /// The values that are allowed, without null.
    pub(crate) fn values(&self) -> Option<Vec<&'a Value>> {
        let mut values = match enum_values(&self.parts) {
            Some(values) => values,
            None if self.variants.is_empty() => return None,
            None => {
                let each =
                    self.variants.iter().map(|variant| enum_values(std::slice::from_ref(variant)));
                each.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect()
            }
        };
        values.retain(|value| !value.is_null());
        (!values.is_empty()).then_some(values)
    }

    /// Its type, also if it is not written.
    pub(crate) fn ty(&self) -> Type {
        if self.is_union() {
            return self.common_type();
        }
        let written = self.parts.iter().find_map(|part| part.value.get("type"));
        if let Some(written) = written {
            return parse_type(written).unwrap_or(Type::Any);
        }
        let has = |key: &str| self.parts.iter().any(|part| part.has(key));
        let is_text =
            || self.values().is_some_and(|values| values.iter().all(|value| value.is_string()));
        if has("properties") || has("additionalProperties") {
            Type::Object
        } else if has("items") {
            Type::Array
        } else if has("pattern") || has("minLength") || has("maxLength") || is_text() {
            Type::String
        } else {
            Type::Any
        }
    }

    /// The type of all alternatives, if it is one that needs no fields.
    fn common_type(&self) -> Type {
        let types: Option<Vec<Type>> = self.variants.iter().map(variant_type).collect();
        match types.as_deref() {
            Some([first, rest @ ..])
                if rest.iter().all(|ty| ty == first)
                    && !matches!(first, Type::Array | Type::Object) =>
            {
                *first
            }
            _ => Type::Any,
        }
    }

    /// The fields of an object: their names, and their schemas as they are written. The first of several parts that
    /// have a field counts, because it refines the parts that it extends; a field of two heirs that differs has any
    /// value.
    pub(crate) fn properties(&self) -> Vec<(&'a str, Node<'a>)> {
        let mut properties: Vec<(&'a str, Node<'a>)> = Vec::new();
        let mut known: HashMap<&'a str, usize> = HashMap::new();
        for list in self.parts.iter().filter_map(|part| part.raw("properties")) {
            for (name, node) in list.entries() {
                known.entry(name).or_insert_with(|| {
                    properties.push((name, node));
                    properties.len() - 1
                });
            }
        }
        let own = properties.len();
        for list in self.heirs.iter().filter_map(|heir| heir.raw("properties")) {
            for (name, node) in list.entries() {
                match known.get(name) {
                    Some(at) if *at < own || properties[*at].1.value == node.value => {}
                    Some(at) => properties[*at].1 = node.of_any_value(),
                    None => {
                        known.insert(name, properties.len());
                        properties.push((name, node));
                    }
                }
            }
        }
        properties
    }

    /// The fields that must be given. Many documents name some of them beside a reference.
    pub(crate) fn required(&self) -> HashSet<&'a str> {
        let parts = self.wrappers.iter().chain(&self.parts);
        let lists = parts.filter_map(|part| part.value.get("required")?.as_array());
        lists.flatten().filter_map(Value::as_str).collect()
    }
}

fn enum_values<'a>(nodes: &[Node<'a>]) -> Option<Vec<&'a Value>> {
    nodes.iter().find_map(|node| match (node.value.get("enum"), node.value.get("const")) {
        (Some(Value::Array(values)), _) => Some(values.iter().collect()),
        (_, Some(value)) => Some(vec![value]),
        _ => None,
    })
}

/// The only schema inside one that adds nothing to its values, and whether null is allowed besides.
fn unwrap_only_part<'a>(node: &Node<'a>) -> Option<(Node<'a>, bool)> {
    const ADDING: [&str; 7] =
        ["properties", "required", "items", "enum", "const", "additionalProperties", "pattern"];
    let mut keys = ["allOf", "oneOf", "anyOf"].into_iter().filter(|key| node.has(key));
    let (Some(key), None) = (keys.next(), keys.next()) else { return None };
    if ADDING.iter().any(|key| node.has(key)) {
        return None;
    }
    let mut items: Vec<Node<'a>> = node.raw(key)?.items().collect();
    let before = items.len();
    items.retain(|item| item.resolve().is_none_or(|item| !is_null(&item)));
    let or_null = items.len() < before;
    let only = items.pop()?;
    items.is_empty().then_some((only, or_null))
}

fn allows_null(node: &Node<'_>) -> bool {
    let has = |key: &str, word: Value| {
        node.value.get(key).and_then(Value::as_array).is_some_and(|list| list.contains(&word))
    };
    node.flag("nullable") == Some(true) || has("type", "null".into()) || has("enum", Value::Null)
}

/// Whether null is its only value.
fn is_null(node: &Node<'_>) -> bool {
    let values = node.value.get("enum").and_then(Value::as_array);
    node.text("type") == Some("null")
        || node.value.get("const").is_some_and(Value::is_null)
        || values.is_some_and(|values| !values.is_empty() && values.iter().all(Value::is_null))
}

fn only_requires(node: &Node<'_>) -> bool {
    const KEYS: [&str; 4] = ["required", "not", "title", "description"];
    let keys = node.value.as_object();
    keys.is_some_and(|keys| !keys.is_empty() && keys.keys().all(|key| KEYS.contains(&key.as_str())))
}

fn variant_type(node: &Node<'_>) -> Option<Type> {
    if let Some(ty) = node.value.get("type") {
        return parse_type(ty);
    }
    let values = enum_values(std::slice::from_ref(node))?;
    values.iter().all(|value| value.is_string()).then_some(Type::String)
}

/// A type, or a list of types one of which may be null.
fn parse_type(value: &Value) -> Option<Type> {
    let word = |word: &str| match word {
        "string" | "file" => Some(Type::String),
        "integer" => Some(Type::Integer),
        "number" => Some(Type::Number),
        "boolean" => Some(Type::Boolean),
        "array" => Some(Type::Array),
        "object" => Some(Type::Object),
        _ => None,
    };
    let list = match value {
        Value::String(text) => return word(text),
        Value::Array(list) => list,
        _ => return None,
    };
    let types: Vec<Type> = list.iter().filter_map(Value::as_str).filter_map(word).collect();
    match types[..] {
        [only] => Some(only),
        [Type::Integer, Type::Number] | [Type::Number, Type::Integer] => Some(Type::Number),
        _ => None,
    }
}
