//! Categories that the operator adds to an authority. Each has a provider of the same name, which adds its operations while
//! the server runs.

use super::loaded::Memory;
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
pub(super) fn check(tables: &Tables<'_>, added: &[AddedCategory]) -> Result<(), NameTaken> {
    let is_own = |wire_name: &str| {
        tables.categories.iter().any(|own| own.wire_name == wire_name)
            || tables.providers.iter().any(|own| own.name.replace('-', "_") == wire_name)
    };
    for (at, category) in added.iter().enumerate() {
        let name = category.wire_name();
        if is_own(&name) || added[..at].iter().any(|other| other.wire_name() == name) {
            return Err(NameTaken(category.name.clone()));
        }
    }
    Ok(())
}

/// Builds the rows of an authority with added categories, which have no operations yet.
pub(super) fn rows<'a>(memory: &'a Memory, added: &[AddedCategory]) -> Tables<'a> {
    let Memory { arena, base, .. } = memory;
    let Some(base) = base else { unreachable!("categories are added to an authority") };
    let own = *base.tables();
    let categories = added.iter().map(|added| Category {
        name: arena.text(&added.name),
        title: arena.text(&added.title),
        summary: arena.text(&added.summary),
        keywords: &[],
        wire_name: arena.text(&added.wire_name()),
        direct: false,
    });
    let providers = added.iter().map(|added| DeclaredProvider {
        name: arena.text(&added.name),
        title: arena.text(&added.title),
        summary: arena.text(&added.summary),
        binding: None,
    });
    let rule = |(at, _): (usize, &AddedCategory)| Joining {
        category: position(own.categories.len() + at),
        provider: position(own.providers.len() + at),
        most: Effect::Destroy,
        whole: true,
    };
    let joining = added.iter().enumerate().map(rule);
    let extended = |before: &[u8], effects: u8| {
        arena.list(before.iter().copied().chain(added.iter().map(|_| effects)))
    };
    let focus = own
        .focus
        .iter()
        .map(|focus| FocusMode { joining: extended(focus.joining, focus.added), ..*focus });
    let roles =
        own.roles.iter().map(|role| Role { joining: extended(role.joining, role.added), ..*role });
    let contexts = own
        .contexts
        .iter()
        .map(|context| DeclaredContext { joining: extended(context.joining, 0), ..*context });
    Tables {
        categories: arena.list(own.categories.iter().copied().chain(categories)),
        providers: arena.list(own.providers.iter().copied().chain(providers)),
        joining: arena.list(own.joining.iter().copied().chain(joining)),
        focus: arena.list(focus),
        roles: arena.list(roles),
        contexts: arena.list(contexts),
        ..own
    }
}

/// A position. Configuration files are far too small for more than 65,535 categories.
fn position(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}
