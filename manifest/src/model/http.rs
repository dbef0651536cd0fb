//! How providers and operations are bound to HTTP APIs.

use serde_json::Value;

/// Something that the operator says about a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// `[a-z][a-z0-9_]*`.
    pub name: String,
    /// The type of its value.
    pub ty: SettingType,
    /// It is a secret.
    pub sensitive: bool,
    /// Each account may have its own.
    pub per_account: bool,
    /// It may be missing.
    pub optional: bool,
    /// For operators.
    pub description: Option<String>,
    /// A valid value.
    pub example: Option<Value>,
}

/// The type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingType {
    /// A text.
    Text,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
}

impl SettingType {
    /// All of them.
    pub const ALL: [SettingType; 3] = [Self::Text, Self::Integer, Self::Boolean];

    /// The word used in the manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
        }
    }
}

/// A part of the manifest that binds a provider or an operation to an HTTP API.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpTable {
    /// As it is written in the manifest.
    pub written: Value,
    /// The table that the engine reads: the JSON of an `Api`, or of an `Operation`, of `toolwrit-bindings`.
    pub table: Value,
}
