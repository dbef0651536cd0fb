//! A tool of an upstream as an operation.

use std::time::Duration;

use serde_json::{Map, Value};
use toolwrit_core::authority::{DynamicOperation, Effect, ListedNames};
use toolwrit_upstreams::{Lock, Tool};

use crate::upstreams::asks::asks;
use crate::upstreams::passed;
use crate::upstreams::portable::{self, Direction};
use crate::upstreams::settings::UpstreamSettings;
use crate::upstreams::words::Words;

/// Who says what a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectSource {
    /// The operator, in the configuration.
    Configuration,
    /// The upstream, whose annotations the operator trusts.
    Annotations,
}

/// Returns the operations of approved tools, with what the operator says about them. Those that `is_offered` refuses only keep
/// their names: nothing else may be called by them.
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
    lock.tools().map(operation).collect()
}

fn operation(settings: &UpstreamSettings, tool: &Tool) -> DynamicOperation {
    let Words { summary, description } = Words::from_tool(tool, &settings.name);
    let input = tool.input_schema().and_then(Value::as_object).cloned().unwrap_or_default();
    let mut listed = portable::schema(&input, Direction::Arguments);
    let listed_names = ListedNames::list(&mut listed);
    let output = tool.json().get("outputSchema").and_then(Value::as_object);
    let mut operation = DynamicOperation::new(id(&settings.name, tool.name()), summary, input);
    operation.description = description;
    operation.effect = known_effect(settings, tool).map(|(effect, _)| effect);
    operation.idempotent = is_idempotent(settings, tool);
    operation.cache = settings.caches.get(tool.name()).copied();
    operation.select = settings.select.contains(tool.name());
    operation.open_world = trusted(settings, tool, "openWorldHint");
    operation.asks = asks(settings, tool.name());
    operation.listed_schema = Some(listed);
    operation.listed_names = listed_names;
    operation.tool_fields = passed::tool_fields(settings, tool);
    operation.output_schema = output.map(|output| portable::schema(output, Direction::Result));
    operation.returns_tool_result = true;
    operation.timeout = timeout(settings, tool.name());
    if let Some(bytes) = settings.result_bytes {
        operation.result_bytes = bytes;
    }
    operation
}

/// The id of the operation of a tool.
fn id(upstream: &str, tool: &str) -> String {
    format!("{upstream}.{tool}")
}

/// The name of the tool that an operation of an upstream calls.
pub(crate) fn tool_name<'a>(upstream: &str, operation: &'a str) -> Option<&'a str> {
    operation.strip_prefix(upstream)?.strip_prefix('.')
}

/// What a tool may do: what the operator says, else what its annotations say if they are trusted. `None` if neither says
/// anything.
pub fn known_effect(settings: &UpstreamSettings, tool: &Tool) -> Option<(Effect, EffectSource)> {
    if let Some(effect) = settings.effects.get(tool.name()) {
        return Some((*effect, EffectSource::Configuration));
    }
    let hint = |name| trusted(settings, tool, name);
    let effect = match (hint("readOnlyHint"), hint("destructiveHint")) {
        (Some(true), _) => Effect::Read,
        (_, Some(false)) => Effect::Write,
        (Some(false), _) | (_, Some(true)) => Effect::Destroy,
        (None, None) => return None,
    };
    Some((effect, EffectSource::Annotations))
}

/// Whether a tool may be called twice with the same arguments.
pub(crate) fn is_idempotent(settings: &UpstreamSettings, tool: &Tool) -> bool {
    settings.idempotent.contains(tool.name())
        || trusted(settings, tool, "idempotentHint") == Some(true)
        || known_effect(settings, tool).is_some_and(|(effect, _)| effect == Effect::Read)
}

/// An annotation of a tool, if the annotations of its upstream are trusted.
fn trusted(settings: &UpstreamSettings, tool: &Tool, annotation: &str) -> Option<bool> {
    let said = tool.json().get("annotations")?.get(annotation)?.as_bool();
    said.filter(|_| settings.trusts_annotations)
}

fn timeout(settings: &UpstreamSettings, tool: &str) -> Option<Duration> {
    settings.timeouts.get(tool).copied().or(settings.timeout)
}

/// Whether a tool declares a structured result.
pub(crate) fn has_structured_result(tool: &Map<String, Value>) -> bool {
    tool.get("outputSchema").is_some_and(Value::is_object)
}
