//! What a user has confirmed.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::arguments::value::IntoJson;

/// What a user has confirmed in an operation with `confirm` and `dry_run`: the preview that its dry run
/// returned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Confirmed(Option<[u8; 32]>);

impl Confirmed {
    /// Returns the confirmation of a preview; `None` confirms any result.
    pub(crate) fn to(preview: Option<&Value>) -> Self {
        Self(preview.map(|preview| Sha256::digest(preview.to_string()).into()))
    }

    /// Returns the digest of the preview that was confirmed; `None` if any result is.
    pub fn digest(self) -> Option<[u8; 32]> {
        self.0
    }

    /// Returns the confirmation with this digest, which [`Self::digest`] has returned.
    pub fn with_digest(digest: Option<[u8; 32]>) -> Self {
        Self(digest)
    }

    /// Whether `preview`, which a dry run would return now, is what the user confirmed. Always `true` for a
    /// call without a question, as on the command line.
    pub fn covers(self, preview: impl IntoJson) -> bool {
        self.0.is_none() || self == Self::to(Some(&preview.into_json()))
    }
}
