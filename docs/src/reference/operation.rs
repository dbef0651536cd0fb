//! The page of an operation.

use toolwrit_manifest::interface::signature;
use toolwrit_manifest::{Mapping, Model, Operation, OperationId, Returns, example};

use super::{access, calls, effect_badge, errors, fields, operation_link};
use crate::address::operation_path;
use crate::captured::Captured;
use crate::document::{
    Block, Inline, Line, badge, code, heading, join_with_commas, link, or_dash, paragraph,
    paragraphs, table, text,
};
use crate::entry::Entry;
use crate::number::{format_period, group_digits};
use crate::page::Page;
use crate::reference::providers;

pub(super) fn page(model: &Model, id: OperationId) -> Page {
    let operation = &model[id];
    let mut blocks = vec![paragraph(&operation.summary), Block::Paragraph(badges(operation))];
    blocks.extend(deprecation(model, operation));
    blocks.extend(operation.description.iter().flat_map(|words| paragraphs(words)));
    blocks.push(Block::Code { language: "text", text: signature::lines(model, operation) });
    blocks.extend(parameters(model, operation));
    blocks.extend(result(model, operation));
    blocks.extend(examples(model, operation));
    blocks.extend(captured_example(model, operation));
    blocks.extend(access::section(model, id));
    blocks.extend(limits(model, operation));
    blocks.extend(errors::section(model, operation));
    blocks.extend(aliases_block(operation));
    blocks.extend(asks_block(operation));
    Page::new(&operation_path(&operation.id), &operation.id, &operation.summary, blocks)
        .with_entries(vec![Entry::from_operation(model, operation)])
}

fn badges(operation: &Operation) -> Line {
    let flags = [
        (operation.idempotent, "safe to repeat"),
        (operation.uses_network(), "uses the network"),
        (operation.overwrites, "may replace content"),
        (operation.confirm, "asks to confirm"),
        (operation.dry_run, "has a dry run"),
    ];
    let mut badges = vec![effect_badge(operation.effect)];
    badges.extend(flags.iter().filter(|(on, _)| *on).map(|(_, words)| badge("flag", *words)));
    badges.extend(operation.deprecated.as_ref().map(|_| badge("deprecated", "deprecated")));
    badges.extend(operation.tags.iter().map(|tag| badge("flag", format!("#{tag}"))));
    join_with_spaces(badges)
}

/// Badges with a space between them.
fn join_with_spaces(badges: Vec<Inline>) -> Line {
    let mut line = Line::new();
    for badge in badges {
        if !line.is_empty() {
            line.push(text(" "));
        }
        line.push(badge);
    }
    line
}

fn deprecation(model: &Model, operation: &Operation) -> Option<Block> {
    let deprecated = operation.deprecated.as_ref()?;
    let mut words = vec![text(match &deprecated.since {
        Some(version) => format!("Deprecated since {version}."),
        None => "Deprecated.".to_owned(),
    })];
    if let Some(id) = deprecated.replacement {
        words.extend([text(" Use "), operation_link(model, id), text(" instead.")]);
    }
    words.extend(deprecated.note.iter().map(|note| text(format!(" {note}"))));
    Some(Block::Warning(words))
}

fn parameters(model: &Model, operation: &Operation) -> [Block; 2] {
    let inputs = model.inputs(operation);
    let body = if inputs.is_empty() {
        paragraph("It has none.")
    } else {
        fields::parameters(model, &inputs)
    };
    [heading("Parameters", "parameters"), body]
}

fn result(model: &Model, operation: &Operation) -> Vec<Block> {
    let mut blocks = vec![heading("Result", "result")];
    let Some(returns) = operation.returns.shape() else {
        blocks.push(paragraph(match operation.returns {
            Returns::Content => "Blocks of text, images, audio and resources.",
            _ => "Plain text.",
        }));
        return blocks;
    };
    blocks.push(Block::Paragraph(fields::type_line(model, returns)));
    blocks.extend(fields::constraints(model, returns));
    if operation.page.is_some() {
        blocks.push(Block::Paragraph(vec![
            text("One page at a time. To get the next one, pass "),
            code("next_cursor"),
            text(" of the answer as "),
            code("cursor"),
            text("."),
        ]));
    }
    blocks.extend(fields::results(model, returns));
    blocks
}

/// The calls of the manifest in every form, or one with generated arguments.
fn examples(model: &Model, operation: &Operation) -> Vec<Block> {
    let mut blocks = vec![heading("Call it", "call")];
    for example in &operation.examples {
        blocks.extend(example.note.iter().map(paragraph));
        blocks.push(calls::call_forms(model, operation, &example.args));
    }
    if operation.examples.is_empty() {
        match example(model, operation) {
            Some(args) => blocks.push(calls::call_forms(model, operation, &args)),
            None => blocks.push(paragraph("The manifest has no example.")),
        }
    }
    blocks
}

