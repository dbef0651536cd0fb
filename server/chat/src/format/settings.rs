//! What the properties of a note say about its conversation. They choose among what the configuration allows, and narrow it.

use serde_json::{Map, Value};
use toolwrit_frontmatter::is_shallow;
use toolwrit_text::nearest;

use super::document::{Document, Mistake};
use super::lines::lines;
use super::run_block::MAX_DEPTH;

/// The settings in the properties of a note. Each can only narrow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteSettings {
    /// `chat-model`: a model of the configuration.
    pub model: Option<String>,
    /// `chat-tools`: selectors of tools; `None` leaves all.
    pub tools: Option<Vec<String>>,
    /// `chat-read-only`: whether only tools that read are offered.
    pub read_only: bool,
    /// `chat-enabled`: whether the note may be a conversation.
    pub disabled: bool,
    /// `chat-calls`: the number of calls in a turn.
    pub calls: Option<u32>,
    /// `chat-rounds`: the number of rounds in a turn.
    pub rounds: Option<u32>,
}

const KEYS: [&str; 6] = [
    "chat-model",
    NoteSettings::TOOLS,
    "chat-read-only",
    "chat-enabled",
    "chat-calls",
    "chat-rounds",
];

/// Keys with which other programs let a note say where a key is sent.
const ADDRESSES: [&str; 9] = [
    "openaiUrl",
    "openRouterUrl",
    "ollamaUrl",
    "lmstudioUrl",
    "anthropicUrl",
    "geminiUrl",
    "openaiApiKey",
    "anthropicApiKey",
    "apiKey",
];

impl NoteSettings {
    /// The key of the selectors.
    pub(crate) const TOOLS: &str = "chat-tools";

    pub(crate) fn mistake(document: &Document<'_>, key: &str, message: &str) -> Mistake {
        let yaml = document.properties().unwrap_or_default();
        Mistake { line: line_of(yaml, key), message: format!("`{key}`: {message}") }
    }

    /// Reads the settings of a note.
    ///
    /// # Errors
    /// Returns every key that is unknown, has a wrong value, or would hold an address or a key.
    pub fn read(document: &Document<'_>) -> Result<Self, Vec<Mistake>> {
        let Some(yaml) = document.properties() else { return Ok(Self::default()) };
        let relevant = |key: &str| yaml.contains(key);
        if !relevant("chat-") && !ADDRESSES.iter().any(|key| relevant(key)) {
            return Ok(Self::default());
        }
        let invalid = |line: usize| {
            let message = "the properties are not valid YAML, so that `chat-` settings cannot be read. Correct them.";
            vec![Mistake { line, message: message.to_owned() }]
        };
        if !is_shallow(yaml, MAX_DEPTH) {
            return Err(invalid(1));
        }
        let fields: Map<String, Value> = serde_yaml::from_str(yaml)
            .map_err(|error| invalid(error.location().map_or(1, |place| place.line() + 1)))?;
        let mut settings = Self::default();
        let mut mistakes = Vec::new();
        for (key, value) in &fields {
            if let Err(message) = settings.set(key, value) {
                mistakes.push(Mistake { line: line_of(yaml, key), message });
            }
        }
        if mistakes.is_empty() { Ok(settings) } else { Err(mistakes) }
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), String> {
        if ADDRESSES.contains(&key) {
            return Err(format!(
                "`{key}` is not read: addresses and keys of models stand in the configuration, outside of notes. Remove it."
            ));
        }
        let expected = |what: &str| format!("`{key}` expects {what}, and is {value}.");
        match key {
            "chat-model" => {
                let name = value
                    .as_str()
                    .filter(|name| !name.is_empty())
                    .ok_or_else(|| expected("the name of a model in the configuration"))?;
                if name.contains("://") {
                    return Err(format!(
                        "`{key}` is the name of a model in the configuration, not an address. Configure the model there."
                    ));
                }
                self.model = Some(name.to_owned());
            }
            Self::TOOLS => {
                self.tools = Some(
                    parse_selectors(value)
                        .ok_or_else(|| expected("selectors of tools, such as [vault.*]"))?,
                );
            }
            "chat-read-only" => {
                self.read_only = value.as_bool().ok_or_else(|| expected("true or false"))?;
            }
            "chat-enabled" => {
                self.disabled = !value.as_bool().ok_or_else(|| expected("true or false"))?;
            }
            "chat-calls" => self.calls = Some(to_count(value).ok_or_else(|| expected("a number"))?),
            "chat-rounds" => {
                self.rounds = Some(to_count(value).ok_or_else(|| expected("a number"))?);
            }
            _ if key.starts_with("chat-") => return Err(explain_unknown_key(key)),
            _ => {}
        }
        Ok(())
    }
}

fn parse_selectors(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(one) => {
            Some(one.split([',', ' ']).filter(|part| !part.is_empty()).map(str::to_owned).collect())
        }
        Value::Array(all) => all.iter().map(|one| one.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

fn to_count(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn explain_unknown_key(key: &str) -> String {
    if ["url", "key", "base", "token", "header"].iter().any(|word| key.contains(word)) {
        return format!(
            "`{key}` is not read: addresses and keys of models stand in the configuration, outside of notes. Remove it."
        );
    }
    let meant = match nearest::nearest(key, KEYS.iter().copied()) {
        Some(meant) => format!(" Did you mean `{meant}`?"),
        None => String::new(),
    };
    format!("`{key}` is not a setting.{meant} The settings are {}.", KEYS.join(", "))
}

/// The line of a key; the properties begin at line 2.
fn line_of(yaml: &str, key: &str) -> usize {
    lines(yaml)
        .find(|line| line.text.trim_start_matches(['"', '\'']).starts_with(key))
        .map_or(1, |line| line.number + 1)
}
