//! What operations may change.

/// What an operation may change. A stronger effect is greater than a weaker one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Effect {
    /// It only reads.
    Read,
    /// It may add or change data.
    Write,
    /// It may remove data.
    Destroy,
}

impl Effect {
    /// All effects, weakest first.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Destroy];

    /// Returns the name in manifests and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destroy => "destroy",
        }
    }

    /// Returns the verb in the names of split tools: `vault_delete`, `execute_delete`.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destroy => "delete",
        }
    }
}
