//! What the operator adds to an authority: the categories of upstreams, and focus modes and roles.

use toolwrit_core::authority::{AddedCategory, AddedModes, Authority, InvalidMode, NameTaken};

/// What the operator adds to an authority.
pub(crate) struct Additions {
    pub(crate) categories: Vec<AddedCategory>,
    pub(crate) modes: AddedModes,
}

/// Why something cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAddition {
    /// An upstream has the name of a category or a provider.
    #[error(transparent)]
    Name(#[from] NameTaken),
    /// A focus mode or a role.
    #[error(transparent)]
    Mode(#[from] InvalidMode),
}

impl Additions {
    /// Returns an authority with them.
    ///
    /// # Errors
    /// If one of them cannot be added.
    pub(crate) fn extend(&self, authority: &Authority) -> Result<Authority, InvalidAddition> {
        Ok(authority.with_categories(&self.categories)?.with_modes(&self.modes)?)
    }
}
