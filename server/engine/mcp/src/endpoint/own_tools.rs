//! The arguments of the engine's own tools, checked by the validator of all arguments.

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value, json};

use super::Endpoint;
use crate::surface::{ToolTarget, schema};
use toolwrit_core::arguments;
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::authority::{
    Effect, Field, Mapping, Name, Operation, Presence, Served, Tables, Type,
};
use toolwrit_core::fault::{Fault, Result};
use toolwrit_core::policy::Policy;

/// The names of a category tool's parameters.
const OPERATION: &str = "operation";
const PARAMS: &str = "params";
/// An object of further parameters, which flat calls of older servers have.
const OPTIONS: &str = "options";

pub(super) static DISCOVER: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let details = ["names", "signatures", "schemas"].map(str::to_owned).to_vec();
    vec![optional("category", Type::STRING), optional("detail", Type::Enum(details))]
});
pub(super) static SEARCH: LazyLock<Vec<Field>> = LazyLock::new(|| {
    vec![
        optional("query", Type::STRING),
        optional("category", Type::STRING),
        optional("limit", Type::Integer { min: 1, max: 100 }),
    ]
});
pub(super) static DESCRIBE: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let names = Type::Array { items: Box::new(Type::STRING), min: 1, max: 100 };
    vec![required("tools", names)]
});
pub(super) static CONTEXT: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let confidences = Type::Map(Box::new(Type::Number { min: 0.0, max: 1.0 }));
    vec![optional("message", Type::STRING), defaulting("previous", confidences, "{}")]
});
static CATEGORY: LazyLock<Vec<Field>> = LazyLock::new(|| {
    vec![required(OPERATION, Type::STRING), defaulting(PARAMS, any_object(), "{}")]
});
static EXECUTE: LazyLock<Vec<Field>> = LazyLock::new(|| {
    vec![
        required("tool", Type::STRING),
        defaulting("args", any_object(), "{}"),
        optional("focus", Type::STRING),
        optional("role", Type::STRING),
    ]
});

fn required(name: &str, ty: Type) -> Field {
    Field::new(name, ty, Presence::Required)
}

fn optional(name: &str, ty: Type) -> Field {
    Field::new(name, ty, Presence::Optional)
}

fn defaulting(name: &str, ty: Type, default: &str) -> Field {
    Field::new(name, ty, Presence::Default(default.to_owned()))
}

fn any_object() -> Type {
    Type::Map(Box::new(Type::Json))
}

/// Checks the arguments of one of the engine's own tools.
pub(super) fn bind_own(
    tool: &str,
    fields: &[Field],
    arguments: Map<String, Value>,
) -> Result<ArgValues> {
    arguments::bind(fields, arguments)
        .map_err(|fault| fault.of_operation(tool).teaching(&signature(tool, fields), None))
}

fn signature(tool: &str, fields: &[Field]) -> String {
    let parameters: Vec<String> = fields
        .iter()
        .map(|field| {
            let mark = if field.presence == Presence::Required { "" } else { "?" };
            let ty = match &field.ty {
                Type::Map(_) => "object".to_owned(),
                Type::Array { .. } => "string[]".to_owned(),
                ty => arguments::expected(ty),
            };
            format!("{}{mark}: {ty}", field.name)
        })
        .collect();
    format!("{tool}({})", parameters.join(", "))
}

/// The call of an operation in the arguments of another tool.
pub(super) struct InnerCall {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    /// The endpoint's policy, or the narrower one that the call asks for.
    pub(super) policy: Arc<Policy>,
}

/// Reads the arguments of an execute tool: `{tool, args, focus?, role?}`.
pub(super) fn execute(
    endpoint: &Endpoint,
    tool: &str,
    effect: Option<Effect>,
    arguments: Map<String, Value>,
) -> Result<InnerCall> {
    let mut slots = arguments::bind(&EXECUTE, arguments)
        .map_err(|fault| explain(endpoint, fault, tool, &EXECUTE, |o| fits(o, effect)))?;
    let (name, arguments) = (slots.take(), slots.take());
    let (focus, role): (Option<String>, Option<String>) = (slots.take(), slots.take());
    let policy = narrowed(&endpoint.policy, focus.as_deref(), role.as_deref())
        .map_err(|fault| fault.of_operation(tool).teaching(&signature(tool, &EXECUTE), None))?;
    check_effect(endpoint, InnerCall { name, arguments, policy }, tool, effect)
}

