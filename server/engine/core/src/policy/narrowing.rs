//! The focus modes and roles that restrict a caller together: those of the operator and of the credential, and those
//! that requests name.

use super::{Policy, UnknownName, focus_named, role_named};
use crate::authority::{Tables, contains};

/// A focus mode and a role that must allow an operation too; `None` for those of the choice before.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) focus: Option<String>,
    pub(super) role: Option<String>,
}

/// A focus mode and a role that must allow an operation, by their positions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Narrowing {
    pub(super) focus: usize,
    pub(super) role: usize,
}

impl Narrowing {
    /// Returns the positions of what is named next; what is not named stays.
    ///
    /// # Errors
    /// A name that the tables do not have.
    pub(super) fn then(
        self,
        tables: &Tables,
        focus: Option<&str>,
        role: Option<&str>,
    ) -> Result<Self, UnknownName> {
        let focus = focus.map_or(Ok(self.focus), |name| focus_named(tables, name))?;
        let role = role.map_or(Ok(self.role), |name| role_named(tables, name))?;
        Ok(Self { focus, role })
    }

    /// Whether both allow the operation at this position.
    pub(super) fn allows(self, tables: &Tables, index: usize) -> bool {
        contains(&tables.policy[self.focus][self.role], index)
    }
}

impl Policy {
    /// Returns a policy that allows what this policy, the named focus mode and the named role all allow.
    /// Requests may name any of them, because this only removes operations.
    ///
    /// # Errors
    /// A name that the authority does not have.
    pub fn narrowed(&self, focus: Option<&str>, role: Option<&str>) -> Result<Self, UnknownName> {
        self.found.first.then(self.tables(), focus, role)?;
        let mut narrow = self.clone();
        if focus.is_some() || role.is_some() {
            let [focus, role] = [focus, role].map(|name| name.map(str::to_owned));
            narrow.chosen.narrowed.push(Named { focus, role });
        }
        Ok(narrow.found())
    }

    /// Returns the focus mode in force: the operator's, or one that was named later and allows less.
    pub fn focus(&self) -> &str {
        &self.tables().focus[self.focus_in_force()].name
    }

    /// Returns the role in force: that of the credential, or one that was named later and allows less. Who names a role
    /// that allows as much, or something else, keeps the first.
    pub fn role(&self) -> &str {
        &self.tables().roles[self.role_in_force()].name
    }

    /// Returns the instructions for a model of the role in force.
    pub fn persona(&self) -> Option<&str> {
        self.tables().roles[self.role_in_force()].persona.as_deref()
    }

    /// Returns the position of [`Self::focus`].
    pub(crate) fn focus_in_force(&self) -> usize {
        let allowed = |focus: usize| self.tables().policy[focus].as_slice();
        self.found.narrowed.iter().fold(
            self.found.first.focus,
            |in_force, Narrowing { focus, .. }| {
                if is_less(allowed(*focus), allowed(in_force)) { *focus } else { in_force }
            },
        )
    }

    /// Returns the position of [`Self::role`].
    pub(crate) fn role_in_force(&self) -> usize {
        let allowed = |role: usize| std::slice::from_ref(&self.tables().roles[role].operations);
        self.found.narrowed.iter().fold(
            self.found.first.role,
            |in_force, Narrowing { role, .. }| {
                if is_less(allowed(*role), allowed(in_force)) { *role } else { in_force }
            },
        )
    }

    /// Returns the operator's choice, and then what was named later.
    pub(super) fn chain(&self) -> impl Iterator<Item = Narrowing> {
        std::iter::once(self.found.first).chain(self.found.narrowed.iter().copied())
    }
}

/// Whether each set of operations is a part of the other at its position, and one is smaller.
fn is_less(sets: &[Vec<u64>], others: &[Vec<u64>]) -> bool {
    let is_part = |(set, whole): (&Vec<u64>, &Vec<u64>)| {
        let mut words = set.iter().enumerate();
        words.all(|(at, word)| word & !whole.get(at).copied().unwrap_or_default() == 0)
    };
    sets.iter().zip(others).all(is_part) && !others.iter().zip(sets).all(is_part)
}
