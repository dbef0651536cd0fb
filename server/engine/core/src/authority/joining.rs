//! Builds the rows of an authority with dynamic operations: first its own, then the dynamic ones.

use std::collections::HashSet;
use std::sync::Arc;

use super::arena::Arena;
use super::dynamic::InvalidDynamicOperation;
use super::joined::Joined;
use super::loaded::Memory;
use super::offered_rows;
use super::{DeclaredContext, FocusMode, Name, Role, Tables, contains};

/// What of the offered operations joins an authority, in their order.
pub(super) struct Join {
    pub(super) joined: Vec<Arc<Joined>>,
    /// Why others do not, with their positions among the offered ones.
    pub(super) refused: Vec<(usize, InvalidDynamicOperation)>,
}

/// Joins the offered operations whose names are free. Of two with the same name the senior one has it, whichever was offered
/// first. `before` is what has joined before.
pub(super) fn join(tables: &Tables<'_>, offered: &[Arc<Joined>], before: &[Arc<Joined>]) -> Join {
    let mut order: Vec<usize> = (0..offered.len()).collect();
    order.sort_by_key(|at| offered[*at].operation.seniority);
    let mut joinery = Joinery { tables, before, names: HashSet::new(), joined: Vec::new() };
    let added = order.into_iter().map(|at| joinery.add(at, &offered[at]).map_err(|why| (at, why)));
    let mut refused: Vec<_> = added.filter_map(Result::err).collect();
    refused.sort_by_key(|(at, _)| *at);
    joinery.joined.sort_by_key(|(at, _)| *at);
    Join { joined: joinery.joined.into_iter().map(|(_, joined)| joined).collect(), refused }
}

/// Collects dynamic operations, and checks that their names are free.
struct Joinery<'a> {
    tables: &'a Tables<'a>,
    before: &'a [Arc<Joined>],
    names: HashSet<String>,
    /// With their positions among the offered ones.
    joined: Vec<(usize, Arc<Joined>)>,
}

impl Joinery<'_> {
    /// Adds an operation. Gives it another tool name if its own is in use.
    ///
    /// # Errors
    /// If its id is in use, or there are too many operations.
    fn add(&mut self, at: usize, offered: &Arc<Joined>) -> Result<(), InvalidDynamicOperation> {
        let id = &offered.operation.id;
        if self.tables.operations.len() + self.joined.len() >= usize::from(u16::MAX) {
            return Err(InvalidDynamicOperation::Full(id.clone()));
        }
        let taken =
            |name: &str| InvalidDynamicOperation::Taken { id: id.clone(), name: name.to_owned() };
        if let Some(name) = offered.fixed_names().find(|name| !self.is_free(name)) {
            return Err(taken(name));
        }
        let joined = match offered.renamed(self.tables) {
            Some(renamed) if !self.is_free(&offered.wire_name) => self.as_before(renamed),
            _ => offered.clone(),
        };
        if !self.is_free(&joined.wire_name) {
            return Err(taken(&joined.wire_name));
        }
        self.names.extend(joined.names().map(str::to_owned));
        if !joined.operation.is_reserved {
            self.joined.push((at, joined));
        }
        Ok(())
    }

    /// The operation as it has joined before under the same name, if it has. What has not changed makes no new authority.
    fn as_before(&self, renamed: Joined) -> Arc<Joined> {
        let is_same = |old: &&Arc<Joined>| {
            old.wire_name == renamed.wire_name && old.operation == renamed.operation
        };
        self.before.iter().find(is_same).cloned().unwrap_or_else(|| Arc::new(renamed))
    }

    fn is_free(&self, name: &str) -> bool {
        self.tables.lookup(name).is_none() && !self.names.contains(name)
    }
}

pub(super) fn rows(memory: &Memory) -> Tables<'_> {
    let Memory { arena, base, joined } = memory;
    let Some(base) = base else { unreachable!("dynamic operations have a base authority") };
    let own = *base.tables();
    let first = own.operations.len();
    let theirs = (0u16..).zip(first..).zip(&**joined).map(|((at, position), joined)| {
        // `join` has ensured that the position fits.
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
        // `join` has ensured that the position fits.
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