fn narrowed(policy: &Arc<Policy>, focus: Option<&str>, role: Option<&str>) -> Result<Arc<Policy>> {
    if focus.is_none() && role.is_none() {
        return Ok(policy.clone());
    }
    let focused = policy.narrowed(focus, None).map_err(|name| name.fault("/focus"))?;
    let narrowed = focused.narrowed(None, role).map_err(|name| name.fault("/role"))?;
    Ok(Arc::new(narrowed))
}

/// Reads the arguments of a category's tool: `{operation, params}`, or the parameters flat beside `operation`.
/// Accepts the operation's name or id.
pub(super) fn category(
    endpoint: &Endpoint,
    tool: &str,
    category: usize,
    effect: Option<Effect>,
    arguments: Map<String, Value>,
) -> Result<InnerCall> {
    let within = |o: &Operation| usize::from(o.category) == category && fits(o, effect);
    let mut slots = arguments::bind(&CATEGORY, nested(endpoint, tool, category, arguments)?)
        .map_err(|fault| explain(endpoint, fault, tool, &CATEGORY, within))?;
    let name: String = slots.take();
    let tables = endpoint.tables();
    let found = find_by_name(tables, category, &name).ok_or_else(|| {
        let category = &tables.categories[category].name;
        endpoint.policy.not_found(&format!("{category}.{name}"))
    })?;
    let arguments = slots.take();
    let name = older_spelling(tables, found, &arguments).unwrap_or(&found.name).to_owned();
    let inner = InnerCall { name, arguments, policy: endpoint.policy.clone() };
    check_effect(endpoint, inner, tool, effect)
}

