//! The entry of one operation.

use std::time::Duration;

use serde_json::Value;
use toolwrit_manifest::{Mapping, Model, Operation, OperationId, Returns, signature};

use super::{
    access, effect_badge, errors, invocation, operation_link, shape, tool_name, tool_suffix,
};
use crate::markdown::{
    badge, code, code_block, codes, entry_heading, label, or_dash, paragraphs, table, text,
};

pub(super) fn entry(model: &Model, id: OperationId) -> String {
    let operation = &model[id];
    let mut entry = entry_heading(&operation.id, &operation.id);
    entry.push_str(&format!("{}\n\n{}\n\n", text(&operation.summary), badges(model, operation)));
    if let Some(deprecated) = deprecated(model, operation) {
        entry.push_str(&deprecated);
    }
    if let Some(description) = &operation.description {
        entry.push_str(&paragraphs(description));
    }
    entry.push_str(&code_block("text", &signature::signature(model, operation)));
    entry.push_str(&parameters(model, operation));
    entry.push_str(&result(model, operation));
    entry.push_str(&errors::of_operation(model, &operation.errors));
    entry.push_str(&access::of_operation(model, id));
    entry.push_str(&examples(operation));
    entry.push_str(&tools(model, operation));
    entry.push_str(&aliases(operation));
    entry.push_str(&asks(operation));
    entry
}

fn badges(model: &Model, operation: &Operation) -> String {
    let flags = [
        (operation.idempotent, "idempotent"),
        (operation.open_world, "open world"),
        (operation.overwrites, "overwrites"),
        (operation.confirm, "asks to confirm"),
        (operation.dry_run, "dry run"),
    ];
    let mut badges = vec![effect_badge(operation.effect)];
    badges.extend(flags.iter().filter(|(on, _)| *on).map(|(_, words)| badge("flag", words)));
    if operation.deprecated.is_some() {
        badges.push(badge("deprecated", "deprecated"));
    }
    if let Some(provider) = operation.requires {
        badges.push(badge("flag", &format!("needs {}", model[provider].title)));
    }
    if let Some(timeout) = operation.timeout {
        badges.push(badge("flag", &format!("at most {}", period(timeout))));
    }
    badges.extend(operation.tags.iter().map(|tag| badge("flag", &format!("#{tag}"))));
    badges.join(" ")
}

fn period(period: Duration) -> String {
    match period.as_millis() {
        millis if millis % 60_000 == 0 => format!("{} min", millis / 60_000),
        millis if millis % 1_000 == 0 => format!("{} s", millis / 1_000),
        millis => format!("{millis} ms"),
    }
}

fn deprecated(model: &Model, operation: &Operation) -> Option<String> {
    let deprecated = operation.deprecated.as_ref()?;
    let mut words = match &deprecated.since {
        Some(version) => format!("Deprecated since {}.", text(version)),
        None => "Deprecated.".to_owned(),
    };
    if let Some(id) = deprecated.replacement {
        words.push_str(&format!(" Use {} instead.", operation_link(model, id)));
    }
    if let Some(note) = &deprecated.note {
        words.push_str(&format!(" {}", text(note)));
    }
    Some(format!("> [!WARNING]\n> {words}\n\n"))
}

fn parameters(model: &Model, operation: &Operation) -> String {
    let inputs = model.inputs(operation);
    if inputs.is_empty() {
        return format!("{}None.\n\n", label("Parameters"));
    }
    format!("{}{}", label("Parameters"), shape::parameters(model, &inputs))
}

fn result(model: &Model, operation: &Operation) -> String {
    let mut result = label("Result");
    let Some(returns) = operation.returns.shape() else {
        result.push_str(match operation.returns {
            Returns::Content => "Blocks of text, images, audio and resources.\n\n",
            _ => "Plain text.\n\n",
        });
        return result;
    };
    result.push_str(&format!("{}\n\n", shape::type_cell(model, returns)));
    if operation.page.is_some() {
        result.push_str(&format!(
            "One page at a time; {} leads to the next.\n\n",
            code("next_cursor")
        ));
    }
    result.push_str(&shape::results(model, returns));
    result
}

