//! `[models.NAME]` and `[chat]`: language models, and conversations with them.

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use super::mistake::Mistake;
use toolwrit_converse::settings::ChatSettings;

/// The table of models.
const MODELS: &str = "models";
/// The table of what holds for conversations.
const CHAT: &str = "chat";

/// Reads one of these tables. Returns whether the name is that of one. Adds errors to `mistakes`.
pub(super) fn read(
    name: &str,
    value: &Spanned<DeValue<'_>>,
    settings: &mut ChatSettings,
    mistakes: &mut Vec<Mistake>,
) -> bool {
    match (name, value.get_ref()) {
        (CHAT, _) => {
            if let Some(chat) = parsed(value, mistakes) {
                settings.chat = chat;
            }
        }
        (MODELS, DeValue::Table(models)) => {
            for (name, value) in models {
                if let Some(model) = parsed(value, mistakes) {
                    settings.models.insert(name.get_ref().to_string(), model);
                }
            }
        }
        (MODELS, _) => {
            let what = "expected a table for each model, as in [models.writer]".to_owned();
            mistakes.push(Mistake { at: value.span(), what });
        }
        _ => return false,
    }
    true
}

fn parsed<T: for<'de> Deserialize<'de>>(
    value: &Spanned<DeValue<'_>>,
    mistakes: &mut Vec<Mistake>,
) -> Option<T> {
    let parsed = T::deserialize(ValueDeserializer::from(value.clone()));
    let wrong = |error: toml::de::Error| Mistake {
        at: error.span().unwrap_or_else(|| value.span()),
        what: error.message().to_owned(),
    };
    parsed.map_err(|error| mistakes.push(wrong(error))).ok()
}

/// The tables as TOML.
pub(super) fn to_toml(settings: &ChatSettings) -> Option<String> {
    let text = toml::to_string(settings).ok().filter(|text| !text.is_empty())?;
    Some(format!("\n{text}"))
}
