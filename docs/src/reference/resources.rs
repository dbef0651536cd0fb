//! MCP resources and resource templates.

use toolwrit_manifest::{Argument, Model, Resource};

use crate::markdown::{code, codes, entry_heading, or_dash, table, text};
use crate::page::Chapter;

/// The path of the page.
pub(super) const PATH: &str = "reference/resources.md";

pub(super) fn page(model: &Model) -> Option<Chapter> {
    if model.resources.is_empty() {
        return None;
    }
    let mut body = "# Resources\n\n\
        What a client can read without calling a tool. A URI with `{variables}` is a template.\n\n"
        .to_owned();
    for resource in &model.resources {
        body.push_str(&entry(resource));
    }
    Some(Chapter::new(PATH, "Resources", body))
}

fn entry(resource: &Resource) -> String {
    let title = resource.title.as_deref().unwrap_or(&resource.name);
    let rows = [
        ["Name".to_owned(), code(&resource.name)],
        ["URI".to_owned(), code(&resource.uri)],
        ["Type".to_owned(), codes(resource.mime_type.as_deref())],
    ];
    format!(
        "{}{}\n\n{}",
        entry_heading(title, &resource.name),
        text(&resource.summary),
        table(&["Part", "Value"], rows)
    ) + &arguments(&resource.variables)
}

/// The arguments of a prompt, or the variables of a URI.
pub(super) fn arguments(arguments: &[Argument]) -> String {
    if arguments.is_empty() {
        return String::new();
    }
    let rows = arguments.iter().map(|argument| {
        let required = if argument.required { "required" } else { "optional" };
        let values = codes(argument.values.iter().map(String::as_str));
        let description = argument.description.as_deref().map(text).unwrap_or_default();
        [code(&argument.name), required.to_owned(), values, or_dash(description)]
    });
    table(&["Argument", "Required", "Values", "Description"], rows)
}