fn examples(operation: &Operation) -> String {
    if operation.examples.is_empty() {
        return String::new();
    }
    let mut examples = label("Examples");
    for example in &operation.examples {
        if let Some(note) = &example.note {
            examples.push_str(&format!("{}\n\n", text(note)));
        }
        let args = Value::Object(example.args.clone());
        examples.push_str(&code_block("json", &format!("{args:#}")));
        examples.push_str(&code_block("sh", &invocation::command(operation, &example.args)));
    }
    examples
}

/// The tool that a client calls, on each surface.
fn tools(model: &Model, operation: &Operation) -> String {
    let category = &model[operation.category];
    let merged = model.merged_tool_of(operation).map(|(tool, value)| {
        let envelope = format!("{}: {value}", tool.by);
        format!("{} with {}", code(&tool_name(model, &tool.name)), code(&envelope))
    });
    let flat = merged.unwrap_or_else(|| code(&tool_name(model, &operation.wire_name)));
    let dispatch = if category.direct {
        flat.clone()
    } else {
        let tool = format!("{}_{}", category.wire_name, tool_suffix(operation.effect));
        let envelope = format!("operation: {}", operation.name);
        format!("{} with {}", code(&tool_name(model, &tool)), code(&envelope))
    };
    let meta = tool_name(model, &format!("execute_{}", tool_suffix(operation.effect)));
    let envelope = format!("tool: {}", operation.id);
    format!(
        "{}{} on [flat](../reference/surfaces.md#flat), {dispatch} on \
         [dispatch](../reference/surfaces.md#dispatch), {} with {} on \
         [meta](../reference/surfaces.md#meta).\n\n",
        label("Tool"),
        flat,
        code(&meta),
        code(&envelope),
    )
}

fn aliases(operation: &Operation) -> String {
    if operation.aliases.is_empty() {
        return String::new();
    }
    let rows = operation.aliases.iter().map(|alias| {
        let own = &alias.mapping;
        [code(&alias.name), renamed(own), older_values(own), fixed(own)]
    });
    let columns = ["Name", "Renamed arguments", "Renamed values", "Fixed arguments"];
    format!("{}{}", label("Older names, still callable"), table(&columns, rows))
}

fn renamed(mapping: &Mapping) -> String {
    let members = mapping.flatten.iter().map(|name| format!("the members of {}", code(name)));
    let pairs = mapping.args.iter();
    let pairs = pairs.map(|(old, new)| format!("{} → {}", code(old), code(&new.to_string())));
    let lists = mapping.each.iter().map(|each| {
        format!("each of {} → an item of {}", code(&each.from), code(&each.into.to_string()))
    });
    let ignored =
        mapping.ignore.iter().map(|path| format!("{} has no effect", code(&path.to_string())));
    or_dash(members.chain(pairs).chain(lists).chain(ignored).collect::<Vec<_>>().join(", "))
}

fn older_values(mapping: &Mapping) -> String {
    let pairs = mapping.values.iter().flat_map(|(path, values)| {
        let path = path.to_string();
        values.iter().map(move |(old, new)| {
            let old = format!("{path}: {}", Value::from(old.as_str()));
            format!("{} → {}", code(&old), code(&new.to_string()))
        })
    });
    or_dash(pairs.collect::<Vec<_>>().join(", "))
}

fn fixed(mapping: &Mapping) -> String {
    let pairs: Vec<String> =
        mapping.set.iter().map(|(path, value)| format!("{path}: {value}")).collect();
    codes(pairs.iter().map(String::as_str))
}

fn asks(operation: &Operation) -> String {
    if operation.asks.is_empty() {
        return String::new();
    }
    let asks: Vec<String> = operation.asks.iter().map(|ask| format!("- {}", text(ask))).collect();
    format!("{}{}\n\n", label("People ask for it as"), asks.join("\n"))
}