/// Moves the provider into the name of the operation, and flat parameters into `params`.
///
/// # Errors
/// As [`flat_parameters`].
fn nested(
    endpoint: &Endpoint,
    tool: &str,
    category: usize,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>> {
    let mut arguments = ungrouped(endpoint.tables(), category, arguments);
    if arguments.contains_key(PARAMS) {
        return Ok(arguments);
    }
    let name = arguments.shift_remove(OPERATION);
    let found = name.as_ref().and_then(Value::as_str);
    let found = found.and_then(|name| find_by_name(endpoint.tables(), category, name));
    // The pipeline refuses any other operation, and reveals nothing of it.
    if let Some(found) = found.filter(|found| endpoint.policy.shows(found.operation.into())) {
        arguments = flat_parameters(endpoint, tool, found, arguments)?;
    }
    let name = name.map(|name| (OPERATION.to_owned(), name));
    Ok(name.into_iter().chain([(PARAMS.to_owned(), arguments.into())]).collect())
}

/// Moves the members of `options` among the flat parameters of an operation, unless it is a parameter itself.
///
/// # Errors
/// `VALIDATION_ERROR` for a parameter that is sent twice, and for an operation that requires a parameter
/// `operation` of its own, which a flat call cannot contain.
fn flat_parameters(
    endpoint: &Endpoint,
    tool: &str,
    name: &Name,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>> {
    let operation = &endpoint.tables().operations[usize::from(name.operation)];
    let alias = name.alias.map(|at| &operation.aliases[usize::from(at)]);
    let older = |name: &str| {
        alias.is_some_and(|alias| {
            let Mapping { args, each, .. } = &alias.mapping;
            args.iter().any(|(older, now)| *older == name || *now == [name])
                || each.iter().any(|each| each.from == name)
        })
    };
    // Operations that join have no field table, but all have a schema.
    let schema = schema(&operation.input_schema);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = required.is_some_and(|names| names.iter().any(|name| name == OPERATION));
    if is_required && !older(OPERATION) {
        let message = format!("`{}` has a parameter `{OPERATION}` of its own.", operation.id);
        let fault = Fault::validation(message).with_path(format!("/{PARAMS}")).expecting("object");
        return Err(explain(endpoint, fault, tool, &CATEGORY, |o| o.id == operation.id));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    if properties.is_some_and(|names| names.contains_key(OPTIONS)) || older(OPTIONS) {
        return Ok(arguments);
    }
    arguments::flatten(arguments, OPTIONS).map_err(|fault| {
        fault.of_operation(&operation.id).teaching(&operation.signature, operation.example())
    })
}

/// Returns the older name whose arguments these are, if the current name does not have them: older servers with a tool
/// for a category had the current names of operations and the older ones of parameters. Names that fix a parameter, or
/// that leave one without effect, are not guessed.
fn older_spelling<'a>(
    tables: &'a Tables,
    name: &Name,
    arguments: &Map<String, Value>,
) -> Option<&'a str> {
    let operation = &tables.operations[usize::from(name.operation)];
    if name.alias.is_some() {
        return None;
    }
    let is_current = |name: &str| operation.inputs.iter().any(|field| field.name == name);
    let others: Vec<&String> = arguments.keys().filter(|name| !is_current(name)).collect();
    let knows = |mapping: &Mapping, name: &String| {
        let Mapping { flatten, harmless, args, each, .. } = mapping;
        flatten.contains(name)
            || harmless.iter().any(|older| older.name == *name)
            || args.iter().any(|(older, _)| older == name)
            || each.iter().any(|each| each.from == *name)
    };
    let found = operation.aliases.iter().find(|alias| {
        let mapping = &alias.mapping;
        mapping.set.is_empty() && others.iter().all(|name| knows(mapping, name))
    });
    found.filter(|_| !others.is_empty()).map(|alias| alias.name.as_str())
}

/// Moves the group of an operation into its name: `{plugin: dataview, operation: query}` becomes `{operation:
/// dataview.query}`. The key is the name of the category, and only if it has operations in groups.
fn ungrouped(
    tables: &Tables,
    category: usize,
    mut arguments: Map<String, Value>,
) -> Map<String, Value> {
    let key = &tables.categories[category].name;
    let is_grouped = |operation: &Arc<Operation>| {
        usize::from(operation.category) == category && operation.short_name().is_some()
    };
    let (Some(Value::String(group)), Some(Value::String(name))) =
        (arguments.get(key), arguments.get(OPERATION))
    else {
        return arguments;
    };
    if !tables.operations.iter().any(is_grouped) {
        return arguments;
    }
    let (declared, joined) = (format!("{group}.{name}"), format!("{group}:{name}"));
    let is_joined = find_by_name(tables, category, &declared).is_none()
        && find_by_name(tables, category, &joined).is_some();
    let whole = if is_joined { joined } else { declared };
    arguments.insert(OPERATION.to_owned(), whole.into());
    arguments.shift_remove(key);
    arguments
}

/// Finds an operation of a category by its name, its id or an older name.
pub(super) fn find_by_name<'a>(
    tables: &'a Tables,
    category: usize,
    name: &str,
) -> Option<&'a Name> {
    let short = format!("{}.{name}", tables.categories[category].name);
    let found = tables.tool(&short).or_else(|| tables.lookup(name))?;
    let operation = &tables.operations[usize::from(found.operation)];
    (usize::from(operation.category) == category).then_some(found)
}

