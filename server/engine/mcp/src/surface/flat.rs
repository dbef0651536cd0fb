//! `flat`: each operation is a tool, `category_operation`. Merged operations are one tool.

use serde_json::Map;

use super::descriptor::{Hints, ToolDescriptor, schema};
use super::{SurfaceTool, ToolTarget, merged};
use toolwrit_core::authority::{Category, Operation, Returns, Served};
use toolwrit_core::policy::Policy;

pub(super) fn tools(policy: &Policy) -> Vec<SurfaceTool> {
    tools_of(policy, |_| true)
}

/// The tools of some operations. A merged tool stands in the place of the first of its operations.
pub(super) fn tools_of(policy: &Policy, covers: impl Fn(&Operation) -> bool) -> Vec<SurfaceTool> {
    let tables = policy.tables();
    let mut tools: Vec<SurfaceTool> = Vec::new();
    for (index, operation) in tables.operations.iter().enumerate() {
        if !covers(operation) {
            continue;
        }
        match tables.merged_tool_of(operation) {
            Some((merged, _)) if tools.iter().any(|tool| tool.name == merged.name) => {}
            _ => tools.push(tool(policy, index)),
        }
    }
    tools
}

/// The tool of an operation, or the merged one that it is a part of.
pub(super) fn tool(policy: &Policy, index: usize) -> SurfaceTool {
    let tables = policy.tables();
    let operation = &tables.operations[index];
    match tables.merged_tool_of(operation) {
        Some((merged, _)) => merged::tool(policy, merged),
        None => SurfaceTool {
            name: operation.wire_name.clone(),
            target: ToolTarget::Operation,
            descriptor: (operation.served == Served::Tool && policy.shows(index))
                .then(|| described(policy, index, operation)),
        },
    }
}

fn described(policy: &Policy, index: usize, operation: &Operation) -> ToolDescriptor {
    let descriptor = descriptor(policy.tables().category_of(operation), operation);
    match policy.authority.operation(index).tool_fields() {
        Some(fields) => descriptor.passing(fields),
        None => descriptor,
    }
}

pub(super) fn descriptor(category: &Category, operation: &Operation) -> ToolDescriptor {
    ToolDescriptor {
        name: operation.wire_name.clone(),
        title: Some(format!("{}: {}", category.title, operation.name.replace('_', " "))),
        description: match &operation.description {
            Some(more) => format!("{} {more}", operation.summary),
            None => operation.summary.clone(),
        },
        input_schema: schema(&operation.input_schema),
        output_schema: match &operation.returns {
            Returns::Text | Returns::Content | Returns::Resource | Returns::Messages => None,
            Returns::Object(text) | Returns::Wrapped(text) => Some(schema(text)),
        },
        hints: Hints::combine([operation]),
        passed: Map::new(),
    }
}
