//! `[upstreams.NAME.tools.TOOL]`: what the operator says about one tool.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};
use toolwrit_bindings::SecretSource;
use toolwrit_core::authority::Effect;
use toolwrit_text::nearest;

use super::values::{asks, duration, effect};

const KEYS: [&str; 11] = [
    "args",
    "asks",
    "cache",
    "confirm",
    "description",
    "effect",
    "hide",
    "idempotent",
    "name",
    "select",
    "timeout",
];
const ARGUMENT_KEYS: [&str; 6] = ["default", "description", "fixed", "hide", "name", "required"];
/// Characters of the longest name.
const MAX_NAME: usize = 64;

/// What the operator says about a tool.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own in the configuration")]
pub(crate) struct ToolSettings {
    /// The key that says it, if that is not `tools`.
    pub(crate) key: Option<&'static str>,
    /// The name of its operation, if it is not that of the tool.
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    /// Whether it is no operation.
    pub(crate) hide: bool,
    pub(crate) effect: Option<Effect>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) cache: Option<Duration>,
    pub(crate) idempotent: bool,
    pub(crate) select: bool,
    pub(crate) confirm: bool,
    /// How users may ask for it.
    pub(crate) asks: Option<Vec<String>>,
    pub(crate) arguments: BTreeMap<String, ArgumentSettings>,
}

/// What the operator says about an argument.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArgumentSettings {
    /// The name that callers see.
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) required: bool,
    /// Whether callers do not see it.
    pub(crate) hide: bool,
    /// What is sent if callers give nothing.
    pub(crate) default: Option<Value>,
    /// What is always sent.
    pub(crate) fixed: Option<Fixed>,
}

/// What is always sent as an argument.
#[derive(Debug, Clone)]
pub(crate) enum Fixed {
    Value(Value),
    Secret(SecretSource),
}

impl ArgumentSettings {
    /// Whether callers see it.
    pub(crate) fn is_shown(&self) -> bool {
        !self.hide && self.fixed.is_none()
    }
}

/// Reads the tables of all tools.
///
/// # Errors
/// All problems, each with the way to its place.
pub(super) fn read(
    tables: &Map<String, Value>,
) -> Result<BTreeMap<String, ToolSettings>, Vec<String>> {
    let mut problems = Vec::new();
    let mut tools = BTreeMap::new();
    for (tool, table) in tables {
        let Value::Object(table) = table else {
            problems.push(format!("{tool}: expected a table with {}", KEYS.join(", ")));
            continue;
        };
        let mut found = Vec::new();
        tools.insert(tool.clone(), read_tool(table, &mut found));
        problems.extend(found.into_iter().map(|problem| format!("{tool}.{problem}")));
    }
    let names = tools.iter().map(|(tool, settings)| (tool, settings.name.as_ref()));
    problems.extend(taken(names).map(|problem| format!("{problem} tool")));
    if problems.is_empty() { Ok(tools) } else { Err(problems) }
}

/// Says which new names others have, new ones or old ones.
fn taken<'a>(
    names: impl Iterator<Item = (&'a String, Option<&'a String>)> + Clone,
) -> impl Iterator<Item = String> {
    names.clone().filter_map(move |(own, new)| {
        let new = new?;
        let mut others = names.clone().filter(|(other, _)| *other != own);
        let is_taken = others.any(|(other, renamed)| other == new || renamed == Some(new));
        is_taken.then(|| format!("{own}.name: `{new}` is the name of another"))
    })
}

