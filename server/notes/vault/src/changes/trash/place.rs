//! Places in trashes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::LOCAL_TRASH;
use crate::path::{VaultPath, escape};

/// A file in a trash that it can be moved back from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TrashPlace {
    /// The path below the vault's own trash.
    Vault(VaultPath),
    /// The name of the file in the trash of the user's desktop.
    Desktop(String),
}

impl fmt::Display for TrashPlace {
    /// The id by which it is restored.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vault(path) => write!(f, "{LOCAL_TRASH}/{path}"),
            Self::Desktop(name) => write!(f, "{DESKTOP}{}", escape(name)),
        }
    }
}

/// The start of ids of files in the trash of the user's desktop.
const DESKTOP: &str = "trash:";

impl TrashPlace {
    /// The place that an id names; `None` for the id of a change.
    pub(crate) fn from_id(id: &str) -> Option<Self> {
        if let Some(name) = id.strip_prefix(DESKTOP) {
            let path = VaultPath::parse(name).ok().filter(|path| path.segments().count() == 1)?;
            return Some(Self::Desktop(path.as_str().to_owned()));
        }
        let path = id.strip_prefix(LOCAL_TRASH)?.strip_prefix('/')?;
        VaultPath::parse(path).ok().map(Self::Vault)
    }
}
