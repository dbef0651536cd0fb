//! What an upstream has, and how that differs from what was approved, as a whole: for those who approve it.

use serde_json::{Map, Value, json};

use super::differences::differences;
use super::lines::{Lines, quoted_name};
use super::shown::{looks, looks_of_instructions, refused};
use super::whole::fields;
use toolwrit_gateway::upstreams::{Change, Examination, Lock, Tool, UpstreamSettings, Verdict};
use toolwrit_text::visible::escaped_value;

/// All tools of an upstream.
pub(super) fn all(settings: &UpstreamSettings, found: &Examination) -> String {
    let mut lines = Lines::default();
    head(&mut lines, found);
    for tool in found.tools.tools() {
        lines.blank();
        lines.say(0, &quoted_name(tool.name()));
        fields(&mut lines, settings, tool);
    }
    end(&mut lines, found);
    lines.into_text()
}

/// The tools that differ from the approved ones, and the names of the others.
pub(super) fn changes(
    settings: &UpstreamSettings,
    lock: &Lock,
    found: &Examination,
    verdict: &Verdict,
) -> String {
    let mut lines = Lines::default();
    head(&mut lines, found);
    match lock.location().map(|location| location.differs_from(&found.location)) {
        None => lines.say(0, "The approval does not say for which program or address it is."),
        Some(Some(why)) => lines.say(0, &format!("The place is another one: {why}.")),
        Some(None) => {}
    }
    if lock.server().capabilities != found.server.capabilities {
        lines.say(0, "The server offers something else besides its tools.");
    }
    if lock.server().instructions != found.server.instructions {
        lines.say(0, "Its instructions for models are others.");
    }
    for (name, change) in &verdict.changes {
        lines.blank();
        changed(&mut lines, settings, lock, found, (name, change));
    }
    let is_same = |tool: &&Tool| !verdict.changes.contains_key(tool.name());
    let same = found.tools.tools().iter().filter(is_same).map(|tool| quoted_name(tool.name()));
    let same: Vec<String> = same.collect();
    if !same.is_empty() {
        lines.blank();
        lines.say(0, &format!("As approved: {}.", same.join(", ")));
    }
    end(&mut lines, found);
    lines.into_text()
}

fn head(lines: &mut Lines, found: &Examination) {
    let (server, tools) = (&found.server, found.tools.tools().len());
    let (name, version) = (&server.name, &server.version);
    lines.say(0, &format!("{name} {version}, MCP {}, {tools} tools", server.protocol));
    lines.say(0, &format!("Place: {}", found.location));
    if !server.instructions.is_empty() {
        lines.say(0, &format!("Instructions for models: {}", server.instructions));
        looks_of_instructions(&server.instructions).for_each(|look| lines.say(1, &look));
    }
}

fn end(lines: &mut Lines, found: &Examination) {
    if !found.tools.refused().is_empty() {
        lines.blank();
    }
    refused(found).for_each(|why| lines.say(0, &why));
}

fn changed(
    lines: &mut Lines,
    settings: &UpstreamSettings,
    lock: &Lock,
    found: &Examination,
    (name, change): (&str, &Change),
) {
    let (shown, now) = (quoted_name(name), found.tools.get(name));
    let how = match change {
        Change::New => {
            lines.say(0, &format!("{shown}: new; it is not called."));
            return now.into_iter().for_each(|now| fields(lines, settings, now));
        }
        Change::Gone(why) => {
            let why = why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
            return lines.say(0, &format!("{shown}: gone{why}."));
        }
        Change::Text(_) => "its texts have changed; it is called.",
        Change::Contract(_) => "it has changed; it is not called.",
    };
    lines.say(0, &format!("{shown}: {how}"));
    if let (Some(before), Some(now)) = (approved(lock, name), now) {
        differences(lines, before.json(), now.json());
        looks(now).for_each(|look| lines.say(1, &look));
    }
}

fn approved(lock: &Lock, name: &str) -> Option<Tool> {
    lock.tools().find(|tool| tool.name() == name)
}

/// What differs, as JSON.
pub(super) fn changes_json(lock: &Lock, found: &Examination, verdict: &Verdict) -> Value {
    let changes = verdict.changes.iter().map(|(name, change)| {
        let fields: &[String] = match change {
            Change::New | Change::Gone(_) => &[],
            Change::Text(fields) | Change::Contract(fields) => fields,
        };
        let whole = |tool: &Map<String, Value>| escaped_value(Value::Object(tool.clone()));
        json!({
            "tool": name, "change": kind(change), "fields": fields,
            "approved": approved(lock, name).map(|before| whole(before.json())),
            "now": found.tools.get(name).map(|now| whole(now.json())),
        })
    });
    let location = lock.location().and_then(|location| location.differs_from(&found.location));
    json!({ "place": location, "changes": changes.collect::<Vec<Value>>() })
}

fn kind(change: &Change) -> &'static str {
    match change {
        Change::New => "new",
        Change::Gone(_) => "gone",
        Change::Text(_) => "text",
        Change::Contract(_) => "contract",
    }
}
