//! How operations are bound to providers.

use serde_json::Value;

/// Something that the operator says about a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// `[a-z][a-z0-9_]*`.
    pub name: String,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingType {
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

/// What an operation may be bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingKind {
    /// Requests to an HTTP API.
    Http,
    /// Commands of the server's machine.
    Command,
    /// Tools of another MCP server.
    Mcp,
}

impl BindingKind {
    /// The key in the manifest, which is the tag of the table, too.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Command => "command",
            Self::Mcp => "mcp",
        }
    }
}

/// A part of the manifest that says how a provider is reached, or how an operation is bound to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    /// What it is bound to.
    pub kind: BindingKind,
    /// As it is written in the manifest.
    pub written: Value,
    /// The table that the engine reads: the JSON of a `ProviderTable`, or of an `OperationTable`, of
    /// `toolwrit-bindings`.
    pub table: Value,
}
