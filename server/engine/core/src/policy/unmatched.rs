//! Selectors that name operations which may join, and have not.

use std::fmt;

use toolwrit_text::nearest;

use super::Policy;
use crate::authority::{Selector, Tables, open_category};

/// A selector that matches no approved tool of the category that it names. It stays in force, and matches one that joins later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    key: String,
    selector: String,
    category: String,
    close: Option<String>,
}

impl Unmatched {
    /// Checks a selector that the operator has written at a key; `None` if an operation matches it, or none need to.
    pub fn find(tables: &Tables, key: impl Into<String>, text: &str) -> Option<Self> {
        let category = open_category(tables, text)?;
        let selector = Selector::find(tables, text)?;
        let is_single = matches!(selector, Selector::Operation(_) | Selector::Pattern(_));
        let mut operations = tables.operations.iter();
        if !is_single || operations.any(|operation| selector.matches(operation)) {
            return None;
        }
        let own = Selector::Category(category.to_owned());
        let own = tables.operations.iter().filter(|operation| own.matches(operation));
        Some(Self::new(key, text, category, own.map(|operation| operation.id.as_str())))
    }

    /// A selector of a key that matches none of these names of a category.
    pub fn new<'a>(
        key: impl Into<String>,
        selector: &str,
        category: &str,
        names: impl Iterator<Item = &'a str>,
    ) -> Self {
        let close = nearest::nearest(selector, names).map(str::to_owned);
        let (selector, category) = (selector.to_owned(), category.to_owned());
        Self { key: key.into(), selector, category, close }
    }

    /// Whether it should withhold an operation, which a typing mistake exposes.
    pub fn withholds(&self) -> bool {
        let key = self.key.rsplit('.').next();
        self.key == EXCLUDE || matches!(key, Some("deny" | "except"))
    }
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, selector, category, close } = self;
        write!(
            f,
            "`{key}`: {selector} matches no approved tool of {category}; it stays in force."
        )?;
        close.iter().try_for_each(|close| write!(f, " Did you mean {close}?"))
    }
}

const EXCLUDE: &str = "exclude";

impl Policy {
    /// Returns the operator's selectors that name operations which have not joined the authority.
    pub fn unmatched(&self) -> Vec<Unmatched> {
        let tables = self.tables();
        let choice = &self.chosen.choice;
        let only = choice.only.iter().map(|text| ("tools".to_owned(), text.as_str()));
        let exclude = choice.exclude.iter().map(|text| (EXCLUDE.to_owned(), text.as_str()));
        let all = only.chain(exclude).chain(self.authority.mode_selectors());
        let mut unmatched: Vec<_> =
            all.filter_map(|(key, text)| Unmatched::find(tables, key, text)).collect();
        // Modes have the selectors of those that they extend, too.
        unmatched.dedup();
        unmatched
    }
}
