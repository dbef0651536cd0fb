//! To whom a session belongs.

use sha2::{Digest as _, Sha256};

use super::choice::EndpointKey;
use toolwrit_core::caller::principal::Principal;
use toolwrit_text::hex::Hex;

/// The principal and the endpoint to which a session belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionOwner {
    pub(super) principal: Principal,
    pub(super) choice: EndpointKey,
}

impl SessionOwner {
    /// Returns a digest, by which another replica recognizes the owner.
    pub(super) fn digest(&self) -> String {
        let text = format!("{:?}", (self.principal.as_str(), &self.choice));
        Hex(&Sha256::digest(text)).to_string()
    }
}
