//! What the operator says about providers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::check::names::optional::split_optional;
use crate::check::names::spelling::{self, Style};
use crate::check::text;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{Setting, SettingType};
use crate::raw::{Entries, Entry, RawLongSetting, RawManifest, RawSetting};
use crate::yaml::Text;

/// Lowers the settings of a provider.
pub(super) fn settings(raw: &Entries<RawSetting>, report: &mut Report) -> Vec<Setting> {
    raw.0.iter().map(|Entry { key, value }| setting(key, &value.0, report)).collect()
}

/// Reports settings of two providers that the same variable of the environment would set.
pub(super) fn share_no_variable(raw: &RawManifest, report: &mut Report) {
    let mut owners = BTreeMap::new();
    for provider in &raw.providers {
        let id = &provider.key.value;
        for Entry { key, .. } in provider.value.settings.iter().flat_map(|raw| &raw.keys.0) {
            let (name, _) = split_optional(&key.value);
            let variable = format!("TOOLWRIT_{id}_{name}").replace(['-', '.'], "_");
            let variable = variable.to_ascii_uppercase();
            let other =
                owners.insert(variable.clone(), (id, name)).filter(|(other, _)| *other != id);
            if let Some((other, setting)) = other {
                let message =
                    format!("`{variable}` also sets the setting `{setting}` of `{other}`");
                report.push(Problem::error(key.place, message).help("choose another name"));
            }
        }
    }
}

fn setting(key: &Text, raw: &RawLongSetting, report: &mut Report) -> Setting {
    let (name, optional) = split_optional(&key.value);
    if ["accounts", "networks", "ca", "elicitation"].contains(&name) {
        let message = format!("`{name}` is a setting of the engine");
        report.push(Problem::error(key.place, message).help("choose another name"));
    }
    let sensitive = raw.sensitive.as_ref().is_some_and(|flag| flag.value);
    let ty = raw.r#type.as_ref().and_then(|word| setting_type(word, report));
    let ty = ty.unwrap_or(SettingType::Text);
    if let (true, Some(word)) = (sensitive && ty != SettingType::Text, &raw.r#type) {
        report.push(Problem::error(word.place, "a secret is a text").expected("`string`"));
    }
    if let Some(example) = raw.example.as_ref().filter(|example| {
        sensitive
            || match ty {
                SettingType::Text => !example.value.is_string(),
                SettingType::Integer => !example.value.is_i64(),
                SettingType::Boolean => !example.value.is_boolean(),
            }
    }) {
        let what =
            if sensitive { "a secret has no example" } else { "the example does not fit the type" };
        report.push(Problem::error(example.place, what));
    }
    Setting {
        name: spelling::name("setting", name, key.place, Style::Snake, report),
        ty,
        sensitive,
        per_account: raw.per.as_ref().is_some_and(|per| is_account(per, report)),
        optional,
        description: text::description(raw.description.as_ref(), report),
        example: raw.example.as_ref().map(|example| example.value.clone()),
    }
}

fn setting_type(word: &Text, report: &mut Report) -> Option<SettingType> {
    let known = SettingType::ALL.map(SettingType::as_str);
    let ty = SettingType::ALL.into_iter().find(|ty| ty.as_str() == word.value);
    if ty.is_none() {
        let message = format!("unknown type of a setting `{}`", word.value);
        report.unknown_word(word.place, message, &word.value, &known);
    }
    ty
}

fn is_account(per: &Text, report: &mut Report) -> bool {
    if per.value != "account" {
        let message = format!("unknown owner of settings `{}`", per.value);
        report.unknown_word(per.place, message, &per.value, &["account"]);
    }
    per.value == "account"
}

pub(super) fn table(settings: &[Setting]) -> Value {
    settings.iter().map(setting_table).collect()
}

fn setting_table(setting: &Setting) -> Value {
    let ty = match setting.ty {
        SettingType::Text => "text",
        SettingType::Integer => "integer",
        SettingType::Boolean => "boolean",
    };
    json!({
        "name": setting.name,
        "ty": ty,
        "sensitive": setting.sensitive,
        "per_account": setting.per_account,
        "optional": setting.optional,
    })
}

/// The settings that a provider declares.
pub(super) struct Settings<'a>(pub(super) &'a [Setting]);

impl<'a> Settings<'a> {
    /// Finds a setting; `None` if there is none, which is reported.
    pub(super) fn find(
        &self,
        name: &str,
        place: Place,
        report: &mut Report,
    ) -> Option<&'a Setting> {
        let found = self.0.iter().find(|setting| setting.name == name);
        if found.is_none() {
            let known = self.0.iter().map(|setting| setting.name.as_str());
            report.unknown_reference(place, "setting", name, known);
        }
        found
    }
}
