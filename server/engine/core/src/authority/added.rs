//! Categories that the operator adds to an authority. Each has a provider of the same name, which adds its operations while
//! the server runs.

use super::{
    Category, DeclaredContext, DeclaredProvider, Effect, FocusMode, Joining, Role, Tables,
};

/// A category that the operator adds, and its provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedCategory {
    /// The name of both: letters, digits, `_` and `-`.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// One sentence.
    pub summary: String,
}

impl AddedCategory {
    /// The name in the names of tools.
    fn wire_name(&self) -> String {
        self.name.replace('-', "_")
    }
}

/// A category that cannot be added, because the authority, or an earlier one, uses its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the name `{0}` is in use")]
pub struct NameTaken(pub String);

/// Checks that the names of categories are free.
///
/// # Errors
/// The first one that is not.
pub(super) fn check(tables: &Tables, added: &[AddedCategory]) -> Result<(), NameTaken> {
    let is_own = |wire_name: &str| {
        tables.categories.iter().any(|category| category.wire_name == wire_name)
            || tables.providers.iter().any(|provider| provider.name.replace('-', "_") == wire_name)
    };
    for (at, category) in added.iter().enumerate() {
        let name = category.wire_name();
        if is_own(&name) || added[..at].iter().any(|other| other.wire_name() == name) {
            return Err(NameTaken(category.name.clone()));
        }
    }
    Ok(())
}

/// Returns tables with added categories, which have no operations yet.
pub(super) fn extended(tables: &Tables, added: &[AddedCategory]) -> Tables {
    let categories = added.iter().map(|added| Category {
        name: added.name.clone(),
        title: added.title.clone(),
        summary: added.summary.clone(),
        keywords: Vec::new(),
        wire_name: added.wire_name(),
        direct: false,
        instance: None,
    });
    let providers = added.iter().map(|added| DeclaredProvider {
        name: added.name.clone(),
        title: added.title.clone(),
        summary: added.summary.clone(),
        binding: None,
    });
    let rule = |(at, _): (usize, &AddedCategory)| Joining {
        category: position(tables.categories.len() + at),
        provider: position(tables.providers.len() + at),
        most: Effect::Destroy,
        whole: true,
    };
    let joining = added.iter().enumerate().map(rule);
    let with = |before: &[u8], effects: u8| {
        before.iter().copied().chain(added.iter().map(|_| effects)).collect()
    };
    let focus = tables
        .focus
        .iter()
        .map(|focus| FocusMode { joining: with(&focus.joining, focus.added), ..focus.clone() });
    let roles = tables
        .roles
        .iter()
        .map(|role| Role { joining: with(&role.joining, role.added), ..role.clone() });
    let contexts = tables
        .contexts
        .iter()
        .map(|context| DeclaredContext { joining: with(&context.joining, 0), ..context.clone() });
    Tables {
        categories: tables.categories.iter().cloned().chain(categories).collect(),
        providers: tables.providers.iter().cloned().chain(providers).collect(),
        joining: tables.joining.iter().copied().chain(joining).collect(),
        focus: focus.collect(),
        roles: roles.collect(),
        contexts: contexts.collect(),
        ..tables.clone()
    }
}

/// A position. Configuration files are far too small for more than 65,535 categories.
fn position(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}
