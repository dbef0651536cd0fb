//! Replaces `oauth` in a build without that feature.

use super::unidentified::Unidentified;
use toolwrit_core::principal::Identity;

/// An authorization server whose tokens are accepted. Uninhabited: this build supports none.
pub enum ResourceServer {}

impl ResourceServer {
    /// Never called.
    #[expect(clippy::unused_async, reason = "as in a build with the feature")]
    pub(crate) async fn identify(&self, _: &str) -> Result<Identity, Unidentified> {
        match *self {}
    }
}
