//! The policy page: focus modes, roles, and the matrix of both over all operations.

use std::collections::BTreeSet;
use std::fmt::Write;

use toolwrit_manifest::policy::{focus_allows, role_allows};
use toolwrit_manifest::{Model, OperationId, Selector};

use super::access::{allows, mark};
use super::{operations_of, place};
use crate::markdown::{code, codes, heading, label, or_dash, paragraphs, table, text};
use crate::page::Chapter;

pub(super) fn page(model: &Model) -> Chapter {
    let mut body = "# Policy\n\n\
        An operation is visible if the focus mode allows it, the role allows it, writes are \
        enabled or it only reads, and no flag excludes it. [How policy works](../guide/policy.md) \
        explains each part.\n\n"
        .to_owned();
    body.push_str("## Focus modes\n\nThe first is the default.\n\n");
    let focus = model.focus.iter().map(|mode| {
        let summary = or_dash(mode.summary.as_deref().map(text).unwrap_or_default());
        [code(&mode.name), summary, selectors(model, &mode.allow), selectors(model, &mode.deny)]
    });
    body.push_str(&table(&["Focus mode", "Summary", "Allows", "Denies"], focus));
    body.push_str(&roles(model));
    body.push_str(&heading("Who may call what", "matrix"));
    body.push_str("By focus mode, then by role. With writes disabled, only reads remain.\n\n");
    body.push_str(&matrix(model));
    Chapter::new("reference/policy.md", "Policy", body)
}

/// Focus modes and roles with the number of operations that each allows, for the front page.
pub(super) fn overview(model: &Model) -> String {
    let focus_modes = model.focus_ids().map(|focus| {
        let allowed = model.governed_ids().filter(|id| focus_allows(model, focus, *id)).count();
        let mode = &model[focus];
        overview_row("focus mode", &mode.name, mode.summary.as_deref(), allowed)
    });
    let roles = model.role_ids().map(|role| {
        let allowed = model.governed_ids().filter(|id| role_allows(model, role, *id)).count();
        let role = &model[role];
        overview_row("role", &role.name, role.summary.as_deref(), allowed)
    });
    table(&["Name", "Kind", "Summary", "Operations"], focus_modes.chain(roles))
}

fn overview_row(kind: &str, name: &str, summary: Option<&str>, allowed: usize) -> [String; 4] {
    let summary = or_dash(summary.map(text).unwrap_or_default());
    [code(name), kind.to_owned(), summary, allowed.to_string()]
}

fn roles(model: &Model) -> String {
    let mut roles = "## Roles\n\nThe first is the default.\n\n".to_owned();
    let rows = model.roles.iter().map(|role| {
        [
            code(&role.name),
            or_dash(role.summary.as_deref().map(text).unwrap_or_default()),
            codes(role.extends.map(|id| model[id].name.as_str())),
            selectors(model, &role.allow),
            selectors(model, &role.deny),
        ]
    });
    roles.push_str(&table(&["Role", "Summary", "Extends", "Allows", "Denies"], rows));
    for role in &model.roles {
        if let Some(persona) = &role.persona {
            roles.push_str(&label(&format!("Persona of {}", code(&role.name))));
            roles.push_str(&paragraphs(persona));
        }
    }
    roles
}

fn selectors(model: &Model, selectors: &[Selector]) -> String {
    let words: Vec<String> = selectors.iter().map(|selector| written(model, selector)).collect();
    codes(words.iter().map(String::as_str))
}

/// A selector as the manifest writes it.
fn written(model: &Model, selector: &Selector) -> String {
    match selector {
        Selector::All => "*".to_owned(),
        Selector::Category(id) => model[*id].name.clone(),
        Selector::Group(id, group) => format!("{}.{group}.*", model[*id].name),
        Selector::Operation(id) => model[*id].id.clone(),
        Selector::Where { effect, tag, category } => {
            let conditions = [
                effect.map(|effect| format!("effect: {}", effect.as_str())),
                tag.as_ref().map(|tag| format!("tag: {tag}")),
                category.map(|id| format!("category: {}", model[id].name)),
            ];
            format!("{{ {} }}", conditions.into_iter().flatten().collect::<Vec<_>>().join(", "))
        }
    }
}

/// The matrix as HTML, because Markdown tables cannot group columns under one header. All its words
/// are identifiers of the manifest: letters, digits, `_`, `-` and `.`.
fn matrix(model: &Model) -> String {
    let mut html = "<div class=\"matrix wide\">\n<table>\n<thead>\n".to_owned();
    html.push_str("<tr><th rowspan=\"2\">Operation</th>");
    for mode in &model.focus {
        let _ = write!(html, "<th colspan=\"{}\">{}</th>", model.roles.len(), mode.name);
    }
    html.push_str("</tr>\n<tr>");
    for _ in &model.focus {
        for (index, role) in model.roles.iter().enumerate() {
            let _ = write!(html, "<th{}>{}</th>", edge(index), role.name);
        }
    }
    html.push_str("</tr>\n</thead>\n<tbody>\n");
    let all: BTreeSet<_> = model.operations.iter().map(|operation| operation.category).collect();
    for category in all {
        let columns = 1 + model.focus.len() * model.roles.len();
        let name = &model[category].name;
        let _ = writeln!(html, "<tr><th class=\"group\" colspan=\"{columns}\">{name}</th></tr>");
        for id in operations_of(model, category) {
            html.push_str(&row(model, id));
        }
    }
    html.push_str("</tbody>\n</table>\n</div>\n\n");
    html
}

fn row(model: &Model, id: OperationId) -> String {
    let operation = &model[id];
    let (page, anchor) = place(model, id);
    let page = page.replace(".md", ".html");
    let mut row = format!(
        "<tr><td><a href=\"../{page}#{anchor}\"><code>{id}</code></a> \
         <span class=\"badge {effect}\">{effect}</span></td>",
        id = operation.id,
        effect = operation.effect.as_str(),
    );
    for focus in model.focus_ids() {
        for (index, role) in model.role_ids().enumerate() {
            let _ = write!(row, "<td{}>{}</td>", edge(index), mark(allows(model, focus, role, id)));
        }
    }
    row.push_str("</tr>\n");
    row
}

/// The class that draws a line before the first role of each focus mode.
fn edge(index: usize) -> &'static str {
    if index == 0 { " class=\"edge\"" } else { "" }
}