/// A call that a test made, and the answer to it.
fn captured_example(model: &Model, operation: &Operation) -> Vec<Block> {
    let Some(captured) = Captured::find(model, operation) else { return Vec::new() };
    let json = |text: String| Block::Code { language: "json", text };
    let mut blocks = vec![
        heading("Example result", "example"),
        paragraph("With these arguments, on the sample vault:"),
        json(format!("{:#}", captured.arguments)),
        paragraph("the answer is:"),
    ];
    let is_abridged = captured.is_abridged();
    blocks.push(json(captured.answer));
    if is_abridged {
        blocks.push(Block::Paragraph(vec![
            code(".."),
            text(" stands for a value that differs each time, or for the rest of a list."),
        ]));
    }
    blocks
}

fn limits(model: &Model, operation: &Operation) -> Vec<Block> {
    let bytes = operation.result_bytes.unwrap_or(model.limits.result_bytes);
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut limits = vec![
        vec![text(format!(
            "It may take at most {}.",
            format_period(operation.timeout.unwrap_or(model.limits.timeout))
        ))],
        vec![text(format!("A result of more than {} bytes is cut.", group_digits(bytes)))],
    ];
    if let Some(calls) = operation.concurrency {
        limits.push(vec![text(format!("At most {calls} calls of it run at once."))]);
    }
    if let Some(retry) = operation.retry {
        limits.push(vec![
            text(format!("The server tries again up to {retry} times after ")),
            link("reference/errors/UPSTREAM_ERROR", code("UPSTREAM_ERROR")),
            text("."),
        ]);
    }
    if let Some(cache) = operation.cache {
        limits.push(vec![text(format!(
            "An answer may be up to {} old.",
            format_period(cache.period)
        ))]);
    }
    if let Some(provider) = operation.requires {
        let provider = &model[provider];
        let path = format!("{}#{}", providers::PATH, provider.name);
        limits.push(vec![text("It needs "), link(path, text(&provider.title)), text(".")]);
    }
    if operation.task.is_some() {
        limits.push(vec![text("With clients that support tasks it may continue as a task.")]);
    }
    vec![heading("Limits", "limits"), Block::List(limits)]
}

fn aliases_block(operation: &Operation) -> Option<Block> {
    if operation.aliases.is_empty() {
        return None;
    }
    let rows = operation.aliases.iter().map(|alias| {
        let mapping = &alias.mapping;
        let name = link(
            format!("{}#{}", super::older::PATH, super::older::anchor(alias)),
            code(&alias.name),
        );
        [vec![name], renamed_arguments(mapping), older_values(mapping), fixed_arguments(mapping)]
    });
    let columns = ["Name", "Renamed arguments", "Renamed values", "Fixed arguments"];
    let blocks = vec![table("Older names", columns, rows)];
    Some(Block::Folded { title: "Older names that still work".to_owned(), blocks })
}

fn renamed_arguments(mapping: &Mapping) -> Line {
    let arrow = |old: &str, new: String| vec![code(old), text(" → "), code(new)];
    let members = mapping.flatten.iter().map(|name| vec![text("the members of "), code(name)]);
    let pairs = mapping.args.iter().map(|(old, new)| arrow(old, new.to_string()));
    let lists = mapping.each.iter().map(|each| {
        let mut line = vec![text("each of ")];
        line.extend(arrow(&each.from, each.into.to_string()));
        line
    });
    let ignored =
        mapping.ignore.iter().map(|path| vec![code(path.to_string()), text(" has no effect")]);
    let parsed = mapping.parse.iter().map(|name| vec![code(name), text(" is JSON text")]);
    let harmless = mapping.harmless.iter().map(|harmless| {
        let mut line = vec![code(&harmless.name), text(" may only be ")];
        line.extend(join_with_commas(harmless.values.iter().map(code)));
        line
    });
    join_lines(members.chain(pairs).chain(lists).chain(parsed).chain(ignored).chain(harmless))
}

fn older_values(mapping: &Mapping) -> Line {
    join_lines(mapping.values.iter().flat_map(|(path, values)| {
        let path = path.to_string();
        values.iter().map(move |(old, new)| {
            vec![code(format!("{path}: {old:?}")), text(" → "), code(new.to_string())]
        })
    }))
}

fn fixed_arguments(mapping: &Mapping) -> Line {
    join_with_commas(mapping.set.iter().map(|(path, value)| code(format!("{path}: {value}"))))
}

/// Lines with commas between them; a dash if there are none.
fn join_lines(lines: impl Iterator<Item = Line>) -> Line {
    let mut all = Line::new();
    for line in lines {
        if !all.is_empty() {
            all.push(text(", "));
        }
        all.extend(line);
    }
    or_dash(all)
}

fn asks_block(operation: &Operation) -> Option<Block> {
    if operation.asks.is_empty() {
        return None;
    }
    let asks = operation.asks.iter().map(|ask| vec![text(ask)]).collect();
    Some(Block::Folded {
        title: "How people ask for it".to_owned(),
        blocks: vec![Block::List(asks)],
    })
}
