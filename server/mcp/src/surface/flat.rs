//! `flat`: each operation is a tool, `category_operation`.

use super::descriptor::{Hints, ToolDescriptor, schema};
use super::{SurfaceTool, ToolTarget};
use toolwrit_core::authority::{Category, Operation, Returns};
use toolwrit_core::policy::Policy;

pub(super) fn tools(policy: &Policy) -> Vec<SurfaceTool> {
    let visible: Vec<_> = policy.visible().map(|(_, operation)| operation.id).collect();
    policy
        .tables()
        .operations
        .iter()
        .map(|operation| SurfaceTool {
            name: operation.wire_name.to_owned(),
            target: ToolTarget::Operation,
            descriptor: visible
                .contains(&operation.id)
                .then(|| descriptor(policy.tables().category_of(operation), operation)),
        })
        .collect()
}

pub(super) fn descriptor(category: &Category<'_>, operation: &Operation<'_>) -> ToolDescriptor {
    ToolDescriptor {
        name: operation.wire_name.to_owned(),
        title: Some(format!("{}: {}", category.title, operation.name.replace('_', " "))),
        description: match operation.description {
            Some(more) => format!("{} {more}", operation.summary),
            None => operation.summary.to_owned(),
        },
        input_schema: schema(operation.input_schema),
        output_schema: match operation.returns {
            Returns::Text | Returns::Content | Returns::Resource | Returns::Messages => None,
            Returns::Object(text) | Returns::Wrapped(text) => Some(schema(text)),
        },
        hints: Hints::of([operation]),
    }
}
