//! Selectors that must name something.

use super::UnknownName;
use crate::authority::{Selector, Tables};

impl Selector {
    /// Parses a selector.
    ///
    /// # Errors
    /// A name that the authority does not have, and that no provider may add.
    pub fn parse(tables: &Tables, text: &str) -> Result<Self, UnknownName> {
        Self::find(tables, text).ok_or_else(|| {
            let categories = tables.categories.iter().map(|category| category.name.as_str());
            let ids = tables.operations.iter().map(|operation| operation.id.as_str());
            let fixed = ["*", "effect:read", "effect:write", "effect:destroy"];
            UnknownName::new("selector", text, fixed.into_iter().chain(categories).chain(ids))
        })
    }

    /// Parses the name of one operation.
    ///
    /// # Errors
    /// A name that the authority does not have, and that no provider may add.
    pub fn parse_operation(tables: &Tables, text: &str) -> Result<Self, UnknownName> {
        let found = Self::find(tables, text);
        found.filter(|found| matches!(found, Self::Operation(_))).ok_or_else(|| {
            let ids = tables.operations.iter().map(|operation| operation.id.as_str());
            UnknownName::new("operation", text, ids)
        })
    }
}