/// Refuses an operation that is called through a tool for a different effect, and names the right tool. An
/// operation that the policy withholds gets the policy's own fault.
fn check_effect(
    endpoint: &Endpoint,
    inner: InnerCall,
    tool: &str,
    effect: Option<Effect>,
) -> Result<InnerCall> {
    let tables = endpoint.tables();
    // The pipeline answers calls that name no operation.
    let Some(index) = tables.called(&inner.name, &inner.arguments) else { return Ok(inner) };
    let operation = &tables.operations[index];
    if operation.served != Served::Tool {
        return Err(endpoint.policy.not_found(&inner.name));
    }
    if fits(operation, effect) {
        return Ok(inner);
    }
    inner.policy.admit(index)?;
    let fault = Fault::validation(format!(
        "`{}` has the effect {}; `{tool}` does not run such operations.",
        operation.id,
        operation.effect.as_str()
    ))
    .of_operation(&operation.id);
    Err(match endpoint.surface.tool_for(tables, operation) {
        Some(right) => {
            // Other names may have arguments of their own, so the hint keeps them.
            let other = (inner.name != operation.id).then_some(inner.name.as_str());
            let arguments = Some(Value::Object(inner.arguments));
            fault
                .did_you_mean(vec![right.to_owned()])
                .hinting(how_to_call(endpoint, right, operation, other, arguments))
        }
        None => fault,
    })
}

/// Whether a tool for this effect, or for every effect, runs the operation.
pub(super) fn fits(operation: &Operation, effect: Option<Effect>) -> bool {
    effect.is_none_or(|effect| operation.effect == effect)
}

/// Adds the right shape to a fault of a tool's own arguments. Its example is an operation that the tool runs.
fn explain(
    endpoint: &Endpoint,
    fault: Fault,
    tool: &str,
    fields: &[Field],
    runs: impl Fn(&Operation) -> bool,
) -> Fault {
    let sample = endpoint.policy.visible().map(|(_, operation)| operation).find(|o| runs(o));
    let [name, nested, ..] = fields else { return fault };
    let example = sample.map(|operation| {
        let example = operation.example().unwrap_or_else(|| json!({}));
        let id = if name.name == "tool" { &operation.id } else { &operation.name };
        json!({ name.name.as_str(): id, nested.name.as_str(): example })
    });
    fault
        .of_operation(tool)
        .did_you_mean(Vec::new())
        .teaching(&signature(tool, fields), example)
        .hinting(format!("Put the operation's own parameters inside `{}`.", nested.name))
}

/// Returns the arguments of the tool that runs an operation with these parameters. `other` is another name of the
/// operation, to which they belong.
fn tool_arguments(
    endpoint: &Endpoint,
    tool: &str,
    operation: &Operation,
    other: Option<&str>,
    mut parameters: Value,
) -> Value {
    match endpoint.surface.target(tool) {
        Some(ToolTarget::Execute { .. }) => {
            json!({"tool": other.unwrap_or(&operation.id), "args": parameters})
        }
        Some(ToolTarget::Category { .. }) => {
            json!({"operation": other.unwrap_or(&operation.name), "params": parameters})
        }
        Some(ToolTarget::Merged) => {
            if let Some((merged, value)) = endpoint.tables().merged_tool_of(operation) {
                parameters[merged.by.as_str()] = value.into();
            }
            parameters
        }
        _ => parameters,
    }
}

impl Endpoint {
    /// Returns a call of an operation as `tools/call` carries it: the name of the tool and its arguments.
    /// `None` if no tool runs the operation.
    pub fn tool_call(&self, operation: &Operation, parameters: Value) -> Option<(&str, Value)> {
        let tool = self.surface.tool_for(self.tables(), operation)?;
        Some((tool, tool_arguments(self, tool, operation, None, parameters)))
    }
}

/// Returns a sentence that shows the whole call of an operation through a tool of this surface.
pub(super) fn how_to_call(
    endpoint: &Endpoint,
    tool: &str,
    operation: &Operation,
    other: Option<&str>,
    arguments: Option<Value>,
) -> String {
    let inner = arguments.unwrap_or_else(|| json!({}));
    let text = tool_arguments(endpoint, tool, operation, other, inner).to_string();
    if text.len() > 500 {
        // Long arguments, such as a whole note, do not belong into a hint.
        return format!("Call `{tool}` with the same operation and parameters.");
    }
    format!("Call `{tool}` with {text}.")
}
