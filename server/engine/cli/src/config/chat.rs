//! `[models.NAME]` and `[chat]`: language models, and conversations with them.

use toml::Spanned;
use toml::de::DeValue;

use super::deserialized::parsed;
use super::mistake::Mistake;
use toolwrit_chat::converse::settings::ChatSettings;

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

/// The tables as TOML; empty if there are none.
///
/// # Errors
/// If they cannot be written as TOML.
pub(super) fn to_toml(settings: &ChatSettings) -> Result<String, toml::ser::Error> {
    let text = toml::to_string(settings)?;
    Ok(if text.is_empty() { text } else { format!("\n{text}") })
}
