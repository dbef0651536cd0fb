//! Names that every surface answers, although it does not list them: clients, prompts and documents know them from
//! other surfaces and from older servers. A call of one is a call of its operation, under all rules of that operation.

use serde_json::{Map, Value};

use super::ToolTarget;
use toolwrit_core::authority::Tables;

/// Returns what a call of such a name runs:
///
/// - the name of a merged tool, or an older name of an operation;
/// - a flat name (`vault_read`), or the rest of an id if that has several parts (`dataview.query`);
/// - an undivided name (`vault`, `execute`), for operations of any effect, and `discover`.
pub(super) fn target(tables: &Tables, tool: &str) -> Option<ToolTarget> {
    if tables.merged_tool(tool).is_some() {
        return Some(ToolTarget::Merged);
    }
    if let Some(name) = tables.tool(tool) {
        let operation = &tables.operations[usize::from(name.operation)];
        let is_merged = name.alias.is_none() && tables.merged_tool_of(operation).is_some();
        return (operation.id != tool && !is_merged).then_some(ToolTarget::Operation);
    }
    let undivided = tool.strip_prefix(&tables.server.prefix)?;
    match undivided {
        "execute" => return Some(ToolTarget::Execute { effect: None }),
        "discover" => return Some(ToolTarget::Discover),
        _ => {}
    }
    let category = tables.categories.iter().position(|category| category.wire_name == undivided)?;
    Some(ToolTarget::Category { category, effect: None })
}

/// Whether a call of a category's tool is one of the operation that has the tool's name on the flat surface. Its
/// arguments tell: `vault_read {path}`, and not `vault_read {operation, params}`.
pub(super) fn is_flat_call(tables: &Tables, tool: &str, arguments: &Map<String, Value>) -> bool {
    let is_nested = ["operation", "params"].iter().any(|name| arguments.contains_key(*name));
    !arguments.is_empty() && !is_nested && tables.tool(tool).is_some()
}
