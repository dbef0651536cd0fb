//! The surfaces page: what each surface is, and its costs.

use toolwrit_manifest::Model;

use super::tool_name;
use crate::cost::SurfaceCost;
use crate::document::{
    Bar, Block, Inline, Line, Row, Table, TableKind, code, heading, join_with_commas, link,
    or_dash, paragraph, text,
};
use crate::number::group_digits;
use crate::page::Page;

pub(super) fn page(model: &Model, costs: &[SurfaceCost]) -> Page {
    let summary = "The same operations, shown to a client in three ways.";
    let mut blocks = vec![
        Block::Paragraph(vec![
            text(format!("{summary} The operator chooses one with ")),
            code("--surface"),
            text("."),
        ]),
        Block::Paragraph(vec![link("guide/surfaces", text("Which surface to choose"))]),
    ];
    blocks.extend(cost_blocks(costs));
    blocks.extend(budget_blocks(model));
    blocks.extend(form_blocks(model));
    Page::new("reference/surfaces", "Surfaces and their costs", summary, blocks)
}

fn cost_blocks(costs: &[SurfaceCost]) -> Vec<Block> {
    let Some(first) = costs.first() else { return Vec::new() };
    let bars = costs.iter().filter(|cost| cost.focus == first.focus).map(|cost| Bar {
        name: [cost.surface.as_str(), cost.split.as_str()].join(" ").trim().to_owned(),
        value: cost.tokens,
    });
    let columns = ["Focus mode", "Surface", "Split", "Tools", "Bytes", "Tokens", "Saving"];
    vec![
        heading("Costs", "costs"),
        paragraph(
            "A client puts the list of tools into its model's context. The chart shows the tokens of each list in \
             the default focus mode.",
        ),
        Block::Chart(bars.collect()),
        paragraph(
            "Tokens are counted with the o200k vocabulary. The saving is against flat in the same focus mode.",
        ),
        number_table(
            "Costs of each surface",
            3,
            &columns,
            costs.iter().map(|cost| cost_row(costs, cost)),
        ),
    ]
}

/// A table whose first columns are words.
fn number_table(
    caption: &str,
    words: usize,
    head: &[&str],
    rows: impl Iterator<Item = Vec<Line>>,
) -> Block {
    Block::Table(Table {
        caption: caption.to_owned(),
        kind: TableKind::Numbers { words },
        head: head.iter().map(|words| vec![text(*words)]).collect(),
        rows: rows.map(|cells| Row { anchor: None, cells }).collect(),
    })
}

fn cost_row(costs: &[SurfaceCost], cost: &SurfaceCost) -> Vec<Line> {
    let split = if cost.split.is_empty() { Line::new() } else { vec![text(&cost.split)] };
    vec![
        vec![code(&cost.focus)],
        vec![text(&cost.surface)],
        or_dash(split),
        vec![text(group_digits(cost.tools))],
        vec![text(group_digits(cost.bytes))],
        vec![text(group_digits(cost.tokens))],
        or_dash(format_saving(costs, cost).map(text).into_iter().collect()),
    ]
}

/// The percentage of tokens saved compared with the flat surface, with one decimal. `None` for flat
/// itself, and if flat was not measured.
fn format_saving(costs: &[SurfaceCost], cost: &SurfaceCost) -> Option<String> {
    let is_flat = |cost: &&SurfaceCost| cost.surface == "flat";
    if is_flat(&cost) {
        return None;
    }
    let same_focus = |other: &&SurfaceCost| other.focus == cost.focus;
    let flat = costs.iter().filter(is_flat).find(same_focus)?.tokens;
    let (flat, tokens) = (i64::try_from(flat).ok()?, i64::try_from(cost.tokens).ok()?);
    let tenths = flat.checked_sub(tokens)?.checked_mul(1000)?.checked_div(flat)?;
    let sign = if tenths < 0 { "−" } else { "" };
    Some(format!("{sign}{}.{}%", tenths.abs() / 10, tenths.abs() % 10))
}

fn budget_blocks(model: &Model) -> Vec<Block> {
    let budget = &model.budget;
    let set = [("flat", budget.flat), ("dispatch", budget.dispatch), ("meta", budget.meta)];
    let rows: Vec<Vec<Line>> = set
        .into_iter()
        .filter_map(|(surface, tokens)| {
            let tokens = usize::try_from(tokens?).unwrap_or(usize::MAX);
            Some(vec![vec![text(surface)], vec![text(group_digits(tokens))]])
        })
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    vec![
        heading("Budgets", "budgets"),
        paragraph("The most tokens that the manifest allows for each surface."),
        number_table("Budgets", 1, &["Surface", "Tokens"], rows.into_iter()),
    ]
}

fn form_blocks(model: &Model) -> Vec<Block> {
    let tool = |name: &str| code(tool_name(model, name));
    let sample = model.tools().next();
    let mut flat: Line =
        vec![text("Every visible operation is a tool of its own, with its full schema.")];
    if let Some(operation) = sample {
        let example = [text(" "), code(&operation.id), text(" is "), tool(&operation.wire_name)];
        flat.extend(example.into_iter().chain([text(".")]));
    }
    let mut dispatch = vec![
        text(
            "Each category has up to three tools, split by effect, that take the operation's name and its \
             parameters. ",
        ),
        tool("discover"),
        text(" lists all operations."),
    ];
    if let Some(category) = sample.map(|operation| &model[operation.category]) {
        let names =
            ["read", "write", "delete"].map(|suffix| format!("{}_{suffix}", category.wire_name));
        dispatch.push(text(format!(" {} has ", category.title)));
        dispatch.extend(join_with_commas(names.iter().map(|name| tool(name))));
        dispatch.extend([
            text(". With "),
            code("--split none"),
            text(" a category is one tool, here "),
        ]);
        dispatch.extend([tool(&category.wire_name), text(".")]);
    }
    vec![
        heading("Flat", "flat"),
        Block::Paragraph(flat),
        heading("Dispatch", "dispatch"),
        Block::Paragraph(dispatch),
        heading("Meta", "meta"),
        Block::Paragraph(meta_line(&tool)),
    ]
}

fn meta_line(tool: &impl Fn(&str) -> Inline) -> Line {
    vec![
        text("The same few tools for any number of operations. "),
        tool("introspect"),
        text(" describes the server, "),
        tool("search_tools"),
        text(" finds operations, "),
        tool("describe_tools"),
        text(" shows their parameters, and "),
        tool("context"),
        text(" returns those that a message needs. "),
        tool("execute_read"),
        text(", "),
        tool("execute_write"),
        text(" and "),
        tool("execute_delete"),
        text(" run them. With "),
        code("--split none"),
        text(" a single "),
        tool("execute"),
        text(" runs everything."),
    ]
}
