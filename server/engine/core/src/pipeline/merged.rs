//! Calls whose arguments say which operation they run: those of merged tools, and of some older names.

use serde_json::{Map, Value};

use crate::arguments;
use crate::authority::{Field, MergedTool, Presence, Type};
use crate::fault::{Fault, Result};
use crate::policy::Policy;

/// Turns a call of a merged tool into a call of the operation that it names, and a call of an older name that depends
/// on an argument into one of the name with this argument. Other calls stay as they are, also those of tools without
/// an operation that exists for the caller.
///
/// # Errors
/// `VALIDATION_ERROR` if the call names no operation that exists for the caller.
pub(super) fn resolve(
    policy: &Policy,
    name: &mut String,
    arguments: &mut Map<String, Value>,
) -> Result<()> {
    if let Some(variant) = policy.tables().older_variant(name, arguments) {
        if let Some(parameter) = &variant.parameter {
            arguments.shift_remove(parameter);
        }
        *name = variant.name;
        return Ok(());
    }
    let Some(tool) = policy.tables().merged_tool(name) else { return Ok(()) };
    let values = known_values(policy, tool);
    if values.is_empty() {
        return Ok(());
    }
    let called = policy.tables().called(name, arguments).filter(|index| policy.knows(*index));
    let Some(index) = called else { return Err(unnamed(tool, &values, arguments)) };
    arguments.shift_remove(&tool.by);
    policy.tables().operations[index].id.clone_into(name);
    Ok(())
}

/// The values of the operations that the caller may use; if there are none, those of all that exist for it.
fn known_values<'a>(policy: &Policy, tool: &'a MergedTool) -> Vec<&'a str> {
    let values = |holds: &dyn Fn(usize) -> bool| {
        let operations = tool
            .operations
            .iter()
            .filter(|merged_operation| holds(merged_operation.operation.into()));
        operations.map(|merged_operation| merged_operation.value.as_str()).collect::<Vec<_>>()
    };
    let shown = values(&|index| policy.shows(index));
    if shown.is_empty() { values(&|index| policy.knows(index)) } else { shown }
}

/// The fault of a call that names no operation.
fn unnamed(tool: &MergedTool, values: &[&str], arguments: &Map<String, Value>) -> Fault {
    let ty = Type::Enum(values.iter().map(|value| (*value).to_owned()).collect());
    let field = Field::new(tool.by.clone(), ty, Presence::Required);
    let sent = arguments.get(&tool.by).map(|value| (tool.by.clone(), value.clone()));
    let signature = format!("{}({}: {}, ..)", tool.name, tool.by, values.join("|"));
    match arguments::bind(&[field], sent.into_iter().collect()) {
        Err(fault) => fault.of_operation(&tool.name).teaching(&signature, None),
        Ok(_) => Fault::internal("a merged tool lost an operation"),
    }
}
