//! The surfaces page: what each surface is, and its costs.

use toolwrit_manifest::Model;

use super::tool_name;
use crate::cost::SurfaceCost;
use crate::markdown::{code, framed, heading, or_dash, table, text};
use crate::page::Chapter;

pub(super) fn page(model: &Model, costs: &[SurfaceCost]) -> Chapter {
    let mut body = "# Surfaces\n\n\
        The same operations, shown to a client in three ways. The operator chooses one with \
        `--surface`; `auto` is flat if that is small, otherwise meta. \
        [The guide](../guide/surfaces.md) says when to choose which.\n\n"
        .to_owned();
    if !costs.is_empty() {
        body.push_str("## Costs\n\n");
        body.push_str(
            "Every client reads the list of tools into its model's context. Tokens are counted with \
             the o200k vocabulary; the saving is against flat in the same focus mode.\n\n",
        );
        body.push_str(&framed(
            "costs",
            &table(&COLUMNS, costs.iter().map(|cost| row(costs, cost))),
        ));
    }
    body.push_str(&budgets(model));
    body.push_str(&forms(model));
    Chapter::new("reference/surfaces.md", "Surfaces", body)
}

const COLUMNS: [&str; 7] = ["Focus mode", "Surface", "Split", "Tools", "Bytes", "Tokens", "Saving"];

fn row(costs: &[SurfaceCost], cost: &SurfaceCost) -> [String; 7] {
    [
        code(&cost.focus),
        text(&cost.surface),
        or_dash(text(&cost.split)),
        grouped(cost.tools),
        grouped(cost.bytes),
        grouped(cost.tokens),
        or_dash(saving(costs, cost).unwrap_or_default()),
    ]
}

/// The percentage of tokens saved compared with the flat surface, with one decimal. `None` for flat
/// itself, and if flat was not measured.
fn saving(costs: &[SurfaceCost], cost: &SurfaceCost) -> Option<String> {
    let is_flat = |cost: &&SurfaceCost| cost.surface == "flat";
    if is_flat(&cost) {
        return None;
    }
    let same_focus = |other: &&SurfaceCost| other.focus == cost.focus;
    let flat = costs.iter().filter(is_flat).find(same_focus)?.tokens;
    let (flat, own) = (i64::try_from(flat).ok()?, i64::try_from(cost.tokens).ok()?);
    let tenths = flat.checked_sub(own)?.checked_mul(1000)?.checked_div(flat)?;
    let sign = if tenths < 0 { "−" } else { "" };
    Some(format!("{sign}{}.{}%", tenths.abs() / 10, tenths.abs() % 10))
}

/// `19,500`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}

fn budgets(model: &Model) -> String {
    let budget = &model.budget;
    let set = [("flat", budget.flat), ("dispatch", budget.dispatch), ("meta", budget.meta)];
    let rows: Vec<[String; 2]> = set
        .into_iter()
        .filter_map(|(surface, tokens)| {
            let tokens = usize::try_from(tokens?).unwrap_or(usize::MAX);
            Some([surface.to_owned(), grouped(tokens)])
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "## Budgets\n\nThe maximum number of tokens that the manifest allows for each surface.\n\n{}",
        framed("costs", &table(&["Surface", "Tokens"], rows))
    )
}

fn forms(model: &Model) -> String {
    let tool = |name: &str| code(&tool_name(model, name));
    let sample = model.tools().next();
    let mut forms = heading("Flat", "flat");
    forms.push_str("Every visible operation is a tool of its own, with its full schema");
    if let Some(operation) = sample {
        forms.push_str(&format!(": {} is {}", code(&operation.id), tool(&operation.wire_name)));
    }
    forms.push_str(".\n\n");
    forms.push_str(&heading("Dispatch", "dispatch"));
    forms.push_str(&format!(
        "Each category has up to three tools, split by effect, that take the operation's name and \
         its parameters; {} lists all operations.",
        tool("discover")
    ));
    if let Some(category) = sample.map(|operation| &model[operation.category]) {
        let names = ["read", "write", "delete"];
        let names = names.map(|effect| tool(&format!("{}_{effect}", category.wire_name)));
        forms.push_str(&format!(" {} has {}.", text(&category.title), names.join(", ")));
        forms.push_str(&format!(
            " With `--split none` a category is one tool, here {}.",
            tool(&category.wire_name)
        ));
    }
    forms.push_str("\n\n");
    forms.push_str(&heading("Meta", "meta"));
    forms.push_str(&format!(
        "The same few tools for any number of operations: {} describes the server, {} finds \
         operations, {} shows their parameters, {} returns those that a message needs, and {}, {} and \
         {} run them. With `--split none` a single {} runs everything.\n\n",
        tool("introspect"),
        tool("search_tools"),
        tool("describe_tools"),
        tool("context"),
        tool("execute_read"),
        tool("execute_write"),
        tool("execute_delete"),
        tool("execute"),
    ));
    forms
}
