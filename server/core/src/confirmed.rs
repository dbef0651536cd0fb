//! What a user has confirmed.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::arg_value::IntoJson;

/// What a user has confirmed of an operation with `confirm` and `dry_run`: what its dry run answered
/// then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Confirmed(Option<[u8; 32]>);

impl Confirmed {
    /// A confirmation of what was shown; if nothing was shown, of any result.
    pub(crate) fn to(preview: Option<&Value>) -> Self {
        Self(preview.map(|preview| Sha256::digest(preview.to_string()).into()))
    }

    /// Whether this, which a dry run would answer now, is what was confirmed. It is where nobody was
    /// asked, as in a call on the command line.
    pub fn covers(self, preview: impl IntoJson) -> bool {
        self.0.is_none() || self == Self::to(Some(&preview.into_json()))
    }
}
