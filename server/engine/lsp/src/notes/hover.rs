//! What is said about an operation and its parameters.

use gen_lsp_types::Hover;
use serde_json::Value;
use toolwrit_core::authority::{Field, Operation};

use super::{Notes, is_tool, parameters};
use crate::answers;
use crate::outline::{Step, find_entry};
use crate::schema::Spot;
use crate::text::Lines;

impl Notes {
    /// What is said about what a block has at an offset.
    pub(crate) fn hover(&self, text: &str, lines: &Lines<'_>, offset: usize) -> Option<Hover> {
        let blocks = self.blocks(text);
        let block = blocks.iter().find(|block| block.is_at(offset))?;
        let entry = find_entry(block.yaml, offset - block.fence.body.start)?;
        let operation = self.find_operation(block)?;
        let range = if entry.key.is_empty() { &entry.value } else { &entry.key };
        if is_tool(&entry.path) {
            let range = lines.range(&block.range_in_note(&entry.value));
            return Some(answers::hover(describe_operation(operation), range));
        }
        let schema = parameters(operation);
        let spots = Spot::root(&schema).descend(&Value::Null, &entry.path);
        let (Step::Key(name), path) = entry.path.split_last()? else { return None };
        let about = describe_parameter(Some(operation), path, name, *spots.first()?);
        let head = format!("`{name}`: {}\n\n{about}", spots.first()?.kind(&Value::Null));
        Some(answers::hover(head.trim_end().to_owned(), lines.range(&block.range_in_note(range))))
    }
}

/// An operation: its signature as `describe` prints it, what it does, and what it may change.
pub(super) fn describe_operation(operation: &Operation) -> String {
    let flags = [
        (operation.idempotent, "idempotent"),
        (operation.confirm, "asks for confirmation"),
        (operation.open_world, "uses the network"),
        (operation.deprecated.is_some(), "deprecated"),
    ];
    let flags = flags.iter().filter(|(holds, _)| *holds).map(|(_, text)| format!(", {text}"));
    let flags: String = flags.collect();
    let about: Vec<&str> = std::iter::once(operation.summary.as_str())
        .chain(operation.description.as_deref())
        .collect();
    let (signature, effect) = (&operation.signature, operation.effect.as_str());
    format!("```text\n{signature}\n```\n\n{}\n\nEffect: {effect}{flags}", about.join("\n\n"))
}

/// A parameter, or a field of one: its description, its default, and the meaning of its values.
pub(super) fn describe_parameter(
    operation: Option<&Operation>,
    path: &[Step],
    name: &str,
    spot: Spot<'_>,
) -> String {
    let mut parts: Vec<String> = spot.description().map(str::to_owned).into_iter().collect();
    parts.extend(spot.default().map(|default| format!("Default: `{default}`")));
    let field =
        operation.filter(|_| path.is_empty()).and_then(|operation| find_field(operation, name));
    let values = field.map_or(&[][..], |field| &field.values);
    let values = values.iter().map(|(value, about)| format!("- `{value}`: {about}"));
    let values: Vec<String> = values.collect();
    if !values.is_empty() {
        parts.push(values.join("\n"));
    }
    parts.join("\n\n")
}

/// The kind of a parameter, and whether it is required, in a few words.
pub(super) fn describe_kind(schema: &Value, is_required: bool) -> String {
    let kind = Spot::root(schema).kind(&Value::Null);
    let presence = if is_required { "required" } else { "optional" };
    format!("{kind}, {presence}")
}

/// The meaning of a value of a parameter.
pub(super) fn describe_value<'o>(
    operation: Option<&'o Operation>,
    path: &[Step],
    value: &str,
) -> Option<&'o str> {
    let Step::Key(name) = path.first()? else { return None };
    let values = &find_field(operation?, name)?.values;
    values.iter().find(|(known, _)| *known == value).map(|(_, about)| about.as_str())
}

fn find_field<'o>(operation: &'o Operation, name: &str) -> Option<&'o Field> {
    operation.inputs.iter().find(|field| field.name == name)
}
