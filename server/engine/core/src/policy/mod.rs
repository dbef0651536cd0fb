//! The policy decides which operations a caller may use. Every transport asks it, for calls and for lists.
//!
//! visible = focus allows and role allows and (writes enabled or effect is read) and the provider
//! is available and no flag excludes it. If the application serves several instances, one of them must allow it, too.

mod chosen;
mod faults;
pub(crate) mod instances;
mod narrowing;
mod selector;
mod unknown_name;
mod unmatched;

use std::sync::Arc;

use crate::authority::{
    ALL_EFFECTS, Authority, Effect, Joining, Operation, Served, Tables, contains,
};
use crate::availability::Providers;
use crate::fault::Code;

pub use crate::authority::Selector;
pub use chosen::Choice;
use chosen::{Chosen, Found};
use narrowing::Named;
pub use unknown_name::UnknownName;
pub use unmatched::Unmatched;

/// The restrictions of one caller. Fixed per endpoint and principal, never session state.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The authority that it decides over.
    pub authority: Authority,
    chosen: Chosen,
    found: Found,
    /// Whether the authority lacks a focus mode or a role that was chosen. Nothing is visible then.
    is_lost: bool,
    /// `None` without an application: every provider then counts as available.
    providers: Option<Arc<Providers>>,
}

/// The decision about one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The caller may use it.
    Visible,
    /// It does not exist for this caller.
    Hidden,
    /// Only the write switch withholds it.
    WritesDisabled,
    /// Only the focus mode withholds it.
    FocusRestricted,
    /// Only its provider is not available.
    ProviderMissing,
}

impl Decision {
    /// Returns the code of a call that it refuses; `None` if the caller may use the operation.
    pub(crate) fn code(self) -> Option<Code> {
        match self {
            Self::Visible => None,
            Self::Hidden => Some(Code::ToolNotFound),
            Self::WritesDisabled => Some(Code::WritesDisabled),
            Self::FocusRestricted => Some(Code::FocusRestricted),
            Self::ProviderMissing => Some(Code::ProviderUnavailable),
        }
    }
}

impl Policy {
    /// Checks an operator's choice against the authority.
    ///
    /// # Errors
    /// A name that the authority does not have.
    pub fn new(authority: impl Into<Authority>, choice: &Choice) -> Result<Self, UnknownName> {
        let authority = authority.into();
        let tables = authority.tables();
        for text in choice.only.iter().chain(&choice.exclude) {
            Selector::parse(tables, text)?;
        }
        let chosen = Chosen { choice: choice.clone(), ..Chosen::default() };
        let found = chosen.find(tables)?;
        Ok(Self { authority, chosen, found, is_lost: false, providers: None })
    }

    /// Returns the same choice for another authority. What was named is found by its name, and the rest is the default of
    /// that authority. If it lacks a focus mode or a role that was named, nothing is visible.
    #[must_use]
    pub fn over(&self, authority: &Authority) -> Self {
        Self { authority: authority.clone(), ..self.clone() }.found()
    }

    /// Returns the same policy after its choice or its authority has changed.
    fn found(self) -> Self {
        let found = self.chosen.find(self.tables()).ok();
        Self { is_lost: found.is_none(), found: found.unwrap_or_default(), ..self }
    }

    /// Returns the tables of the authority that it decides over.
    pub fn tables(&self) -> &Tables {
        self.authority.tables()
    }

    /// Returns the same choice, which also requires these providers.
    #[must_use]
    pub fn with_providers(self, providers: Arc<Providers>) -> Self {
        Self { providers: Some(providers), ..self }
    }

    /// Returns the same choice as if every provider were available.
    #[must_use]
    pub fn with_every_provider(&self) -> Self {
        Self { providers: None, ..self.clone() }
    }

    /// Returns what is known of the providers; `None` without an application.
    pub fn providers(&self) -> Option<&Providers> {
        self.providers.as_deref()
    }

    /// Asks which providers are available, without waiting for the answer. Call it for each request.
    pub fn refresh(&self) {
        if let Some(providers) = &self.providers {
            providers.refresh();
        }
    }

    /// Returns a number that changes whenever decisions may have changed.
    pub fn version(&self) -> u64 {
        self.providers.as_ref().map_or(0, |providers| providers.version())
    }

    /// Whether every role in force allows all operations, as an operator's role does. Ignores focus modes,
    /// flags and the write switch.
    pub fn is_operators(&self) -> bool {
        let allows_all = |role: usize| {
            let allowed = &self.tables().roles[role].operations;
            (0..self.tables().operations.len()).all(|index| contains(allowed, index))
        };
        !self.is_lost && self.chain().all(|narrowing| allows_all(narrowing.role))
    }

    /// Returns the same choice with the role of a credential in place of its own.
    ///
    /// # Errors
    /// A name that the authority does not have.
    pub fn as_role(&self, name: &str) -> Result<Self, UnknownName> {
        role_named(self.tables(), name)?;
        let mut credentials = self.clone();
        credentials.chosen.choice.role = Some(name.to_owned());
        Ok(credentials.found())
    }

    /// Returns the same choice with the role of a credential, as far as its own role allows that.
    ///
    /// # Errors
    /// A name that the authority does not have.
    pub fn as_role_within(&self, name: &str) -> Result<Self, UnknownName> {
        let mut credentials = self.as_role(name)?;
        let role = self.chosen.choice.role.clone();
        let role = role.or_else(|| Some(self.tables().roles.first()?.name.clone()));
        credentials.chosen.narrowed.push(Named { focus: None, role });
        Ok(credentials.found())
    }

