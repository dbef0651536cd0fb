//! The tools of an upstream, and how they differ from the approved ones, for people.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::table::{Align, table};
use toolwrit_gateway::visible::{escaped_value, shortened};
use toolwrit_gateway::{Change, Examination, Lock, Tool, Verdict};
use toolwrit_manifest::suspicions;

/// Characters of a description in a table.
const DESCRIPTION: usize = 100;
/// Characters of a field in a comparison.
const FIELD: usize = 2000;

/// A table of the tools, with what is worth a look.
pub(super) fn text(found: &Examination) -> String {
    let server = &found.server;
    let columns = ["tool", "annotations", "description"].map(|name| (name, Align::Left));
    let rows: Vec<Vec<String>> = found.tools.tools().iter().map(row).collect();
    let mut text = format!(
        "{} {}, MCP {}, {} tools\n\n{}",
        shortened(&server.name, DESCRIPTION),
        shortened(&server.version, DESCRIPTION),
        server.protocol,
        rows.len(),
        table(&columns, &rows)
    );
    let notes = notes(found.tools.tools()).chain(refused(found));
    notes.for_each(|note| push_line(&mut text, &note));
    text
}

fn row(tool: &Tool) -> Vec<String> {
    let description = tool.description().unwrap_or_default();
    vec![
        shortened(tool.name(), DESCRIPTION),
        annotations(tool),
        shortened(description, DESCRIPTION),
    ]
}

/// What the annotations of a tool say: `read`, `write`, `destroy`; empty without any.
fn annotations(tool: &Tool) -> String {
    let hint = |name: &str| tool.json().get("annotations")?.get(name)?.as_bool();
    let words = [
        ("readOnlyHint", "read only", "changes"),
        ("destructiveHint", "destroys", "destroys nothing"),
        ("openWorldHint", "open world", "closed world"),
    ];
    let said =
        words.iter().filter_map(|(name, yes, no)| Some(if hint(name)? { *yes } else { *no }));
    said.collect::<Vec<_>>().join(", ")
}

fn notes(tools: &[Tool]) -> impl Iterator<Item = String> {
    tools.iter().flat_map(|tool| {
        let name = shortened(tool.name(), DESCRIPTION);
        suspicions(tool.json()).into_iter().map(move |why| format!("Look at {name}: {why}."))
    })
}

fn refused(found: &Examination) -> impl Iterator<Item = String> {
    found.tools.refused().iter().map(|own| format!("{} cannot be used: {}.", own.name, own.reason))
}

fn push_line(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = write!(text, "\n{line}");
}

/// The same as JSON.
pub(super) fn json(found: &Examination) -> Value {
    let server = &found.server;
    let tools = found.tools.tools().iter().map(|tool| {
        let whole = escaped_value(Value::Object(tool.json().clone()));
        let suspicions =
            suspicions(tool.json()).iter().map(ToString::to_string).collect::<Vec<_>>();
        json!({"name": tool.name(), "suspicions": suspicions, "tool": whole})
    });
    json!({
        "server": {"name": server.name, "version": server.version, "protocol": server.protocol},
        "tools": tools.collect::<Vec<Value>>(),
        "refused": refused(found).collect::<Vec<String>>(),
    })
}

/// How tools differ from the approved ones.
pub(super) fn changes(lock: &Lock, found: &Examination, verdict: &Verdict) -> String {
    let mut text = String::new();
    for (name, change) in &verdict.changes {
        let shown = shortened(name, DESCRIPTION);
        match change {
            Change::New => push_line(&mut text, &format!("{shown}: new; it is not called.")),
            Change::Gone(why) => {
                let why = why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
                push_line(&mut text, &format!("{shown}: gone{why}."));
            }
            Change::Text(fields) => {
                push_line(&mut text, &format!("{shown}: its texts have changed; it is called."));
                push_fields(&mut text, lock, found, name, fields);
            }
            Change::Contract(fields) => {
                push_line(&mut text, &format!("{shown}: it has changed; it is not called."));
                push_fields(&mut text, lock, found, name, fields);
            }
        }
    }
    let changed =
        found.tools.tools().iter().filter(|tool| verdict.changes.contains_key(tool.name()));
    let changed: Vec<Tool> = changed.cloned().collect();
    notes(&changed).for_each(|note| push_line(&mut text, &note));
    text.trim_start().to_owned()
}

fn push_fields(text: &mut String, lock: &Lock, found: &Examination, name: &str, fields: &[String]) {
    let (before, now) = both(lock, found, name);
    for field in fields {
        let value =
            |own: &Option<Map<String, Value>>| match own.as_ref().and_then(|own| own.get(field)) {
                Some(value) => shortened(&escaped_value(value.clone()).to_string(), FIELD),
                None => "(none)".to_owned(),
            };
        push_line(text, &format!("  {field}\n  - {}\n  + {}", value(&before), value(&now)));
    }
}

/// A tool as a server lists it.
type Entry = Map<String, Value>;

/// A tool as it was approved, and as it is now.
fn both(lock: &Lock, found: &Examination, name: &str) -> (Option<Entry>, Option<Entry>) {
    let before = lock.tools().find(|tool| tool.name() == name).map(|tool| tool.json().clone());
    (before, found.tools.get(name).map(|tool| tool.json().clone()))
}

/// The same as JSON.
pub(super) fn changes_json(lock: &Lock, found: &Examination, verdict: &Verdict) -> Value {
    let changes = verdict.changes.iter().map(|(name, change)| {
        let (kind, fields): (_, &[String]) = match change {
            Change::New => ("new", &[]),
            Change::Gone(_) => ("gone", &[]),
            Change::Text(fields) => ("text", fields),
            Change::Contract(fields) => ("contract", fields),
        };
        let (before, now) = both(lock, found, name);
        let whole = |own: Option<Map<String, Value>>| own.map(|own| escaped_value(Value::Object(own)));
        json!({"tool": name, "change": kind, "fields": fields, "approved": whole(before), "now": whole(now)})
    });
    json!({ "changes": changes.collect::<Vec<Value>>() })
}
