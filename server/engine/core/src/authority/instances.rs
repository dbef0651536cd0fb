//! Several instances of what an application governs, such as vaults. A call selects one by the parameter that the category of
//! its operation declares. With a single instance there is no parameter, and nothing here has an effect.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolwrit_rows::parse_row_text;

use super::{Category, Effect, Field, Operation, Presence, Returns, Served, Tables, Type};

/// One of several instances that an application serves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instance {
    /// The name by which calls select it.
    pub name: String,
    /// Whether only reads may run on it.
    pub read_only: bool,
    /// A focus mode that must allow an operation on it, too.
    pub focus: Option<String>,
    /// The roles that may use it; `None` for all. The first instance is that of every role.
    pub roles: Option<Vec<String>>,
}

impl Instance {
    /// Whether callers of this role may use it.
    pub(crate) fn admits(&self, role: &str) -> bool {
        self.roles.as_ref().is_none_or(|roles| roles.iter().any(|allowed| allowed == role))
    }

    /// Whether its policy takes anything away.
    pub(super) fn is_restricted(&self) -> bool {
        self.read_only || self.focus.is_some() || self.roles.is_some()
    }

    /// Whether an operation of this effect may run on it.
    pub(crate) fn lets_run(&self, effect: Effect) -> bool {
        !self.read_only || effect == Effect::Read
    }
}

/// Returns the parameter that selects an instance for the operation; `None` if the operation has nothing to do with instances.
pub(crate) fn parameter<'a>(tables: &'a Tables, operation: &Operation) -> Option<&'a str> {
    let Category { instance, .. } = tables.category_of(operation);
    let is_handled = operation.builtin.is_none() && operation.binding.is_none();
    instance.as_deref().filter(|_| is_handled)
}

/// Returns tables whose operations have the parameter that selects one of these instances.
pub(super) fn selecting(tables: &Tables, instances: &[Instance]) -> Tables {
    let with_parameter = |operation: &Arc<Operation>| match parameter(tables, operation) {
        Some(name) if operation.served == Served::Tool => {
            Arc::new(with_parameter(operation, name, instances))
        }
        _ => operation.clone(),
    };
    Tables { operations: tables.operations.iter().map(with_parameter).collect(), ..tables.clone() }
}

fn with_parameter(operation: &Operation, name: &str, instances: &[Instance]) -> Operation {
    let description = description(name, instances);
    let mut inputs = operation.inputs.clone();
    inputs.push(Field {
        description: description.clone(),
        ..Field::new(name, Type::STRING, Presence::Optional)
    });
    let property = json!({"type": "string", "description": description});
    let returns = match &operation.returns {
        Returns::Object(schema) => {
            let which = json!({"type": "string", "description": format!("Which {name} it is of.")});
            Returns::Object(with_property(schema, name, which))
        }
        other => other.clone(),
    };
    Operation {
        signature: with_name(&operation.signature, name),
        input_schema: with_property(&operation.input_schema, name, property),
        inputs,
        returns,
        ..operation.clone()
    }
}

/// Names the instances, as far as every caller may know them and they are known.
fn description(parameter: &str, instances: &[Instance]) -> String {
    let mut names = instances.iter().filter(|instance| instance.roles.is_none());
    let Some(first) = names.next().map(|first| first.name.as_str()) else {
        return format!("The {parameter}, if several are served.");
    };
    let others: Vec<String> = names.map(|instance| format!("`{}`", instance.name)).collect();
    let others = if others.is_empty() { String::new() } else { format!(", {}", others.join(", ")) };
    format!("The {parameter}: `{first}` unless given{others}.")
}

/// Adds an optional property to a schema of an object.
fn with_property(schema: &str, name: &str, property: Value) -> String {
    let mut schema: Map<String, Value> = parse_row_text(schema);
    let properties = schema.entry("properties").or_insert_with(|| Map::new().into());
    if let Some(properties) = properties.as_object_mut() {
        properties.insert(name.to_owned(), property);
    }
    Value::Object(schema).to_string()
}

/// Adds an optional parameter to a signature, `vault.read(path: string) -> text`.
fn with_name(signature: &str, name: &str) -> String {
    let (call, result) = match signature.rsplit_once(") -> ") {
        Some((call, result)) => (call, format!(" -> {result}")),
        None => (signature.strip_suffix(')').unwrap_or(signature), String::new()),
    };
    let comma = if call.ends_with('(') { "" } else { ", " };
    format!("{call}{comma}{name}?: string){result}")
}
