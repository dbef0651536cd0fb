//! The operations that the engine carries out itself. A manifest binds them with `builtin`.

use crate::Effect;

/// An operation that the engine carries out itself. It has its own parameters, result and effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Builtin {
    /// Describes the server, and what the caller may do.
    Introspect,
    /// Lists the roles.
    ListRoles,
    /// Describes a role, and how to call under it.
    LoadRole,
    /// Lists the cookbooks.
    ListCookbooks,
    /// Reads a cookbook.
    GetCookbook,
    /// Runs several reads at once.
    BatchGet,
    /// Counts calls, and what listings cost.
    Metrics,
    /// Restores the application's sample data.
    SeedTestData,
}

impl Builtin {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Introspect,
        Self::ListRoles,
        Self::LoadRole,
        Self::ListCookbooks,
        Self::GetCookbook,
        Self::BatchGet,
        Self::Metrics,
        Self::SeedTestData,
    ];

    /// The most calls of a [`Self::BatchGet`].
    pub const MOST_CALLS: u64 = 20;

    /// Returns the name in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Introspect => "introspect",
            Self::ListRoles => "list_roles",
            Self::LoadRole => "load_role",
            Self::ListCookbooks => "list_cookbooks",
            Self::GetCookbook => "get_cookbook",
            Self::BatchGet => "batch_get",
            Self::Metrics => "metrics",
            Self::SeedTestData => "seed_test_data",
        }
    }

    /// What it may change.
    pub fn effect(self) -> Effect {
        if self == Self::SeedTestData { Effect::Write } else { Effect::Read }
    }
}
