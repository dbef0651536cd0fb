//! `[upstreams.NAME]`: the MCP servers of others.

use std::path::Path;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::DeValue;

use super::beside::beside;
use super::mistake::Mistake;
use super::providers::{json, resolve};
use toolwrit_gateway::upstreams::{MAX_NAME, UpstreamSettings, is_name};

/// Reads the tables of all upstreams from the file at `path`. Adds errors to `mistakes`.
pub(super) fn read(
    value: &Spanned<DeValue<'_>>,
    path: &Path,
    mistakes: &mut Vec<Mistake>,
) -> Vec<UpstreamSettings> {
    let DeValue::Table(upstreams) = value.get_ref() else {
        let what = "expected a table for each upstream, as in [upstreams.name]".to_owned();
        mistakes.push(Mistake { at: value.span(), what });
        return Vec::new();
    };
    let mut list = Vec::new();
    for (name, value) in upstreams {
        if !is_name(name.get_ref()) {
            let what = format!(
                "expected a name of small letters, digits, `-` and `_` that begins with a letter, of at most {MAX_NAME} \
                 characters"
            );
            mistakes.push(Mistake { at: name.span(), what });
            continue;
        }
        let (DeValue::Table(table), Some(Value::Object(mut settings))) =
            (value.get_ref(), json(value.get_ref()))
        else {
            let what = "expected a table with `command`, `url` or `json`".to_owned();
            mistakes.push(Mistake { at: value.span(), what });
            continue;
        };
        resolve_all(&mut settings, path);
        match UpstreamSettings::parse(name.get_ref(), &settings) {
            Ok(settings) => list.push(settings),
            Err(problems) => mistakes.extend(problems.into_iter().map(|problem| {
                let key = problem.key.as_deref();
                let keys =
                    table.iter().find(|(table_key, _)| Some(table_key.get_ref().as_ref()) == key);
                let at = keys.map_or_else(|| name.span(), |(_, value)| value.span());
                Mistake { at, what: problem.problem }
            })),
        }
    }
    list
}

/// Makes paths relative to the folder of the configuration file: the working directory, and files with secrets.
fn resolve_all(settings: &mut Map<String, Value>, path: &Path) {
    resolve(settings, path);
    for key in ["env", "headers", "login", "oauth"] {
        if let Some(Value::Object(values)) = settings.get_mut(key) {
            resolve(values, path);
        }
    }
    let tools = settings.get_mut("tools").and_then(Value::as_object_mut);
    for tool in tools.into_iter().flat_map(Map::values_mut) {
        let arguments = tool.get_mut("args").and_then(Value::as_object_mut);
        let arguments = arguments.into_iter().flat_map(Map::values_mut);
        arguments.filter_map(Value::as_object_mut).for_each(|argument| resolve(argument, path));
    }
    if let Some(Value::String(folder)) = settings.get_mut("cwd")
        && !folder.contains("${")
    {
        *folder = beside(path, folder).to_string_lossy().into_owned();
    }
}
