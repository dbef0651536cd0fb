//! Builds the tables of an authority with dynamic operations: first its own, then the dynamic ones.

use std::collections::HashSet;
use std::sync::Arc;

use super::dynamic::InvalidDynamicOperation;
use super::joined::Joined;
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
pub(super) fn join(tables: &Tables, offered: &[Arc<Joined>], before: &[Arc<Joined>]) -> Join {
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
    tables: &'a Tables,
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
            Some(renamed) if !self.is_free(offered.wire_name()) => self.as_before(renamed),
            _ => offered.clone(),
        };
        if !self.is_free(joined.wire_name()) {
            return Err(taken(joined.wire_name()));
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
            old.wire_name() == renamed.wire_name() && old.operation == renamed.operation
        };
        self.before.iter().find(is_same).cloned().unwrap_or_else(|| Arc::new(renamed))
    }

    fn is_free(&self, name: &str) -> bool {
        self.tables.lookup(name).is_none() && !self.names.contains(name)
    }
}

/// Returns tables with these dynamic operations. The rows of the others are shared.
pub(super) fn joined_tables(tables: &Tables, joined: &[Arc<Joined>]) -> Tables {
    let first = tables.operations.len();
    let theirs = joined.iter().enumerate().map(|(at, joined)| joined.row(position(first + at)));
    let sets = Sets { first, joined };
    let roles = tables.roles.iter().map(|role| {
        let operations = sets.with(&role.operations, |joined| covers(&role.joining, joined));
        Role { operations, ..role.clone() }
    });
    let contexts = tables.contexts.iter().map(|context| {
        let operations = sets.with(&context.operations, |joined| covers(&context.joining, joined));
        DeclaredContext { operations, ..context.clone() }
    });
    let cells = |(focus, sets_of_roles): (&FocusMode, &Vec<Vec<u64>>)| {
        let cell = |(role, set): (&Role, &Vec<u64>)| {
            sets.with(set, |joined| covers(&focus.joining, joined) && covers(&role.joining, joined))
        };
        tables.roles.iter().zip(sets_of_roles).map(cell).collect()
    };
    let (resources, prompts) = offered_rows::rows(tables, joined, first);
    Tables {
        operations: tables.operations.iter().cloned().chain(theirs).collect(),
        resources,
        prompts,
        names: names(tables, joined),
        roles: roles.collect(),
        policy: tables.focus.iter().zip(&*tables.policy).map(cells).collect(),
        contexts: contexts.collect(),
        ..tables.clone()
    }
}

/// A position among the operations. [`join`] has ensured that it fits.
fn position(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}

/// Whether a role, a focus mode or a context covers a dynamic operation.
fn covers(joining: &[u8], joined: &Joined) -> bool {
    let effects = joining.get(usize::from(joined.joining)).copied().unwrap_or_default();
    effects & (1 << (joined.effect() as u8)) != 0
}

/// Returns ids, wire names, short names and aliases, sorted by name.
fn names(tables: &Tables, joined: &[Arc<Joined>]) -> Arc<[Name]> {
    let first = tables.operations.len();
    let theirs = joined.iter().enumerate().flat_map(|(at, joined)| {
        let operation = position(first + at);
        joined.names().map(move |name| Name { name: name.to_owned(), operation, alias: None })
    });
    let mut names: Vec<Name> = tables.names.iter().cloned().chain(theirs).collect();
    names.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    names.into()
}

/// Builds sets of operations, with one bit each, 64 to a word.
struct Sets<'a> {
    /// The position of the first dynamic operation.
    first: usize,
    joined: &'a [Arc<Joined>],
}

impl Sets<'_> {
    /// Returns a set extended by the dynamic operations that belong to it.
    fn with(&self, declared: &[u64], belongs: impl Fn(&Joined) -> bool) -> Vec<u64> {
        let mut words = declared.to_vec();
        words.resize((self.first + self.joined.len()).div_ceil(64), 0);
        for (at, joined) in (self.first..).zip(self.joined) {
            if belongs(joined) {
                words[at / 64] |= 1 << (at % 64);
            }
        }
        debug_assert!((0..self.first).all(|at| contains(&words, at) == contains(declared, at)));
        words
    }
}
