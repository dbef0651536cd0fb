//! Prompts whose text the manifest has: a cookbook, or a template with `{{argument}}` placeholders.

use crate::arguments::value::{ArgValue, ArgValues};
use crate::authority::{Field, OperationHandle, Served, Type};
use crate::result::content::{ContentBlock, PromptMessages};

/// Returns the message of a prompt, which the user says. `None` if the operation is no prompt, or a handler writes
/// its messages.
pub(crate) fn messages(
    operation: &OperationHandle,
    arguments: &ArgValues,
) -> Option<PromptMessages> {
    let row = operation.row();
    let Served::Prompt(at) = row.served else { return None };
    let tables = operation.authority().tables();
    let cookbook = || {
        let mut cookbooks = tables.cookbooks.iter();
        let cookbook =
            cookbooks.find(|cookbook| usize::from(cookbook.prompt) == operation.index())?;
        Some(cookbook.text.clone())
    };
    let filled = tables.prompts.get(usize::from(at))?.template.as_deref();
    let filled = filled.map(|template| fill(template, &row.inputs, arguments));
    Some(PromptMessages::new().user(ContentBlock::text(filled.or_else(cookbook)?)))
}

/// Fills in the arguments. The placeholder of an absent one becomes empty.
fn fill(text: &str, fields: &[Field], arguments: &ArgValues) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, (name, after))) =
        rest.split_once("{{").and_then(|(before, inner)| Some((before, inner.split_once("}}")?)))
    {
        filled.push_str(before);
        let mut given = fields.iter().zip(arguments.iter());
        let given = given.find(|(field, _)| field.name == name.trim());
        filled.push_str(given.map_or("", |(field, slot)| text_of(field, slot)));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// Returns the text of an argument, which is a string or an enum value.
fn text_of<'a>(field: &'a Field, slot: &'a ArgValue) -> &'a str {
    match (slot, &field.ty) {
        (ArgValue::String(text), _) => text,
        (ArgValue::Choice(at), Type::Enum(values)) => &values[*at],
        _ => "",
    }
}
