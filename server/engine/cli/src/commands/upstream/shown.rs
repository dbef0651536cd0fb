//! The tools of an upstream at a glance.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::output::table::{Align, table};
use toolwrit_core::authority::Effect;
use toolwrit_gateway::upstreams::{
    EffectSource, Examination, Tool, UpstreamSettings, known_effect,
};
use toolwrit_manifest::suspicions;
use toolwrit_text::shorten::visible_line;
use toolwrit_text::visible::escaped_value;

/// Characters of a description in a table.
const DESCRIPTION: usize = 100;

/// A table of the tools, with what is worth a look. Long descriptions are cut.
pub(super) fn text(found: &Examination) -> String {
    let server = &found.server;
    let columns = ["tool", "annotations", "description"].map(|name| (name, Align::Left));
    let rows: Vec<Vec<String>> = found.tools.tools().iter().map(row).collect();
    let mut text = format!(
        "{} {}, MCP {}, {} tools\n\n{}",
        visible_line(&server.name, DESCRIPTION),
        visible_line(&server.version, DESCRIPTION),
        server.protocol,
        rows.len(),
        table(&columns, &rows)
    );
    let notes = found.tools.tools().iter().flat_map(looks).chain(refused(found));
    notes.for_each(|note| push_line(&mut text, &note));
    text
}

fn row(tool: &Tool) -> Vec<String> {
    let description = tool.description().unwrap_or_default();
    vec![
        visible_line(tool.name(), DESCRIPTION),
        annotations(tool),
        visible_line(description, DESCRIPTION),
    ]
}

/// What the annotations of a tool say: `read`, `write`, `destroy`; empty without any.
pub(super) fn annotations(tool: &Tool) -> String {
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

/// What is worth a look in a tool, in sentences.
pub(super) fn looks(tool: &Tool) -> impl Iterator<Item = String> {
    look_at(visible_line(tool.name(), DESCRIPTION), tool.json())
}

/// What is worth a look in what a server says to models, in sentences.
pub(super) fn looks_of_instructions(instructions: &str) -> impl Iterator<Item = String> {
    let described = Map::from_iter([("description".to_owned(), instructions.into())]);
    look_at("the instructions".to_owned(), &described)
}

fn look_at(name: String, said: &Map<String, Value>) -> impl Iterator<Item = String> + use<> {
    suspicions(said).into_iter().map(move |why| {
        let sentence = format!("Look at {name}: {why}");
        if sentence.ends_with('.') { sentence } else { sentence + "." }
    })
}

/// What cannot be used, in sentences.
pub(super) fn refused(found: &Examination) -> impl Iterator<Item = String> {
    found
        .tools
        .refused()
        .iter()
        .map(|tool| format!("{} cannot be used: {}.", tool.name, tool.reason))
}

fn push_line(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = write!(text, "\n{line}");
}

/// The same as JSON.
pub(super) fn json(settings: &UpstreamSettings, found: &Examination) -> Value {
    let server = &found.server;
    let tools = found.tools.tools().iter().map(|tool| {
        let whole = escaped_value(Value::Object(tool.json().clone()));
        let suspicions =
            suspicions(tool.json()).iter().map(ToString::to_string).collect::<Vec<_>>();
        let (effect, said_by) = match known_effect(settings, tool) {
            Some((effect, EffectSource::Configuration)) => (effect, Some("configuration")),
            Some((effect, EffectSource::Approval)) => (effect, Some("approval")),
            Some((effect, EffectSource::Annotations)) => (effect, Some("annotations")),
            None => (Effect::Destroy, None),
        };
        json!({
            "name": tool.name(), "effect": effect.as_str(), "effect_said_by": said_by,
            "suspicions": suspicions, "tool": whole,
        })
    });
    json!({
        "server": {"name": server.name, "version": server.version, "protocol": server.protocol, "instructions": server.instructions},
        "tools": tools.collect::<Vec<Value>>(),
        "refused": refused(found).collect::<Vec<String>>(),
    })
}