fn read_tool(table: &Map<String, Value>, problems: &mut Vec<String>) -> ToolSettings {
    let mut settings = ToolSettings::default();
    for (key, value) in table {
        let mut wrong = |what: String| problems.push(format!("{key}: {what}"));
        match key.as_str() {
            "name" => settings.name = keep(name(value), &mut wrong),
            "description" => settings.description = keep(text(value), &mut wrong),
            "hide" => settings.hide = keep(flag(value), &mut wrong).unwrap_or_default(),
            "effect" => settings.effect = keep(effect(value), &mut wrong),
            "timeout" => settings.timeout = keep(duration(value), &mut wrong),
            "cache" => settings.cache = keep(duration(value), &mut wrong),
            "idempotent" => settings.idempotent = keep(flag(value), &mut wrong).unwrap_or_default(),
            "select" => settings.select = keep(flag(value), &mut wrong).unwrap_or_default(),
            "confirm" => match keep(flag(value), &mut wrong) {
                Some(false) => wrong("expected true; what destroys is always confirmed".to_owned()),
                confirm => settings.confirm = confirm.unwrap_or_default(),
            },
            "asks" => settings.asks = keep(asks(value), &mut wrong),
            "args" => settings.arguments = read_arguments(value, problems),
            other => problems.push(unknown(other, &KEYS)),
        }
    }
    settings
}

fn read_arguments(value: &Value, problems: &mut Vec<String>) -> BTreeMap<String, ArgumentSettings> {
    let Value::Object(tables) = value else {
        problems.push("args: expected a table by the names of arguments".to_owned());
        return BTreeMap::new();
    };
    let mut arguments = BTreeMap::new();
    for (argument, table) in tables {
        let Value::Object(table) = table else {
            let keys = ARGUMENT_KEYS.join(", ");
            problems.push(format!("args.{argument}: expected a table with {keys}"));
            continue;
        };
        let mut found = Vec::new();
        arguments.insert(argument.clone(), read_argument(table, &mut found));
        problems.extend(found.into_iter().map(|problem| format!("args.{argument}{problem}")));
    }
    let names = arguments.iter().map(|(name, settings)| (name, settings.name.as_ref()));
    problems.extend(taken(names).map(|problem| format!("args.{problem} argument")));
    arguments
}

fn read_argument(table: &Map<String, Value>, problems: &mut Vec<String>) -> ArgumentSettings {
    let mut settings = ArgumentSettings::default();
    for (key, value) in table {
        let mut wrong = |what: String| problems.push(format!(".{key}: {what}"));
        match key.as_str() {
            "name" => settings.name = keep(name(value), &mut wrong),
            "description" => settings.description = keep(text(value), &mut wrong),
            "required" => settings.required = keep(flag(value), &mut wrong).unwrap_or_default(),
            "hide" => settings.hide = keep(flag(value), &mut wrong).unwrap_or_default(),
            "default" => settings.default = Some(value.clone()),
            "fixed" => {
                let secret = SecretSource::parse(value).map(Fixed::Secret);
                settings.fixed = Some(secret.unwrap_or_else(|| Fixed::Value(value.clone())));
            }
            other => problems.push(format!(".{}", unknown(other, &ARGUMENT_KEYS))),
        }
    }
    let is_described =
        settings.name.is_some() || settings.description.is_some() || settings.required;
    if !settings.is_shown() && is_described {
        let what = ": is not shown, so that `name`, `description` and `required` say nothing";
        problems.push(what.to_owned());
    }
    if settings.fixed.is_some() && settings.default.is_some() {
        problems.push(": has both `fixed` and `default`; expected one of them".to_owned());
    }
    if settings.required && settings.default.is_some() {
        problems.push(": has both `required` and `default`; expected one of them".to_owned());
    }
    settings
}

/// Keeps what can be read, and says what is wrong with the rest.
fn keep<T>(read: Result<T, String>, wrong: &mut dyn FnMut(String)) -> Option<T> {
    read.map_err(wrong).ok()
}

fn flag(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| "expected true or false".to_owned())
}

fn text(value: &Value) -> Result<String, String> {
    let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| "expected a text".to_owned())
}

fn name(value: &Value) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let text = value
        .as_str()
        .filter(|text| !text.is_empty() && text.len() <= MAX_NAME && text.chars().all(is_plain));
    text.map(str::to_owned).ok_or_else(|| {
        format!(
            "expected a name of letters, digits, `-`, `_` and `.`, of at most {MAX_NAME} characters"
        )
    })
}

fn unknown(key: &str, keys: &[&str]) -> String {
    match nearest::closest(key, keys.iter().copied()).first() {
        Some(close) => format!("{key}: unknown key; did you mean `{close}`?"),
        None => format!("{key}: unknown key; expected one of: {}", keys.join(", ")),
    }
}