    /// Returns the same choice under the focus mode that the path of an endpoint names.
    ///
    /// # Errors
    /// A name that the authority does not have.
    pub fn under_focus_named(&self, name: &str) -> Result<Self, UnknownName> {
        Ok(self.under_focus(focus_named(self.tables(), name)?))
    }

    /// Returns the same choice, under which only reads may run.
    #[must_use]
    pub fn reading(&self) -> Self {
        let mut narrow = self.clone();
        narrow.chosen.choice.read_only = true;
        narrow
    }

    /// Returns the same choice for only those of its operations that a selector matches.
    #[must_use]
    pub fn only(&self, selectors: Vec<Selector>) -> Self {
        let mut narrow = self.clone();
        narrow.chosen.only.push(selectors);
        narrow.found()
    }

    /// Returns the same choice without the operations that a selector matches.
    #[must_use]
    pub fn without(&self, selector: Selector) -> Self {
        let mut narrow = self.clone();
        narrow.chosen.exclude.push(selector);
        narrow.found()
    }

    /// Whether anything but reads may run.
    pub fn writes(&self) -> bool {
        !self.chosen.choice.read_only
    }

    /// Returns the same choice under the focus mode at this position.
    #[must_use]
    pub fn under_focus(&self, focus: usize) -> Self {
        let mut under = self.clone();
        under.chosen.choice.focus = Some(self.tables().focus[focus].name.clone());
        under.found()
    }

    /// Decides about one operation.
    pub fn decide(&self, index: usize) -> Decision {
        match self.decide_apart_from_instances(index) {
            Decision::Visible => self.decide_on_instances(index),
            withheld => withheld,
        }
    }

    /// The order matters: an operation that the role may not use is hidden, whatever else withholds it.
    fn decide_apart_from_instances(&self, index: usize) -> Decision {
        let index = self.tables().governing(index);
        let operation = &self.tables().operations[index];
        let excluded = |set: &[Selector]| set.iter().any(|s| s.matches(operation));
        let mut roles = self.chain().map(|narrowing| narrowing.role);
        if self.is_lost
            || !roles.all(|role| contains(&self.tables().roles[role].operations, index))
            || !self.found.only.iter().all(|only| excluded(only))
            || excluded(&self.found.exclude)
        {
            Decision::Hidden
        } else if !self.writes() && operation.effect != Effect::Read {
            Decision::WritesDisabled
        } else if !self.in_focus(index) {
            Decision::FocusRestricted
        } else if self.providers.as_ref().is_some_and(|all| !all.suffice(operation)) {
            Decision::ProviderMissing
        } else {
            Decision::Visible
        }
    }

    fn in_focus(&self, index: usize) -> bool {
        self.chain().all(|narrowing| narrowing.allows(self.tables(), index))
    }

    /// Returns the operations that exist for the caller but may not be used now, with their positions.
    pub fn withheld(&self) -> impl Iterator<Item = (usize, &Operation)> {
        let operations = self.tables().operations.iter().enumerate();
        let operations = operations.map(|(index, operation)| (index, &**operation));
        operations.filter(|(index, operation)| {
            let decision = self.decide(*index);
            let is_withheld = decision != Decision::Visible && decision != Decision::Hidden;
            operation.served == Served::Tool && is_withheld
        })
    }

    /// Returns every operation that the caller may use through tools, with its position.
    pub fn visible(&self) -> impl Iterator<Item = (usize, &Operation)> {
        let operations = self.tables().operations.iter().enumerate();
        operations
            .map(|(index, operation)| (index, &**operation))
            .filter(|(index, operation)| operation.served == Served::Tool && self.shows(*index))
    }

    /// Whether the caller may use the operation.
    pub fn shows(&self, index: usize) -> bool {
        self.decide(index) == Decision::Visible
    }

    /// Whether the operation exists for the caller, even if it may not use it now.
    pub fn knows(&self, index: usize) -> bool {
        self.decide(index) != Decision::Hidden
    }

    /// Whether the provider at this position exists for the caller: one of its operations does, or may join.
    pub fn knows_provider(&self, provider: usize) -> bool {
        let tables = self.tables();
        let is_required = |operation: &Operation| {
            operation.requires.is_some_and(|at| usize::from(at) == provider)
        };
        let mut operations = tables.operations.iter().enumerate();
        operations.any(|(index, operation)| is_required(operation) && self.knows(index))
            || tables.joining.iter().enumerate().any(|(at, joining)| {
                usize::from(joining.provider) == provider && self.lets_join(at, *joining)
            })
    }

    /// Whether the caller may use operations that join by this rule, as far as roles and flags decide.
    fn lets_join(&self, at: usize, joining: Joining) -> bool {
        let tables = self.tables();
        let union = |selectors: &Vec<Selector>, whole| {
            let effects = selectors.iter().map(|one| one.joining_effects(tables, joining, whole));
            effects.fold(0, |all, effects| all | effects)
        };
        let roles = self.chain().map(|narrowing| {
            tables.roles[narrowing.role].joining.get(at).copied().unwrap_or_default()
        });
        let only = self.found.only.iter().map(|only| union(only, false));
        let excluded = union(&self.found.exclude, true);
        !self.is_lost && roles.chain(only).fold(ALL_EFFECTS & !excluded, |all, of| all & of) != 0
    }
}

fn focus_named(tables: &Tables, name: &str) -> Result<usize, UnknownName> {
    position("focus mode", name, tables.focus.iter().map(|focus| focus.name.as_str()))
}

fn role_named(tables: &Tables, name: &str) -> Result<usize, UnknownName> {
    position("role", name, tables.roles.iter().map(|role| role.name.as_str()))
}

fn position<'a>(
    what: &'static str,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<usize, UnknownName> {
    names.clone().position(|n| n == name).ok_or_else(|| UnknownName::new(what, name, names))
}
