//! A tool of an upstream as an operation.

use serde_json::{Map, Value};
use toolwrit_core::authority::{DynamicOperation, Effect, ListedNames};
use toolwrit_upstreams::{Lock, Tool};

use crate::upstreams::asks::asks;
use crate::upstreams::passed;
use crate::upstreams::portable::{self, Direction};
use crate::upstreams::settings::{ToolSettings, UpstreamSettings, shown};
use crate::upstreams::words::Words;

/// Who says what a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectSource {
    /// The operator, in the configuration.
    Configuration,
    /// The approval.
    Approval,
    /// The upstream, whose annotations the operator trusts.
    Annotations,
}

/// Returns the operations of approved tools, with what the operator says about them. Those that `is_offered` refuses only keep
/// their names: nothing else may be called by them. Tools that the operator has left out are none.
pub(crate) fn operations(
    settings: &UpstreamSettings,
    lock: &Lock,
    is_offered: impl Fn(&Tool) -> bool,
) -> Vec<DynamicOperation> {
    let operation = |tool: Tool| DynamicOperation {
        seniority: lock.approval(tool.name()),
        is_reserved: !is_offered(&tool),
        ..operation(settings, &tool)
    };
    lock.tools().filter(|tool| settings.offers(tool.name())).map(operation).collect()
}

fn operation(settings: &UpstreamSettings, tool: &Tool) -> DynamicOperation {
    let name = tool.name();
    let none = ToolSettings::default();
    let said = settings.tool(name).unwrap_or(&none);
    let Words { summary, description } = match &said.description {
        Some(text) => Words::from_description(text, None, name, &settings.name),
        None => Words::from_tool(tool, &settings.name),
    };
    let input = shown::schema(tool, said);
    let mut listed = portable::schema(&input, Direction::Arguments);
    let listed_names = ListedNames::list(&mut listed);
    let output = tool.json().get("outputSchema").and_then(Value::as_object);
    let shown_name = said.name.as_deref().unwrap_or(name);
    let mut operation = DynamicOperation::new(id(&settings.name, shown_name), summary, input);
    operation.older_id = said.name.is_some().then(|| id(&settings.name, name));
    operation.description = description;
    operation.effect = known_effect(settings, tool).map(|(effect, _)| effect);
    operation.idempotent = is_idempotent(settings, tool);
    operation.cache = said.cache;
    operation.select = said.select;
    operation.confirm = said.confirm;
    operation.open_world = trusted(settings, tool, "openWorldHint");
    operation.asks = asks(settings, name);
    operation.mapping = shown::mapping(said);
    operation.listed_schema = Some(listed);
    operation.listed_names = listed_names;
    operation.tool_fields = passed::tool_fields(settings, tool);
    operation.output_schema = output.map(|output| portable::schema(output, Direction::Result));
    operation.returns_tool_result = true;
    operation.timeout = said.timeout.or(settings.timeout);
    if let Some(bytes) = settings.result_bytes {
        operation.result_bytes = bytes;
    }
    operation
}

/// The id of the operation of a tool, by its name for callers.
pub(crate) fn id(upstream: &str, name: &str) -> String {
    format!("{upstream}.{name}")
}

/// The id of the operation of a tool.
pub(crate) fn operation_id(settings: &UpstreamSettings, tool: &str) -> String {
    let said = settings.tool(tool).and_then(|said| said.name.as_deref());
    id(&settings.name, said.unwrap_or(tool))
}

/// What a tool may do: what the operator says, else its approval, else its annotations if they are trusted. `None` if neither says
/// anything.
pub fn known_effect(settings: &UpstreamSettings, tool: &Tool) -> Option<(Effect, EffectSource)> {
    if let Some(effect) = settings.tool(tool.name()).and_then(|said| said.effect) {
        return Some((effect, EffectSource::Configuration));
    }
    if let Some(effect) = tool.effect() {
        return Some((effect, EffectSource::Approval));
    }
    let annotated = annotated_effect(tool).filter(|_| settings.trusts_annotations);
    annotated.map(|effect| (effect, EffectSource::Annotations))
}

/// What the annotations of a tool say that it may do, whether they are trusted or not.
pub fn annotated_effect(tool: &Tool) -> Option<Effect> {
    let hint = |name| tool.json().get("annotations")?.get(name)?.as_bool();
    match (hint("readOnlyHint"), hint("destructiveHint")) {
        (Some(true), _) => Some(Effect::Read),
        (_, Some(false)) => Some(Effect::Write),
        (Some(false), _) | (_, Some(true)) => Some(Effect::Destroy),
        (None, None) => None,
    }
}

/// Whether a tool may be called twice with the same arguments.
pub(crate) fn is_idempotent(settings: &UpstreamSettings, tool: &Tool) -> bool {
    settings.tool(tool.name()).is_some_and(|said| said.idempotent)
        || trusted(settings, tool, "idempotentHint") == Some(true)
        || known_effect(settings, tool).is_some_and(|(effect, _)| effect == Effect::Read)
}

/// An annotation of a tool, if the annotations of its upstream are trusted.
fn trusted(settings: &UpstreamSettings, tool: &Tool, annotation: &str) -> Option<bool> {
    let said = tool.json().get("annotations")?.get(annotation)?.as_bool();
    said.filter(|_| settings.trusts_annotations)
}

/// Whether a tool declares a structured result.
pub(crate) fn has_structured_result(tool: &Map<String, Value>) -> bool {
    tool.get("outputSchema").is_some_and(Value::is_object)
}
