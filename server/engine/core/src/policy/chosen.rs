//! What was chosen, by name, and where an authority has it.

use super::UnknownName;
use super::narrowing::{Named, Narrowing};
use crate::authority::{Selector, Tables};

/// What an operator chose, before it is checked against the authority.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The focus mode; `None` for the first declared one.
    pub focus: Option<String>,
    /// The role; `None` for the first declared one.
    pub role: Option<String>,
    /// Whether only reads may run.
    pub read_only: bool,
    /// The environment variable without which the server is read-only; `None` if it needs none.
    pub enable_writes: Option<&'static str>,
    /// Selectors of the only operations that may be used; all operations if empty.
    pub only: Vec<String>,
    /// Selectors of operations that may not be used.
    pub exclude: Vec<String>,
}

/// The operator's choice with what a credential and a request made of it. It holds for any authority.
#[derive(Debug, Clone, Default)]
pub(super) struct Chosen {
    pub(super) choice: Choice,
    pub(super) narrowed: Vec<Named>,
    /// Further sets of operations. One that is not in all of them is hidden.
    pub(super) only: Vec<Vec<Selector>>,
    pub(super) exclude: Vec<Selector>,
}

/// Where the tables of an authority have what was chosen.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    pub(super) first: Narrowing,
    /// Further focus modes and roles that must allow an operation too.
    pub(super) narrowed: Vec<Narrowing>,
    /// Sets of operations. One that is not in all of them is hidden.
    pub(super) only: Vec<Vec<Selector>>,
    pub(super) exclude: Vec<Selector>,
}

impl Chosen {
    /// Finds what was chosen. A selector that matches nothing is no error: its operations may have left.
    ///
    /// # Errors
    /// A focus mode or role that the tables do not have.
    pub(super) fn find(&self, tables: &Tables) -> Result<Found, UnknownName> {
        let Choice { focus, role, only, exclude, .. } = &self.choice;
        let first = Narrowing::default().then(tables, focus.as_deref(), role.as_deref())?;
        let narrowed = self.narrowed.iter().scan(first, |before, Named { focus, role }| {
            let next = before.then(tables, focus.as_deref(), role.as_deref());
            *before = *next.as_ref().unwrap_or(before);
            Some(next)
        });
        let selectors = |texts: &[String]| {
            texts.iter().filter_map(|text| Selector::find(tables, text)).collect::<Vec<_>>()
        };
        let operators = (!only.is_empty()).then(|| selectors(only));
        Ok(Found {
            first,
            narrowed: narrowed.collect::<Result<_, _>>()?,
            only: operators.into_iter().chain(self.only.iter().cloned()).collect(),
            exclude: [selectors(exclude), self.exclude.clone()].concat(),
        })
    }
}
