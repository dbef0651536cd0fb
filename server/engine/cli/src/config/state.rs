//! `[state]`: how a replica uses the database that `--state` names.

use serde::{Deserialize, Serialize};
#[cfg(feature = "authoring")]
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeValue;

use super::deserialized::parsed;
use super::mistake::Mistake;
use toolwrit_postgres::{Address, AuditMode, Settings};

/// The table. Not a flag, because the address is a secret, which a file should not have.
pub(super) const STATE: &str = "state";

/// What the table says.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct StateTable {
    /// The database itself, if the address is that of a pooler that does not pass notices on.
    #[serde(skip_serializing_if = "Option::is_none")]
    direct: Option<Direct>,
    /// The most connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pool: Option<Connections>,
    /// What happens if calls cannot be recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<Audit>,
    /// The days for which calls are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_days: Option<Days>,
    /// The share of successful reads that is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    sample_reads: Option<Share>,
    /// For tests of two versions side by side: the newest schema that this program supports.
    #[serde(skip_serializing)]
    newest_schema: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Audit {
    Buffered,
    Required,
}

/// An address that is shown without its password.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
struct Direct(Address);

impl TryFrom<String> for Direct {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Address::parse(&text).map(Self).map_err(|error| error.to_string())
    }
}

impl Serialize for Direct {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.without_password())
    }
}

/// A number of connections: one renews the lease, and at least one is for calls.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "toml::Value")]
struct Connections(u16);

impl TryFrom<toml::Value> for Connections {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, &'static str> {
        let number = value.as_integer().and_then(|number| u16::try_from(number).ok());
        number.filter(|number| *number >= 2).map(Self).ok_or("expected at least 2 connections")
    }
}

/// A number of days.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "toml::Value")]
struct Days(u32);

impl TryFrom<toml::Value> for Days {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, &'static str> {
        let days = value.as_integer().and_then(|days| u32::try_from(days).ok());
        days.filter(|days| *days >= 1).map(Self).ok_or("expected at least 1 day")
    }
}

/// A share, from 0 to 1.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "toml::Value")]
struct Share(f64);

impl TryFrom<toml::Value> for Share {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, &'static str> {
        // Numbers without a fraction are integers, and only these two are a share.
        let whole = value.as_integer().and_then(|number| match number {
            0 => Some(0.0),
            1 => Some(1.0),
            _ => None,
        });
        let share = value.as_float().or(whole).filter(|share| (0.0..=1.0).contains(share));
        share.map(Self).ok_or("expected a number from 0 to 1")
    }
}

/// Reads the table. Adds errors to `mistakes`.
pub(super) fn read(value: &Spanned<DeValue<'_>>, mistakes: &mut Vec<Mistake>) -> StateTable {
    if matches!(value.get_ref(), DeValue::Table(_)) {
        return parsed(value, mistakes).unwrap_or_default();
    }
    let what = "expected the table [state]; the address of the database is a secret, so that it is given as the variable \
                TOOLWRIT_STATE or with --state";
    mistakes.push(Mistake { at: value.span(), what: what.to_owned() });
    StateTable::default()
}

impl StateTable {
    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { direct, pool, audit, audit_days, sample_reads, newest_schema } = self;
        let numbers = [pool.is_none(), audit_days.is_none(), sample_reads.is_none()];
        let others = [direct.is_none(), audit.is_none(), newest_schema.is_none()];
        numbers.into_iter().chain(others).all(|is_missing| is_missing)
    }

    /// Returns the settings of a replica of this name.
    pub(crate) fn settings(&self, address: Address, replica: Option<String>) -> Settings {
        let mut settings = Settings::new(address);
        settings.direct = self.direct.as_ref().map(|direct| direct.0.clone());
        if let Some(replica) = replica {
            settings.replica = replica;
        }
        if let Some(Connections(pool)) = self.pool {
            settings.pool = pool.into();
        }
        if let Some(audit) = self.audit {
            settings.audit = match audit {
                Audit::Buffered => AuditMode::Buffered,
                Audit::Required => AuditMode::Required,
            };
        }
        if let Some(days) = self.audit_days {
            settings.audit_days = days.0;
        }
        if let Some(Share(share)) = self.sample_reads {
            settings.sample_reads = share;
        }
        if let Some(newest) = self.newest_schema {
            settings.schemas = *settings.schemas.start()..=newest;
        }
        settings
    }

    /// The table as TOML; empty if nothing is set.
    ///
    /// # Errors
    /// If it cannot be written as TOML.
    pub(super) fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let text = toml::to_string(self)?;
        Ok(if text.is_empty() { text } else { format!("\n[{STATE}]\n{text}") })
    }

    /// The JSON Schema of the table.
    #[cfg(feature = "authoring")]
    pub(super) fn schema() -> Value {
        json!({
            "type": "object",
            "description": "How a replica uses the database that --state names.",
            "properties": {
                "direct": {
                    "type": "string",
                    "description": "Address of the database itself, if --state names a pooler that does not pass notices on.",
                },
                "pool": {"type": "integer", "minimum": 2, "description": "The most connections; 4 by default."},
                "audit": {
                    "enum": ["buffered", "required"],
                    "description": "Whether calls go on if they cannot be recorded, or writes wait for their record.",
                },
                "audit_days": {"type": "integer", "minimum": 1, "description": "Days for which calls are kept; 90 by default."},
                "sample_reads": {
                    "type": "number", "minimum": 0, "maximum": 1,
                    "description": "Share of successful reads that is recorded; 1 by default.",
                },
            },
            "additionalProperties": false,
        })
    }
}
