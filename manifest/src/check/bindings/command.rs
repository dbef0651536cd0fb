//! Providers whose operations are commands of the server's machine, and these operations.

use serde_json::{Value, json};

use super::effect_word;
use super::result::NamedShapes;
use super::rules;
use super::scope::Scope;
use super::settings::{self, Settings};
use super::template::entry;
use super::words;
use crate::check::names::optional::split_optional;
use crate::diagnostics::{Problem, Report};
use crate::model::{
    BindingKind, Model, Operation, OperationId, ProviderId, Returns, Setting, SettingType, Shape,
};
use crate::raw::{Entries, Entry, RawCommand, RawCommands, RawOperation, Written};
use crate::yaml::Text;

/// Lowers a provider.
pub(super) fn provider(
    name: &str,
    raw: &RawCommands,
    declared: &[Setting],
    report: &mut Report,
) -> Value {
    let settings = Settings(declared);
    let folder = raw.folder.as_ref().and_then(|text| folder(&settings, text, report));
    let variables = variables(&settings, raw.environment.as_ref(), report);
    json!({
        "name": name,
        "settings": settings::table(declared),
        "folder": folder,
        "environment": variables,
    })
}

/// An absolute path, or the setting with one.
pub(super) fn folder(settings: &Settings<'_>, text: &Text, report: &mut Report) -> Option<Value> {
    if let Some(name) = text.value.strip_prefix('$') {
        let setting = settings.find(name, text.place, report)?;
        if setting.ty != SettingType::Text || setting.sensitive || setting.optional {
            report.push(
                Problem::error(text.place, format!("the setting `{name}` is not a folder"))
                    .expected("a required setting of the type `string` that is no secret"),
            );
        }
        return Some(json!({ "setting": name }));
    }
    if !words::is_absolute(&text.value) {
        report.push(
            Problem::error(text.place, format!("`{}` is not an absolute path", text.value))
                .expected("an absolute path, or `$setting`"),
        );
    }
    Some(json!({ "text": text.value }))
}

/// The variables of an environment.
pub(super) fn variables(
    settings: &Settings<'_>,
    raw: Option<&Entries<Option<Text>>>,
    report: &mut Report,
) -> Vec<Value> {
    let variables = raw.into_iter().flat_map(|variables| &variables.0);
    let variables = variables
        .filter_map(|Entry { key, value }| variable(settings, key, value.as_ref()?, report));
    variables.collect()
}

fn variable(
    settings: &Settings<'_>,
    key: &Text,
    text: &Text,
    report: &mut Report,
) -> Option<Value> {
    let (name, _) = split_optional(&key.value);
    let is_name = !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.is_empty() || !is_name {
        report.push(
            Problem::error(key.place, format!("`{name}` is not the name of a variable"))
                .expected("letters, digits and `_`"),
        );
    }
    setting_or_text(settings, key, text, "the name of the variable", report)
}

/// An entry whose value is a text, or `$` and the name of a setting, also of a secret.
pub(super) fn setting_or_text(
    settings: &Settings<'_>,
    key: &Text,
    text: &Text,
    what: &str,
    report: &mut Report,
) -> Option<Value> {
    let (name, is_optional) = split_optional(&key.value);
    let value = match text.value.strip_prefix('$') {
        Some(literal) if literal.starts_with('$') => json!({ "text": literal }),
        Some(setting) => {
            let found = settings.find(setting, text.place, report)?;
            if found.optional && !is_optional {
                report.push(
                    Problem::error(text.place, format!("the setting `{setting}` may be missing"))
                        .help(format!("end {what} with `?`, which leaves it out then")),
                );
            }
            json!({ "setting": setting })
        }
        None => json!({ "text": text.value }),
    };
    Some(entry(name, is_optional, &value))
}

/// Lowers a command.
pub(super) fn operation(
    raw: &RawOperation,
    written: &Written<RawCommand>,
    (model, id, provider): (&Model, OperationId, ProviderId),
    report: &mut Report,
) -> Value {
    let before = report.errors();
    let (operation, command) = (&model[id], &written.keys);
    let mut scope = Scope::of_command(model, &operation.params, &model[provider].settings);
    let mut words = words::words(&mut scope, command.run.as_deref(), written.place, report);
    if operation.page.is_some() {
        report.push(
            Problem::error(written.place, "a command has no pages")
                .help("remove `page`, and limit what the command writes"),
        );
    }
    let result = result(&mut scope, operation, command, report);
    // An error above may be the reason, also one of `run`.
    if report.errors() == before && !words.is_empty() {
        rules::unused(raw, &scope, BindingKind::Command, report);
    }
    let program = if words.is_empty() { Value::Null } else { words.remove(0) };
    json!({
        "id": operation.id,
        "effect": effect_word(operation),
        "program": program,
        "words": words,
        "result": result,
    })
}

/// Lowers the result. A text is the output, and everything else its JSON, unless the manifest says where it is.
fn result(
    scope: &mut Scope<'_>,
    operation: &Operation,
    command: &RawCommand,
    report: &mut Report,
) -> Option<Value> {
    let is_text = match &operation.returns {
        Returns::Value(shape) => matches!(scope.model.resolve(shape), Shape::String { .. }),
        _ => true,
    };
    if is_text && command.result.is_none() {
        return Some(json!({ "read": "text", "shape": "text" }));
    }
    NamedShapes(Vec::new()).result(scope, operation, command.result.as_ref(), report)
}
