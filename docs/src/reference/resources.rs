//! MCP resources and resource templates.

use toolwrit_manifest::{Model, Resource};

use crate::markdown::{code, codes, entry_heading, table, text};
use crate::page::Page;

pub(super) fn page(model: &Model) -> Option<Page> {
    if model.resources.is_empty() {
        return None;
    }
    let mut body = "# Resources\n\n\
        What a client can read without calling a tool. A URI with `{variables}` is a template.\n\n"
        .to_owned();
    for resource in &model.resources {
        body.push_str(&entry(resource));
    }
    Some(Page::new("reference/resources.md", "Resources", body))
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
    )
}
