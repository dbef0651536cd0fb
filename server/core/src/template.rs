//! Prompt templates: text with `{{argument}}` placeholders.

use crate::arg_value::{ArgValue, ArgValues};
use crate::authority::{Field, Type};
use crate::content::{ContentBlock, PromptMessages};
use crate::context::Context;
use crate::toolset::RunningHandler;

/// Runs the handler of a prompt with a template, which returns one message of the user. The placeholder of an
/// absent argument becomes empty.
pub fn template<'a>(
    text: &'static str,
    cx: &'a Context,
    arguments: &ArgValues,
) -> RunningHandler<'a> {
    let fields = cx.operation.row().inputs;
    let message = PromptMessages::new().user(ContentBlock::text(fill(text, fields, arguments)));
    RunningHandler::new(Box::new(std::future::ready(Ok(message))))
}

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
fn text_of<'a>(field: &Field<'a>, slot: &'a ArgValue) -> &'a str {
    match (slot, field.ty) {
        (ArgValue::String(text), _) => text,
        (ArgValue::Choice(at), Type::Enum(values)) => values[*at],
        _ => "",
    }
}
