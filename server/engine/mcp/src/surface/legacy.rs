//! Older names as deprecated tools beside the flat ones, for clients that call only listed tools.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::descriptor::ToolDescriptor;
use super::{SurfaceTool, ToolTarget, flat};
use toolwrit_core::authority::{Alias, Category, EachItem, Mapping, Operation};
use toolwrit_core::policy::Policy;

/// A tool for each older name of a visible operation. Names that are ids, such as `vault.find`, or
/// that have an argument are no names of tools.
pub(super) fn tools(policy: &Policy) -> Vec<SurfaceTool> {
    let visible = policy.visible();
    let tables = policy.tables();
    let tools = visible.flat_map(|(_, operation)| {
        let category = tables.category_of(operation);
        let merged = tables.merged_tool_of(operation);
        let instead = merged.map_or(operation.wire_name.clone(), |(tool, value)| {
            format!("{} with {} {value}", tool.name, tool.by)
        });
        let aliases = operation.aliases.iter().filter(|alias| !alias.name.contains(['.', '(']));
        aliases.map(move |alias| SurfaceTool {
            name: alias.name.clone(),
            target: ToolTarget::Operation,
            descriptor: Some(descriptor(category, operation, alias, &instead)),
        })
    });
    tools.collect()
}

fn descriptor(
    category: &Category,
    operation: &Operation,
    alias: &Alias,
    instead: &str,
) -> ToolDescriptor {
    let current = flat::descriptor(category, operation);
    let mut schema = Arc::unwrap_or_clone(current.input_schema);
    Schema(&mut schema).rename(&alias.mapping);
    ToolDescriptor {
        name: alias.name.clone(),
        title: current.title.map(|title| format!("{title} (deprecated)")),
        description: format!("Deprecated: use {instead}. {}", operation.summary),
        input_schema: Arc::new(schema),
        ..current
    }
}

/// Whether a key of a path is the position of an item in a list.
fn is_position(key: &str) -> bool {
    key.parse::<usize>().is_ok()
}

/// The input schema of an operation, to be changed to that of an older name.
struct Schema<'a>(&'a mut Map<String, Value>);

impl Schema<'_> {
    /// Gives the parameters their older names and values. If a parameter has several older names, its first
    /// one is shown.
    fn rename(mut self, mapping: &Mapping) {
        for (path, values) in &mapping.values {
            if let Some(Value::Array(known)) =
                self.schema_at(path).and_then(|property| property.get_mut("enum"))
            {
                known.extend(values.iter().map(|(older, _)| Value::from(older.as_str())));
            }
        }
        for (path, _) in &mapping.set {
            self.take(path);
        }
        for (older, path) in &mapping.args {
            // The schema does not describe the inside of a value of any kind.
            let (schema, is_required) = match self.take(path) {
                Some(found) => found,
                None if path.len() > 1 => (json!({}), false),
                None => continue,
            };
            self.add(older, schema, is_required);
        }
        let lists: Vec<Value> = mapping.each.iter().map(|each| self.older_list(each)).collect();
        let filled = mapping.each.iter().map(|each| each.into.as_slice());
        let reached = mapping.args.iter().map(|(_, path)| path.as_slice());
        let reached = reached.chain(mapping.set.iter().map(|(path, _)| path.as_slice()));
        // A call by the older name gives their items in other ways.
        let reached = reached.filter_map(|path| {
            let position = path.iter().position(|key| is_position(key))?;
            Some(&path[..position])
        });
        for list in filled.chain(reached) {
            self.take(list);
        }
        for (each, schema) in mapping.each.iter().zip(lists) {
            self.add(&each.from, schema, false);
        }
    }

    /// The schema of an older list whose items become those of a current one.
    fn older_list(&mut self, each: &EachItem) -> Value {
        let items =
            self.schema_at(&each.into).and_then(|list| list.get("items")?.as_object().cloned());
        let mut items = items.unwrap_or_default();
        Schema(&mut items).rename(&each.mapping);
        if let Some(path) = &each.id {
            Schema(&mut items).take(path);
        }
        let items = match &each.item {
            Some(path) => Schema(&mut items).take(path).map_or_else(|| json!({}), |(item, _)| item),
            None => items.into(),
        };
        json!({"type": "array", "items": items})
    }

    /// The schema of the values at a path.
    fn schema_at(&mut self, path: &[String]) -> Option<&mut Map<String, Value>> {
        path.iter().try_fold(&mut *self.0, |schema, key| {
            let inner = if is_position(key) {
                schema.get_mut("items")
            } else {
                schema.get_mut("properties")?.get_mut(key)
            };
            inner?.as_object_mut()
        })
    }

    /// Removes the property at a path, and whether all objects on the way require it. An object around it is
    /// no longer required.
    fn take(&mut self, path: &[String]) -> Option<(Value, bool)> {
        let (last, outer) = path.split_last()?;
        let mut is_required = true;
        for depth in (0..outer.len()).filter(|depth| !is_position(&outer[*depth])) {
            let owner = self.schema_at(&outer[..depth])?;
            is_required &= Schema(owner).release(&outer[depth]);
        }
        let owner = self.schema_at(outer)?;
        is_required &= Schema(&mut *owner).release(last);
        let values = owner.get("additionalProperties").filter(|values| values.is_object()).cloned();
        let properties = owner.get_mut("properties")?.as_object_mut()?;
        match properties.shift_remove(last) {
            Some(property) => Some((property, is_required)),
            // A value of a map.
            None => Some((values?, false)),
        }
    }

    /// Makes a property optional. Returns whether it was required.
    fn release(&mut self, name: &str) -> bool {
        let Some(Value::Array(required)) = self.0.get_mut("required") else { return false };
        let before = required.len();
        required.retain(|listed| listed != name);
        required.len() < before
    }

    fn add(&mut self, name: &str, schema: Value, is_required: bool) {
        if let Some(Value::Object(properties)) = self.0.get_mut("properties") {
            properties.insert(name.to_owned(), schema);
        }
        if let (true, Some(Value::Array(required))) = (is_required, self.0.get_mut("required")) {
            required.push(name.into());
            required.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
        }
    }
}
