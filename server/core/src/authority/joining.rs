//! Builds the rows of an authority with dynamic operations: first its own, then the dynamic ones.

use std::collections::HashSet;
use std::sync::Arc;

use super::arena::Arena;
use super::dynamic::{DynamicOperation, InvalidDynamicOperation};
use super::joined::Joined;
use super::loaded::Memory;
use super::offered_rows;
use super::{DeclaredContext, FocusMode, Name, Role, Tables, contains};

/// Collects the dynamic operations of an authority, and checks that their names are free.
pub(super) struct Joinery<'a> {
    tables: &'a Tables<'a>,
    names: HashSet<String>,
    joined: Vec<Arc<Joined>>,
}

impl<'a> Joinery<'a> {
    pub(super) fn of(tables: &'a Tables<'a>) -> Self {
        Self { tables, names: HashSet::new(), joined: Vec::new() }
    }

    /// Adds an operation. Gives it another tool name if its own is in use.
    ///
    /// # Errors
    /// If its id is in use, or there are too many operations.
    pub(super) fn add(&mut self, joined: Arc<Joined>) -> Result<(), InvalidDynamicOperation> {
        if self.tables.operations.len() + self.joined.len() >= usize::from(u16::MAX) {
            return Err(InvalidDynamicOperation::Full(joined.operation.id.clone()));
        }
        if let Some(taken) = joined.fixed_names().find(|name| !self.is_free(name)) {
            return Err(InvalidDynamicOperation::Taken(taken.to_owned()));
        }
        let joined = match joined.renamed(self.tables) {
            Some(renamed) if !self.is_free(&joined.wire_name) => Arc::new(renamed),
            _ => joined,
        };
        if !self.is_free(&joined.wire_name) {
            return Err(InvalidDynamicOperation::Taken(joined.wire_name.clone()));
        }
        self.names.extend(joined.names().map(str::to_owned));
        self.joined.push(joined);
        Ok(())
    }

    /// Adds a new operation of a provider.
    ///
    /// # Errors
    /// If it is not valid, or cannot be added.
    pub(super) fn add_new(
        &mut self,
        provider: &str,
        operation: DynamicOperation,
    ) -> Result<(), InvalidDynamicOperation> {
        self.add(Arc::new(Joined::new(self.tables, provider, operation)?))
    }

    fn is_free(&self, name: &str) -> bool {
        self.tables.lookup(name).is_none() && !self.names.contains(name)
    }

    pub(super) fn into_joined(self) -> Vec<Arc<Joined>> {
        self.joined
    }
}

pub(super) fn rows(memory: &Memory) -> Tables<'_> {
    let Memory { arena, base, joined } = memory;
    let Some(base) = base else { unreachable!("dynamic operations have a base authority") };
    let own = *base.tables();
    let first = own.operations.len();
    let theirs = (0u16..).zip(first..).zip(&**joined).map(|((at, position), joined)| {
        // `Joinery` has ensured that the position fits.
        joined.row(at, u16::try_from(position).unwrap_or(u16::MAX), arena)
    });
    let sets = Sets { arena, first, joined };
    let roles = own.roles.iter().map(|role| {
        let operations = sets.with(role.operations, |joined| covers(role.joining, joined));
        Role { operations, ..*role }
    });
    let contexts = own.contexts.iter().map(|context| {
        let operations = sets.with(context.operations, |joined| covers(context.joining, joined));
        DeclaredContext { operations, ..*context }
    });
    let cells = |(focus, sets_of_roles): (&FocusMode<'_>, &&[&[u64]])| {
        let joining = focus.joining;
        let cell = |(role, set): (&Role<'_>, &&[u64])| {
            sets.with(set, |joined| covers(joining, joined) && covers(role.joining, joined))
        };
        arena.list(own.roles.iter().zip(sets_of_roles.iter()).map(cell))
    };
    let (resources, prompts) = offered_rows::rows(&own, joined, first, arena);
    Tables {
        operations: arena.list(own.operations.iter().copied().chain(theirs)),
        resources,
        prompts,
        names: names(&own, memory),
        roles: arena.list(roles),
        policy: arena.list(own.focus.iter().zip(own.policy).map(cells)),
        contexts: arena.list(contexts),
        ..own
    }
}

/// Whether a role, a focus mode or a context covers a dynamic operation.
fn covers(joining: &[u8], joined: &Joined) -> bool {
    let effects = joining.get(usize::from(joined.joining)).copied().unwrap_or_default();
    effects & (1 << (joined.effect() as u8)) != 0
}

/// Returns ids, wire names, short names and aliases, sorted by name.
fn names<'a>(own: &Tables<'a>, memory: &'a Memory) -> &'a [Name<'a>] {
    let first = own.operations.len();
    let theirs = memory.joined.iter().enumerate().flat_map(|(at, joined)| {
        // `Joinery` has ensured that the position fits.
        let operation = u16::try_from(first + at).unwrap_or(u16::MAX);
        joined.names().map(move |name| Name { name, operation, alias: None })
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
