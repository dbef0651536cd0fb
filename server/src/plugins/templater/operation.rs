//! The operation of a template: what the template asks for are its parameters.

use serde_json::{Map, Value, json};
use toolwrit::dynamic::DynamicOperation;
use toolwrit::{Effect, Result};
use toolwrit_plugins::templater::{Parameter, ParameterKind, Template, Templater};
use toolwrit_text::shorten::line;
use toolwrit_vault::{CancelCheck, Vault};

use crate::faults::template_fault;

/// The start of the ids.
const OPERATION: &str = "plugin.templater.execute:";
/// The parameters that each operation has besides those of its template.
const PATH: &str = "path";
const DRY_RUN: &str = "dry_run";
/// How many choices a schema names at most.
const CHOICES: usize = 100;
/// How long texts and names may be, in characters.
const DESCRIPTION: usize = 500;
const NAME: usize = 64;
/// A title in a summary.
const TITLE: usize = 60;

/// Whether a template can be an operation.
pub(super) fn is_operation(template: &Template) -> bool {
    !template.is_broken && template.parameters.iter().all(has_argument_name)
}

/// What is wrong with a template, with its place.
pub(super) fn find_problems(template: &Template) -> Vec<String> {
    let problems = template.problems.iter().map(ToString::to_string);
    let odd = template.parameters.iter().find(|parameter| !has_argument_name(parameter));
    let odd = odd.map(|odd| {
        format!(
            "{}: `{}` cannot be the name of an argument, so the template has no operation of its own; `plugin.templater.execute` runs it",
            template.path,
            line(&odd.name, NAME),
        )
    });
    problems.chain(odd).collect()
}

/// Whether clients accept the name in a schema.
fn has_argument_name(parameter: &Parameter) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let name = argument_name(&parameter.name);
    !name.is_empty() && name.len() <= NAME && name.chars().all(is_plain)
}

pub(super) fn template_operation(template: &Template) -> DynamicOperation {
    let id = format!("{OPERATION}{}", DynamicOperation::name_of(&template.name));
    let title = line(&template.name, TITLE);
    let summary = format!("Create a note from the template {title}.");
    let mut operation = DynamicOperation::new(id, summary, write_schema(template));
    let fails = template.problems.first().map(|problem| {
        format!(" It fails where it reaches line {}: {}.", problem.line, problem.message)
    });
    let description = format!(
        "Runs {} without Obsidian. Without `{PATH}`, or with `{DRY_RUN}`, it returns the text and writes nothing.{}",
        template.path,
        fails.unwrap_or_default(),
    );
    operation.description = Some(line(&description, DESCRIPTION));
    operation.effect = Some(Effect::Write);
    operation.open_world = Some(false);
    operation.asks = vec![
        format!("make a note from the template {title}"),
        format!("new {title}"),
        format!("fill in my {title} template"),
    ];
    operation.examples.push(write_example(template));
    operation
}

fn write_schema(template: &Template) -> Map<String, Value> {
    let mut properties: Map<_, _> = template
        .parameters
        .iter()
        .map(|parameter| (argument_name(&parameter.name), write_property(parameter)))
        .collect();
    let mut add = |name: &str, schema: Value| properties.insert(name.to_owned(), schema);
    add(PATH, json!({ "type": "string", "description": "The note to create." }));
    add(DRY_RUN, json!({ "type": "boolean", "description": "Write nothing." }));
    let required = template.parameters.iter().filter(|parameter| parameter.required);
    let required: Vec<_> = required.map(|parameter| argument_name(&parameter.name)).collect();
    Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties.into()),
        ("required".to_owned(), required.into()),
        ("additionalProperties".to_owned(), false.into()),
    ])
}

fn write_property(parameter: &Parameter) -> Value {
    let text = |choices: &Option<Vec<String>>| match choices {
        Some(texts) if !texts.is_empty() && texts.len() <= CHOICES => {
            json!({ "type": "string", "enum": deduplicate(texts) })
        }
        _ => json!({ "type": "string" }),
    };
    let mut schema = match &parameter.kind {
        ParameterKind::Text => json!({ "type": "string" }),
        ParameterKind::Choice(choices) => text(choices),
        ParameterKind::Choices(choices) => json!({ "type": "array", "items": text(choices) }),
    };
    if !parameter.description.is_empty() {
        schema["description"] = line(&parameter.description, DESCRIPTION).into();
    }
    if let Some(default) = &parameter.default {
        schema["default"] = default.clone().into();
    }
    schema
}

fn deduplicate(texts: &[String]) -> Vec<&str> {
    let mut unique: Vec<&str> = Vec::new();
    for text in texts {
        if !unique.contains(&text.as_str()) {
            unique.push(text);
        }
    }
    unique
}

/// Arguments that a call needs, and the note.
fn write_example(template: &Template) -> Map<String, Value> {
    let answer = |parameter: &Parameter| {
        let first = |choices: &Option<Vec<String>>| {
            let first = choices.as_ref().and_then(|choices| choices.first());
            Value::from(first.map_or(parameter.name.as_str(), String::as_str))
        };
        match &parameter.kind {
            ParameterKind::Text => parameter.name.as_str().into(),
            ParameterKind::Choice(choices) => first(choices),
            ParameterKind::Choices(choices) => vec![first(choices)].into(),
        }
    };
    let required = template.parameters.iter().filter(|parameter| parameter.required);
    let answers = required.map(|parameter| (argument_name(&parameter.name), answer(parameter)));
    answers.chain([(PATH.to_owned(), "Inbox/New note.md".into())]).collect()
}

/// The arguments of a call.
#[derive(Default)]
pub(super) struct Arguments {
    pub(super) answers: Map<String, Value>,
    pub(super) path: Option<String>,
    pub(super) dry_run: bool,
}

impl Arguments {
    /// Tells the template's arguments from those that each operation has.
    pub(super) fn split(arguments: Map<String, Value>) -> Self {
        let mut parsed = Self::default();
        for (name, value) in arguments {
            match (name.as_str(), value) {
                (PATH, Value::String(path)) => parsed.path = Some(path),
                (DRY_RUN, value) => parsed.dry_run = value == Value::Bool(true),
                (name, value) => {
                    parsed.answers.insert(parameter_name(name).to_owned(), value);
                }
            }
        }
        parsed
    }
}

/// A parameter's name in the schema: `path_` for a template's own `path`, and so on.
fn argument_name(name: &str) -> String {
    if is_reserved(name) { format!("{name}_") } else { name.to_owned() }
}

/// The name in the template of an argument of the schema.
fn parameter_name(shown: &str) -> &str {
    shown.strip_suffix('_').filter(|name| is_reserved(name)).unwrap_or(shown)
}

fn is_reserved(name: &str) -> bool {
    [PATH, DRY_RUN].contains(&name.trim_end_matches('_'))
}

/// The name of the template that an operation runs.
pub(super) fn find_template_name(
    vault: &Vault,
    operation: &str,
    cancelled: CancelCheck<'_>,
) -> Result<String> {
    let name = operation.strip_prefix(OPERATION).unwrap_or(operation);
    let templater = Templater::open(vault).map_err(template_fault)?;
    let mut all = templater.names(cancelled).map_err(template_fault)?.into_iter();
    Ok(all
        .find(|template| DynamicOperation::name_of(template) == name)
        .unwrap_or_else(|| name.to_owned()))
}
