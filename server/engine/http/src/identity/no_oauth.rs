//! Replaces `oauth` in a build without that feature.

#[cfg(feature = "browser")]
use serde_json::Value;

use super::unidentified::Unidentified;
use toolwrit_core::caller::principal::Identity;

/// An authorization server whose tokens are accepted. Uninhabited: this build supports none.
pub enum ResourceServer {}

impl ResourceServer {
    /// Never called.
    #[cfg(feature = "browser")]
    pub(crate) fn issuer_origin(&self) -> &str {
        match *self {}
    }

    /// Never called.
    #[cfg(feature = "browser")]
    pub(crate) fn offer(&self) -> Value {
        match *self {}
    }

    /// Never called.
    #[expect(clippy::unused_async, reason = "as in a build with the feature")]
    pub(crate) async fn identify(&self, _: &str) -> Result<Identity, Unidentified> {
        match *self {}
    }
}
