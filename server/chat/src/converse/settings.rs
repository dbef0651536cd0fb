//! What the operator says about conversations: the tables `[models.NAME]` and `[chat]` of a configuration file.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use crate::conversation::Limits;
use crate::format::{Inert, OlderNames};
use crate::provider::{Dialect, Price};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use toolwrit_core::period::period;
use toolwrit_network::Network;

/// What the operator says about conversations.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ChatSettings {
    /// The models, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, ModelTable>,
    /// What holds for all of them.
    #[serde(skip_serializing_if = "ChatTable::is_empty")]
    pub chat: ChatTable,
}

/// `[models.NAME]`: a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelTable {
    /// The API, by its name: see [`Dialect`].
    #[serde(deserialize_with = "deserialize_dialect")]
    pub dialect: String,
    /// The name at the provider.
    pub model: String,
    /// Where the API is, if not at the provider's own address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Networks with private addresses at which it may be without TLS, such as `10.0.0.0/8`.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "serialize_networks",
        deserialize_with = "deserialize_networks"
    )]
    pub networks: Vec<Network>,
    /// The environment variable that has the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The most tokens of a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// The most tokens of a request with its response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// Whether the model thinks before it answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub thinks: bool,
    /// What a million tokens cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<PriceTable>,
    /// What is different for this model.
    #[serde(default, skip_serializing_if = "ChatTable::is_empty")]
    pub chat: ChatTable,
}

/// What a million tokens cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceTable {
    /// The price of requests.
    pub input: f64,
    /// The price of requests that the provider had in its cache; by default that of other requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// The price of responses.
    pub output: f64,
    /// The currency, such as `USD`.
    pub currency: String,
}

impl PriceTable {
    pub(crate) fn to_price(&self) -> Price {
        Price {
            input: self.input,
            cached: self.cached.unwrap_or(self.input),
            output: self.output,
            currency: self.currency.clone(),
        }
    }
}

/// `[chat]`, and the table `chat` of a model: what holds for conversations. What is not set is as for all models, or has its
/// default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChatTable {
    /// Whether there are conversations at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The model of notes that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The focus mode. Without one, nothing is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// The role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Selectors of the only operations that a model is offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Selectors of operations that may write without being asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// Responses with calls in a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Calls in a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
    /// Calls in a note; -1 for any number.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "deserialize_calls_per_note"
    )]
    pub calls_per_note: Option<i64>,
    /// Calls with the same arguments in a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identical_calls: Option<u32>,
    /// Reads that run together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_reads: Option<usize>,
    /// The time of a turn, such as `10m`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_period")]
    pub timeout: Option<String>,
    /// How long a model may be silent, such as `2m`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_period")]
    pub silence: Option<String>,
    /// How often a request is sent again to a model that has not said anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// Bytes of one result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_bytes: Option<usize>,
    /// Bytes of all results of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_bytes: Option<usize>,
    /// The folder of notes for results that are too long. Without one they are shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<String>,
    /// Whether links of the user's text are read, too, and its images shown to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<bool>,
    /// Further names of code blocks that plugins execute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executing: Option<Vec<String>>,
    /// Lines with which older plugins began what the user says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older_user: Option<Vec<String>>,
    /// Lines with which they began what the model says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older_assistant: Option<Vec<String>>,
    /// Lines with which they began instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older_system: Option<Vec<String>>,
    /// Lines after which the conversation started over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older_new_chat: Option<Vec<String>>,
}

impl ChatTable {
    /// Whether nothing is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// This table, completed with what it does not set.
    #[must_use]
    pub fn complete_with(self, other: &Self) -> Self {
        macro_rules! first {
            ($($field:ident),*) => { Self { $($field: self.$field.or_else(|| other.$field.clone())),* } };
        }
        first!(
            enabled,
            model,
            focus,
            role,
            tools,
            allow,
            rounds,
            calls,
            calls_per_note,
            identical_calls,
            parallel_reads,
            timeout,
            silence,
            retries,
            result_bytes,
            turn_bytes,
            results,
            links,
            executing,
            older_user,
            older_assistant,
            older_system,
            older_new_chat
        )
    }

