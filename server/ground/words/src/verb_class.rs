//! Classes of verbs.

/// What a verb asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum VerbClass {
    /// To take a change back.
    Restore,
    /// To remove something.
    Delete,
    /// To add something.
    Create,
    /// To change something.
    Update,
    /// To see something.
    Read,
}

impl VerbClass {
    /// All classes.
    pub const ALL: [Self; 5] =
        [Self::Restore, Self::Delete, Self::Create, Self::Update, Self::Read];

    /// Returns the name in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Restore => "restore",
            Self::Delete => "delete",
            Self::Create => "create",
            Self::Update => "update",
            Self::Read => "read",
        }
    }
}
