//! Builds the rows of an authority with dynamic operations: first its own, then the dynamic ones.

use std::collections::HashSet;
use std::sync::Arc;

use super::arena::Arena;
use super::dynamic::{InvalidDynamicOperation, Joined};
use super::loaded::Memory;
use super::{FocusMode, Name, Role, Tables, contains};

/// Checks whether dynamic operations can be added to these tables.
///
/// # Errors
/// For the first operation that cannot be added.
pub(super) fn check(
    tables: &Tables<'_>,
    joined: &[Arc<Joined>],
) -> Result<(), InvalidDynamicOperation> {
    let capacity = usize::from(u16::MAX) - tables.operations.len().min(usize::from(u16::MAX));
    if let Some(first) = joined.get(capacity) {
        return Err(InvalidDynamicOperation::Full(first.operation.id.clone()));
    }
    let mut known = HashSet::new();
    for joined in joined {
        for name in [&joined.operation.id, &joined.wire_name] {
            if tables.lookup(name).is_some() || !known.insert(name) {
                return Err(InvalidDynamicOperation::Taken(name.clone()));
            }
        }
    }
    Ok(())
}

pub(super) fn rows(memory: &Memory) -> Tables<'_> {
    let Memory { arena, base, joined } = memory;
    let Some(base) = base else { unreachable!("dynamic operations have a base authority") };
    let own = *base.tables();
    let theirs = (0u16..).zip(&**joined).map(|(at, joined)| joined.row(at, arena));
    let sets = Sets { arena, first: own.operations.len(), joined };
    let roles = own.roles.iter().map(|role| {
        let operations = sets.with(role.operations, |joined| allows(role.joining, joined));
        Role { operations, ..*role }
    });
    let cells = |(focus, sets_of_roles): (&FocusMode<'_>, &&[&[u64]])| {
        let joining = focus.joining;
        let cell = |(role, set): (&Role<'_>, &&[u64])| {
            sets.with(set, |joined| allows(joining, joined) && allows(role.joining, joined))
        };
        arena.list(own.roles.iter().zip(sets_of_roles.iter()).map(cell))
    };
    Tables {
        operations: arena.list(own.operations.iter().copied().chain(theirs)),
        names: names(&own, memory),
        roles: arena.list(roles),
        policy: arena.list(own.focus.iter().zip(own.policy).map(cells)),
        ..own
    }
}

/// Whether a role or a focus mode allows a dynamic operation.
fn allows(joining: &[u8], joined: &Joined) -> bool {
    let effects = joining.get(usize::from(joined.category)).copied().unwrap_or_default();
    effects & (1 << (joined.effect() as u8)) != 0
}

/// Returns ids, wire names and aliases, sorted by name.
fn names<'a>(own: &Tables<'a>, memory: &'a Memory) -> &'a [Name<'a>] {
    let first = own.operations.len();
    let theirs = memory.joined.iter().enumerate().flat_map(|(at, joined)| {
        // `check` has ensured that the position fits.
        let operation = u16::try_from(first + at).unwrap_or(u16::MAX);
        [joined.operation.id.as_str(), joined.wire_name.as_str()].map(|name| Name {
            name,
            operation,
            alias: None,
        })
    });
    let mut names: Vec<Name<'a>> = own.names.iter().copied().chain(theirs).collect();
    names.sort_unstable_by_key(|name| name.name);
    memory.arena.list(names)
}

/// Builds sets of operations, with one bit each, 64 to a word.
struct Sets<'a> {
    arena: &'a Arena,
    /// The position of the first dynamic operation.
    first: usize,
    joined: &'a [Arc<Joined>],
}

impl<'a> Sets<'a> {
    /// Returns a set extended by the dynamic operations that belong to it.
    fn with(&self, own: &[u64], belongs: impl Fn(&Joined) -> bool) -> &'a [u64] {
        let mut words = own.to_vec();
        words.resize((self.first + self.joined.len()).div_ceil(64), 0);
        for (at, joined) in (self.first..).zip(self.joined) {
            if belongs(joined) {
                words[at / 64] |= 1 << (at % 64);
            }
        }
        debug_assert!((0..self.first).all(|at| contains(&words, at) == contains(own, at)));
        self.arena.list(words)
    }
}
