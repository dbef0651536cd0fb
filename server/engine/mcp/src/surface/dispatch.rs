//! `dispatch`: per category one tool for each effect (or one for all), and `discover`.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::descriptor::{Hints, ToolDescriptor, object, schema, sentence};
use super::{Split, SurfaceTool, ToolTarget, flat};
use toolwrit_core::authority::{Category, Effect, Field, Operation, Presence};
use toolwrit_core::json::written::parse_row_text;
use toolwrit_core::policy::Policy;

/// How many operations of providers a tool names. Providers may bring hundreds.
const JOINED_LIMIT: usize = 20;
/// The word for everything in the parameter `category` of `discover`.
pub(crate) const ALL: &str = "all";
/// The word for what providers add, and its key in the answer.
pub(crate) const PROVIDERS: &str = "plugins";
/// Clients refuse or cut descriptions of this many characters.
const LENGTH_LIMIT: usize = 1024;

pub(super) fn tools(policy: &Policy, split: Split) -> Vec<SurfaceTool> {
    let visible: Vec<_> = policy.visible().map(|(_, operation)| operation).collect();
    let mut tools = Vec::new();
    for (index, category) in policy.tables().categories.iter().enumerate() {
        let within = |operation: &&&Operation| usize::from(operation.category) == index;
        let operations: Vec<&Operation> = visible.iter().filter(within).copied().collect();
        if category.direct {
            tools.extend(flat::tools_of(policy, |operation| {
                usize::from(operation.category) == index
            }));
            continue;
        }
        let targets: Vec<Option<Effect>> = match split {
            Split::Effect => Effect::ALL.map(Some).to_vec(),
            Split::None => vec![None],
        };
        for effect in targets {
            let fits = |operation: &&&Operation| effect.is_none_or(|e| operation.effect == e);
            let covered: Vec<&Operation> = operations.iter().filter(fits).copied().collect();
            tools.push(SurfaceTool {
                descriptor: (!covered.is_empty())
                    .then(|| descriptor(policy, (category, effect), &covered)),
                name: name(policy, category, effect),
                target: ToolTarget::Category { category: index, effect },
            });
        }
    }
    tools.push(discover(policy));
    tools
}

fn name(policy: &Policy, category: &Category, effect: Option<Effect>) -> String {
    let (prefix, category) = (&policy.tables().server.prefix, &category.wire_name);
    match effect {
        Some(effect) => format!("{prefix}{category}_{}", effect.verb()),
        None => format!("{prefix}{category}"),
    }
}

fn descriptor(
    policy: &Policy,
    (category, effect): (&Category, Option<Effect>),
    operations: &[&Operation],
) -> ToolDescriptor {
    let (joined, declared): (Vec<&Operation>, Vec<&Operation>) =
        operations.iter().copied().partition(|operation| operation.is_dynamic);
    let unnamed = joined.len().saturating_sub(JOINED_LIMIT);
    let named = || declared.iter().chain(joined.iter().take(JOINED_LIMIT));
    let calls: Vec<String> =
        named().filter_map(|operation| outline(operation, unnamed > 0)).collect();
    let operation = if unnamed == 0 {
        json!({"type": "string", "enum": named().map(|operation| operation.name.as_str()).collect::<Vec<_>>()})
    } else {
        json!({"type": "string"})
    };
    let about = match effect {
        None | Some(Effect::Read) => &category.summary,
        Some(_) => &category.title,
    };
    ToolDescriptor {
        name: name(policy, category, effect),
        title: Some(match effect {
            Some(effect) => format!("{}: {}", category.title, effect.verb()),
            None => category.title.clone(),
        }),
        description: description(&sentence(about), calls, unnamed, &discover_name(policy)),
        input_schema: Arc::new(object(json!({
            "type": "object",
            "properties": {
                "operation": operation,
                "params": {"type": "object"},
            },
            "required": ["operation"],
            "additionalProperties": false,
        }))),
        output_schema: None,
        hints: Hints::combine(operations.iter().copied()),
        passed: Map::new(),
    }
}

/// `Notes. read(path); move(from, to); and 5 more, which discover lists`: as many calls as fit, and how many others there are.
fn description(about: &str, mut calls: Vec<String>, mut left_out: usize, discover: &str) -> String {
    loop {
        let more = format!("and {left_out} more, which {discover} lists");
        let more = (left_out > 0).then_some(more);
        let listed: Vec<&str> = calls.iter().chain(&more).map(String::as_str).collect();
        let written = [about, &listed.join("; ")].join(" ").trim_end().to_owned();
        if written.chars().count() < LENGTH_LIMIT || calls.pop().is_none() {
            return written;
        }
        left_out += 1;
    }
}

/// `read(path, ..)`: what a call must have. `discover` has the other parameters. `None` if a call needs nothing, and the
/// operation is listed elsewhere.
fn outline(operation: &Operation, is_only_here: bool) -> Option<String> {
    let (mut required, count) = if operation.is_dynamic {
        required_by(&operation.input_schema)
    } else {
        let is_required = |field: &&Field| field.presence == Presence::Required;
        let required = operation.inputs.iter().filter(is_required);
        (required.map(|field| field.name.clone()).collect(), operation.inputs.len())
    };
    if required.is_empty() && !is_only_here {
        return None;
    }
    if required.len() < count {
        required.push("..".to_owned());
    }
    Some(format!("{}({})", operation.name, required.join(", ")))
}

/// The required parameters of a schema, and how many it has.
fn required_by(schema: &str) -> (Vec<String>, usize) {
    let schema: Value = parse_row_text(schema);
    let names = schema["required"].as_array().into_iter().flatten();
    let names = names.filter_map(|name| name.as_str().map(str::to_owned));
    (names.collect(), schema["properties"].as_object().map_or(0, Map::len))
}

fn discover_name(policy: &Policy) -> String {
    format!("{}discover", policy.tables().server.prefix)
}

fn discover(policy: &Policy) -> SurfaceTool {
    let name = discover_name(policy);
    let tables = policy.tables();
    let used = |index: usize| policy.visible().any(|(_, o)| usize::from(o.category) == index);
    let categories = tables.categories.iter().enumerate().filter(|(index, _)| used(*index));
    let categories = categories.map(|(_, category)| category.name.as_str());
    let categories: Vec<&str> = categories.chain([ALL, PROVIDERS]).collect();
    let descriptor = ToolDescriptor {
        name: name.clone(),
        title: Some("Discover operations".to_owned()),
        description: "Operations with their parameters: of a category, of plugins, or of all."
            .to_owned(),
        input_schema: schema(
            &json!({
                "type": "object",
                "properties": {
                    "category": { "type": "string", "enum": categories },
                    "detail": { "type": "string", "enum": ["names", "signatures", "schemas"] },
                },
                "required": [],
                "additionalProperties": false,
            })
            .to_string(),
        ),
        output_schema: None,
        hints: Hints::READ_ONLY,
        passed: Map::new(),
    };
    SurfaceTool { name, target: ToolTarget::Discover, descriptor: Some(descriptor) }
}
