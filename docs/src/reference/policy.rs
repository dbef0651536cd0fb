//! The policy page with the matrix of all operations, and a page per focus mode and role.

use toolwrit_manifest::policy::{focus_allows, role_allows};
use toolwrit_manifest::{FocusId, FocusMode, Model, OperationId, Role, RoleId, Selector};

use super::{categories, category_link, category_operations, codes, matrix, operation_link};
use crate::document::{
    Block, Line, code, heading, join_with_commas, link, or_dash, paragraph, paragraphs, table, text,
};
use crate::number::pluralize;
use crate::page::Page;

/// The path of the page.
const PATH: &str = "reference/policy";

pub(super) fn focus_path(name: &str) -> String {
    format!("reference/focus/{name}")
}

pub(super) fn role_path(name: &str) -> String {
    format!("reference/roles/{name}")
}

pub(super) fn pages(model: &Model) -> Vec<Page> {
    let below = model.focus_ids().map(|id| focus_page(model, id));
    let below = below.chain(model.role_ids().map(|id| role_page(model, id)));
    [page(model)].into_iter().chain(below.map(|page| page.with_parent(PATH))).collect()
}

fn page(model: &Model) -> Page {
    let summary = "Which focus modes and roles allow which operations.";
    let mut blocks = vec![
        paragraph(
            "A caller may use an operation if the focus mode allows it and the role allows it. A read-only server \
             allows only operations that read.",
        ),
        Block::Paragraph(vec![link("guide/policy", text("How to choose what callers may do"))]),
    ];
    if model.governed_ids().count() > model.tools().count() {
        blocks.push(paragraph("Prompts and resources count as operations here."));
    }
    blocks.extend([heading("Focus modes", "focus-modes"), paragraph("The first is the default.")]);
    let focus_modes = model.focus_ids().map(|id| {
        let mode = &model[id];
        let allowed = model.governed_ids().filter(|operation| focus_allows(model, id, *operation));
        overview_row(focus_path(&mode.name), &mode.name, mode.summary.as_deref(), allowed.count())
    });
    blocks.push(table("Focus modes", ["Focus mode", "Summary", "Allows"], focus_modes));
    blocks.extend([heading("Roles", "roles"), paragraph("The first is the default.")]);
    let roles = model.role_ids().map(|id| {
        let role = &model[id];
        let allowed = model.governed_ids().filter(|operation| role_allows(model, id, *operation));
        overview_row(role_path(&role.name), &role.name, role.summary.as_deref(), allowed.count())
    });
    blocks.push(table("Roles", ["Role", "Summary", "Allows"], roles));
    blocks.push(heading("Who may call what", "matrix"));
    blocks.push(paragraph("A call needs a yes from its focus mode, and a yes from its role."));
    blocks.push(matrix::table(model));
    Page::new(PATH, "Policy", summary, blocks)
}

fn overview_row(path: String, name: &str, summary: Option<&str>, count: usize) -> [Line; 3] {
    let summary = or_dash(summary.map(text).into_iter().collect());
    [vec![link(path, code(name))], summary, vec![text(pluralize(count, "operation"))]]
}

fn focus_page(model: &Model, id: FocusId) -> Page {
    let FocusMode { name, summary, allow, deny } = &model[id];
    let mut blocks: Vec<Block> = summary.iter().map(paragraph).collect();
    blocks.push(rules_table(model, None, allow, deny));
    blocks.extend(allowed_operations(model, |operation| focus_allows(model, id, operation)));
    let summary = summary.as_deref().unwrap_or("A focus mode.");
    Page::new(&focus_path(name), &format!("Focus mode {name}"), summary, blocks)
}

fn role_page(model: &Model, id: RoleId) -> Page {
    let Role { name, summary, extends, allow, deny, persona } = &model[id];
    let mut blocks: Vec<Block> = summary.iter().map(paragraph).collect();
    blocks.push(rules_table(model, *extends, allow, deny));
    if let Some(persona) = persona {
        blocks.push(heading("Persona", "persona"));
        blocks.push(paragraph("What a model in this role is told:"));
        blocks.extend(paragraphs(persona));
    }
    blocks.extend(allowed_operations(model, |operation| role_allows(model, id, operation)));
    let summary = summary.as_deref().unwrap_or("A role.");
    Page::new(&role_path(name), &format!("Role {name}"), summary, blocks)
}

/// The rules as the manifest has them.
fn rules_table(
    model: &Model,
    extends: Option<RoleId>,
    allow: &[Selector],
    deny: &[Selector],
) -> Block {
    let mut rows = Vec::new();
    if let Some(base) = extends.map(|id| &model[id].name) {
        rows.push([vec![text("Extends")], vec![link(role_path(base), code(base))]]);
    }
    rows.push([vec![text("Allows")], selector_codes(model, allow)]);
    rows.push([vec![text("Denies")], selector_codes(model, deny)]);
    table("Rules", ["Rule", "Operations"], rows)
}

/// The operations that are allowed, by category, and how many are not.
fn allowed_operations(model: &Model, allows: impl Fn(OperationId) -> bool) -> Vec<Block> {
    let rows: Vec<[Line; 2]> = categories(model)
        .into_iter()
        .filter_map(|category| {
            let allowed = category_operations(model, category).filter(|id| allows(*id));
            let links: Vec<_> = allowed.map(|id| operation_link(model, id)).collect();
            let links = (!links.is_empty()).then(|| join_with_commas(links))?;
            Some([vec![category_link(model, category)], links])
        })
        .collect();
    let mut blocks = vec![heading("Operations", "operations")];
    if rows.is_empty() {
        blocks.push(paragraph("It allows none."));
    } else {
        blocks.push(table("Operations that it allows", ["Category", "Operations"], rows));
    }
    let denied = model.governed_ids().filter(|id| !allows(*id)).count();
    if denied > 0 {
        blocks.push(paragraph(format!(
            "It does not allow {}.",
            pluralize(denied, "other operation")
        )));
    }
    blocks
}

fn selector_codes(model: &Model, selectors: &[Selector]) -> Line {
    let words: Vec<String> =
        selectors.iter().map(|selector| format_selector(model, selector)).collect();
    codes(words.iter().map(String::as_str))
}

/// A selector as the manifest writes it.
fn format_selector(model: &Model, selector: &Selector) -> String {
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
