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
    audit_days: Option<std::num::NonZeroU32>,
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
        serializer.collect_str(&self.0)
    }
}

/// A number of connections: one renews the lease, and at least one is for calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u16")]
struct Connections(u16);

impl TryFrom<u16> for Connections {
    type Error = String;

    fn try_from(number: u16) -> Result<Self, String> {
        if number >= 2 {
            Ok(Self(number))
        } else {
            Err("expected at least 2 connections".to_owned())
        }
    }
}

/// A share, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64")]
struct Share(f64);

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(share: f64) -> Result<Self, String> {
        if (0.0..=1.0).contains(&share) {
            Ok(Self(share))
        } else {
            Err("expected a number from 0 to 1".to_owned())
        }
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
            settings.audit_days = days.get();
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