    /// The limits of a turn.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let default = Limits::default();
        let time = |text: &Option<String>, default: Duration| {
            text.as_deref().and_then(|text| period(text).ok()).unwrap_or(default)
        };
        Limits {
            rounds: self.rounds.unwrap_or(default.rounds),
            calls: self.calls.unwrap_or(default.calls),
            calls_per_note: match self.calls_per_note {
                Some(number) => u32::try_from(number).ok(),
                None => default.calls_per_note,
            },
            identical: self.identical_calls.unwrap_or(default.identical),
            parallel_reads: self.parallel_reads.unwrap_or(default.parallel_reads),
            turn: time(&self.timeout, default.turn),
            silence: time(&self.silence, default.silence),
            retries: self.retries.unwrap_or(default.retries),
            result_bytes: self.result_bytes.unwrap_or(default.result_bytes),
            turn_bytes: self.turn_bytes.unwrap_or(default.turn_bytes),
            ..default
        }
    }

    pub(crate) fn inert(&self) -> Inert {
        let mut inert = Inert::default();
        inert.executing.extend(self.executing.iter().flatten().cloned());
        inert
    }

    /// The lines of older plugins that conversations understand: those which the operator names.
    pub(crate) fn older_names(&self) -> OlderNames {
        self.older_names_or(OlderNames::default())
    }

    /// The lines of older plugins in a note that is converted: those which the operator names, or else the known ones.
    #[must_use]
    pub fn convertible_names(&self) -> OlderNames {
        self.older_names_or(OlderNames::known_plugins())
    }

    fn older_names_or(&self, default: OlderNames) -> OlderNames {
        let or = |names: &Option<Vec<String>>, default| names.clone().unwrap_or(default);
        OlderNames {
            user: or(&self.older_user, default.user),
            assistant: or(&self.older_assistant, default.assistant),
            system: or(&self.older_system, default.system),
            new_chat: or(&self.older_new_chat, default.new_chat),
        }
    }
}

/// The JSON Schema of the tables, by name, for editors.
#[must_use]
pub fn schemas() -> [(&'static str, Value); 2] {
    let text = || json!({ "type": "string" });
    let number = || json!({ "type": "integer", "minimum": 0 });
    let texts = || json!({ "type": "array", "items": text() });
    let flag = || json!({ "type": "boolean" });
    let object = |properties: Value, required: Value, what: &str| {
        json!({
            "type": "object", "description": what, "properties": properties, "required": required,
            "additionalProperties": false,
        })
    };
    let chat = |what: &str| {
        let properties = json!({
            "enabled": flag(), "model": text(), "focus": text(), "role": text(), "tools": texts(), "allow": texts(),
            "rounds": number(), "calls": number(), "calls_per_note": { "type": "integer", "minimum": -1 },
            "identical_calls": number(), "parallel_reads": number(), "timeout": text(), "silence": text(),
            "retries": number(), "result_bytes": number(), "turn_bytes": number(), "results": text(), "links": flag(),
            "executing": texts(), "older_user": texts(), "older_assistant": texts(), "older_system": texts(),
            "older_new_chat": texts(),
        });
        object(properties, json!([]), what)
    };
    let cost = || json!({ "type": "number", "minimum": 0 });
    let price = object(
        json!({ "input": cost(), "cached": cost(), "output": cost(), "currency": text() }),
        json!(["input", "output", "currency"]),
        "What a million tokens cost.",
    );
    let model = object(
        json!({
            "dialect": { "enum": Dialect::ALL.map(Dialect::name) }, "model": text(), "base_url": text(), "networks": texts(),
            "key_env": text(), "max_tokens": number(), "context": number(), "thinks": flag(), "price": price, "chat": chat("What is different for this model."),
        }),
        json!(["dialect", "model"]),
        "A language model.",
    );
    let models = json!({
        "type": "object", "description": "Language models for conversations in notes, by name.",
        "additionalProperties": model,
    });
    [("chat", chat("What holds for conversations in notes.")), ("models", models)]
}

fn deserialize_checked<'de, D: Deserializer<'de>, T, E: Display>(
    deserializer: D,
    check: impl Fn(&str) -> Result<T, E>,
) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    check(&text).map_err(D::Error::custom)?;
    Ok(text)
}

fn deserialize_dialect<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserialize_checked(deserializer, Dialect::from_str)
}

fn deserialize_period<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    deserialize_checked(deserializer, period).map(Some)
}

fn deserialize_networks<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Network>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| text.parse().map_err(D::Error::custom)).collect()
}

fn serialize_networks<S: Serializer>(
    networks: &[Network],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(networks.iter().map(ToString::to_string))
}

fn deserialize_calls_per_note<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<i64>, D::Error> {
    let number = i64::deserialize(deserializer)?;
    if (-1..=i64::from(u32::MAX)).contains(&number) {
        Ok(Some(number))
    } else {
        Err(D::Error::custom("expected a number of calls, or -1 for any number"))
    }
}
