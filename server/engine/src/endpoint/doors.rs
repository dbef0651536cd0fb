//! The arguments of the engine's own tools, checked by the same validator as everything else.

use serde_json::{Map, Value, json};

use super::Endpoint;
use crate::arguments;
use crate::authority::{Effect, Field, Operation, Presence, Type};
use crate::fault::{Fault, Result};
use crate::slot::Slots;
use crate::surface::{Kind, Surface};

const STRING: Type = Type::STRING;
const OBJECT: Type = Type::Map(&Type::Json);
const STRINGS: Type = Type::Array { items: &STRING, min: 1, max: 100 };
const LIMIT: Type = Type::Integer { min: 1, max: 100 };
const DETAIL: Type = Type::Enum(&["names", "signatures", "schemas"]);

const fn field(name: &'static str, ty: &'static Type, presence: Presence) -> Field {
    Field { name, ty, presence, description: "", sensitive: false }
}

pub(super) static DISCOVER: [Field; 2] = [
    field("category", &STRING, Presence::Optional),
    field("detail", &DETAIL, Presence::Optional),
];
pub(super) static SEARCH: [Field; 3] = [
    field("query", &STRING, Presence::Optional),
    field("category", &STRING, Presence::Optional),
    field("limit", &LIMIT, Presence::Default("8")),
];
pub(super) static DESCRIBE: [Field; 1] = [field("tools", &STRINGS, Presence::Required)];
pub(super) static CONTEXT: [Field; 1] = [field("message", &STRING, Presence::Required)];
static CATEGORY: [Field; 2] = [
    field("operation", &STRING, Presence::Required),
    field("params", &OBJECT, Presence::Default("{}")),
];
static EXECUTE: [Field; 2] =
    [field("tool", &STRING, Presence::Required), field("args", &OBJECT, Presence::Default("{}"))];

/// Checks the arguments of one of the engine's own tools.
pub(super) fn bind_own(
    tool: &str,
    fields: &'static [Field],
    arguments: Map<String, Value>,
) -> Result<Slots> {
    arguments::bind(fields, arguments)
        .map_err(|fault| fault.of(tool).teaching(&signature(tool, fields), None))
}

fn signature(tool: &str, fields: &[Field]) -> String {
    let parameters: Vec<String> = fields
        .iter()
        .map(|field| {
            let mark = if field.presence == Presence::Required { "" } else { "?" };
            let ty = match field.ty {
                Type::Map(_) => "object".to_owned(),
                Type::Array { .. } => "string[]".to_owned(),
                ty => arguments::expected(ty),
            };
            format!("{}{mark}: {ty}", field.name)
        })
        .collect();
    format!("{tool}({})", parameters.join(", "))
}

/// `{tool, args}` of an execute tool.
pub(super) fn execute(
    endpoint: &Endpoint,
    tool: &str,
    effect: Option<Effect>,
    arguments: Map<String, Value>,
) -> Result<(String, Map<String, Value>)> {
    let mut slots = arguments::bind(&EXECUTE, arguments)
        .map_err(|fault| explain(endpoint, fault, tool, &EXECUTE, |o| fits(o, effect)))?;
    Ok((slots.take(), object(&mut slots)))
}

/// `{operation, params}` of a category's tool. The operation goes by its short name or its id.
pub(super) fn category(
    endpoint: &Endpoint,
    tool: &str,
    category: usize,
    effect: Option<Effect>,
    arguments: Map<String, Value>,
) -> Result<(String, Map<String, Value>)> {
    let within =
        |o: &Operation| usize::from(o.category) == category && fits(o, effect);
    let mut slots = arguments::bind(&CATEGORY, arguments)
        .map_err(|fault| explain(endpoint, fault, tool, &CATEGORY, within))?;
    let name: String = slots.take();
    let params = object(&mut slots);
    let authority = endpoint.policy.authority;
    let short = format!("{}.{name}", authority.categories[category].name);
    let named = authority.lookup(&short).or_else(|| authority.lookup(&name));
    let belongs = |index: usize| usize::from(authority.operations[index].category) == category;
    match named {
        Some(found) if belongs(usize::from(found.operation)) => Ok((found.name.to_owned(), params)),
        _ => Err(endpoint.policy.not_found(&short)),
    }
}

fn fits(operation: &Operation, effect: Option<Effect>) -> bool {
    effect.is_none_or(|effect| operation.effect == effect)
}

fn object(slots: &mut Slots) -> Map<String, Value> {
    let entries: std::collections::BTreeMap<String, Value> = slots.take();
    entries.into_iter().collect()
}

/// A wrong envelope: shows the right one, filled in with an operation that goes through this tool.
fn explain(
    endpoint: &Endpoint,
    fault: Fault,
    tool: &str,
    fields: &[Field],
    through: impl Fn(&Operation) -> bool,
) -> Fault {
    let sample = endpoint.policy.visible().map(|(_, operation)| operation).find(|o| through(o));
    let [name, nested] = fields else { return fault };
    let example = sample.map(|operation| {
        let example = super::browse::example(operation).unwrap_or_else(|| json!({}));
        let id = if name.name == "tool" { operation.id } else { operation.name };
        json!({ name.name: id, nested.name: example })
    });
    fault
        .of(tool)
        .teaching(&signature(tool, fields), example)
        .hinting(format!("Put the operation's own parameters inside `{}`.", nested.name))
}

/// A sentence that shows the whole call of an operation through a tool of this surface.
pub(super) fn how_to_call(surface: &Surface, tool: &str, operation: &Operation) -> String {
    let example = super::browse::example(operation).unwrap_or_else(|| json!({}));
    let arguments = match surface.kind {
        _ if tool == operation.wire_name => example,
        Kind::Meta => json!({"tool": operation.id, "args": example}),
        Kind::Dispatch => json!({"operation": operation.name, "params": example}),
        Kind::Flat | Kind::Auto => example,
    };
    format!("Call `{tool}` with {arguments}.")
}
