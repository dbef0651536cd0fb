//! Operations that are tools of their own on every surface, after its other tools: those that a client needs all the time.

use super::descriptor::ToolDescriptor;
use super::{SurfaceTool, flat};
use crate::tokens;
use serde_json::Value;
use toolwrit_core::policy::Policy;

/// Tokens of pinned tools from which the operator is warned.
pub const MANY_TOKENS: usize = 2_000;

/// The tools of the named operations, in this order. One that the surface has already is left out.
pub(super) fn tools(policy: &Policy, pins: &[String], listed: &[SurfaceTool]) -> Vec<SurfaceTool> {
    let mut tools: Vec<SurfaceTool> = Vec::new();
    for pin in pins {
        let Some(name) = policy.tables().lookup(pin) else { continue };
        let tool = flat::tool(policy, usize::from(name.operation));
        if !listed.iter().chain(&tools).any(|other| other.name == tool.name) {
            tools.push(tool);
        }
    }
    tools
}

/// The o200k tokens of a text, or an estimate of them on the high side if the program was built without the feature `tokens`.
pub fn count_tokens(text: &str) -> usize {
    tokens::count(text).unwrap_or_else(|| tokens::estimate(text))
}

/// What pinned tools cost a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedCost {
    /// The name of the tool; `None` for all of them together.
    pub tool: Option<String>,
    /// How many tools these are.
    pub tools: usize,
    /// Bytes of their names, descriptions and input schemas, as compact JSON.
    pub bytes: usize,
    /// The same in o200k tokens, or an estimate of them on the high side if the program was built without the feature `tokens`.
    pub tokens: usize,
}

/// Measures each pinned tool that the policy shows, and then all together; empty without any.
pub fn measure_pins(policy: &Policy, pins: &[String]) -> Vec<PinnedCost> {
    let descriptors = tools(policy, pins, &[]).into_iter().filter_map(|tool| tool.descriptor);
    let descriptors: Vec<ToolDescriptor> = descriptors.collect();
    if descriptors.is_empty() {
        return Vec::new();
    }
    let cost = |tool, tools, json: &Value| {
        let text = json.to_string();
        PinnedCost { tool, tools, bytes: text.len(), tokens: count_tokens(&text) }
    };
    let each = descriptors
        .iter()
        .map(|descriptor| cost(Some(descriptor.name.clone()), 1, &descriptor.to_model_json()));
    let all = descriptors.iter().map(ToolDescriptor::to_model_json).collect();
    let all = cost(None, descriptors.len(), &all);
    each.chain([all]).collect()
}
