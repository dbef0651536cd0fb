//! The policy decides which operations a caller may use. Every transport asks it, for calls and for lists.
//!
//! visible = focus allows and role allows and (writes enabled or effect is read) and the provider
//! is available and no flag excludes it.

mod narrowing;
mod selector;
mod unknown_name;

use std::sync::Arc;

use crate::authority::{
    Authority, Effect, Joining, Operation, RemovedTool, Served, Tables, contains,
};
use crate::availability::Providers;
use crate::fault::{Code, Fault};
use crate::suggest;

use narrowing::Narrowing;
pub use selector::Selector;
pub use unknown_name::UnknownName;
use unknown_name::cut;

/// The restrictions of one caller. Fixed per endpoint and principal, never session state.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The authority that it decides over.
    pub authority: Authority,
    focus: usize,
    role: usize,
    /// Further focus modes and roles that must allow an operation too.
    narrowed: Vec<Narrowing>,
    writes: bool,
    enable_writes: Option<&'static str>,
    /// Sets of operations. One that is not in all of them is hidden.
    only: Vec<Vec<Selector>>,
    exclude: Vec<Selector>,
    /// `None` without an application: every provider then counts as available.
    providers: Option<Arc<Providers>>,
    /// The original choice, if the authority lacks its focus mode or role. Nothing is visible then.
    lost: Option<Arc<Policy>>,
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

impl Policy {
    /// Checks an operator's choice against the authority.
    ///
    /// # Errors
    /// A name that the authority does not have.
    pub fn new(authority: impl Into<Authority>, choice: &Choice) -> Result<Self, UnknownName> {
        let authority = authority.into();
        let tables = authority.tables();
        let focus = choice.focus.as_deref().map(|name| focus_named(tables, name));
        let role = choice.role.as_deref().map(|name| role_named(tables, name));
        let parse = |texts: &[String]| {
            texts.iter().map(|text| Selector::parse(tables, text)).collect::<Result<Vec<_>, _>>()
        };
        let (only, exclude) = (parse(&choice.only)?, parse(&choice.exclude)?);
        Ok(Self {
            focus: focus.transpose()?.unwrap_or_default(),
            role: role.transpose()?.unwrap_or_default(),
            narrowed: Vec::new(),
            writes: !choice.read_only,
            enable_writes: choice.enable_writes,
            only: if only.is_empty() { Vec::new() } else { vec![only] },
            exclude,
            providers: None,
            lost: None,
            authority,
        })
    }

    /// Returns the same choice for another authority, by name. If the authority lacks a focus mode or a role
    /// of the choice, nothing is visible.
    #[must_use]
    pub fn over(&self, authority: &Authority) -> Self {
        let choice = self.lost.as_deref().unwrap_or(self);
        let found = choice.found_in(authority.tables());
        let lost = if found.is_some() { None } else { Some(Arc::new(choice.clone())) };
        let (focus, role, narrowed) = found.unwrap_or_default();
        Self { authority: authority.clone(), focus, role, narrowed, lost, ..choice.clone() }
    }

    /// Returns the positions of the focus modes and roles of this choice in other tables; `None` if one is
    /// missing.
    fn found_in(&self, other: &Tables<'_>) -> Option<(usize, usize, Vec<Narrowing>)> {
        let own = self.tables();
        let focus = |at: usize| focus_named(other, own.focus[at].name).ok();
        let role = |at: usize| role_named(other, own.roles[at].name).ok();
        let narrowed = self.narrowed.iter().map(|narrowing| {
            Some(Narrowing { focus: focus(narrowing.focus)?, role: role(narrowing.role)? })
        });
        Some((focus(self.focus)?, role(self.role)?, narrowed.collect::<Option<_>>()?))
    }

    /// Returns the tables of the authority that it decides over.
    pub fn tables(&self) -> &Tables<'_> {
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
        self.chain().map(|narrowing| narrowing.role).all(|role| {
            let allowed = self.tables().roles[role].operations;
            (0..self.tables().operations.len()).all(|index| contains(allowed, index))
        })
    }

    /// Returns the same choice with the role of a credential.
    ///
    /// # Errors
    /// A name that the authority does not have.
    pub fn as_role(&self, name: &str) -> Result<Self, UnknownName> {
        Ok(Self { role: role_named(self.tables(), name)?, ..self.clone() })
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
        Self { writes: false, ..self.clone() }
    }

    /// Returns the same choice for only those of its operations that a selector matches.
    #[must_use]
    pub fn only(&self, selectors: Vec<Selector>) -> Self {
        let mut narrow = self.clone();
        narrow.only.push(selectors);
        narrow
    }

    /// Returns the same choice without the operations that a selector matches.
    #[must_use]
    pub fn without(&self, selector: Selector) -> Self {
        let mut narrow = self.clone();
        narrow.exclude.push(selector);
        narrow
    }

    /// Whether anything but reads may run.
    pub fn writes(&self) -> bool {
        self.writes
    }

    /// Returns the same choice under the focus mode at this position.
    #[must_use]
    pub fn under_focus(&self, focus: usize) -> Self {
        Self { focus, ..self.clone() }
    }

    /// Decides about one operation. The order matters: an operation that the role may not use is hidden,
    /// whatever else withholds it.
    pub fn decide(&self, index: usize) -> Decision {
        let index = self.tables().governing(index);
        let operation = &self.tables().operations[index];
        let excluded = |set: &[Selector]| set.iter().any(|s| s.matches(operation));
        let mut roles = self.chain().map(|narrowing| narrowing.role);
        if self.lost.is_some()
            || !roles.all(|role| contains(self.tables().roles[role].operations, index))
            || !self.only.iter().all(|only| excluded(only))
            || excluded(&self.exclude)
        {
            Decision::Hidden
        } else if !self.writes && operation.effect != Effect::Read {
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

    /// Returns every operation that the caller may use through tools, with its position.
    pub fn visible(&self) -> impl Iterator<Item = (usize, &Operation<'_>)> {
        let operations = self.tables().operations.iter().enumerate();
        operations
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
        let is_required =
            |own: &Operation<'_>| own.requires.is_some_and(|at| usize::from(at) == provider);
        let mut operations = tables.operations.iter().enumerate();
        operations.any(|(index, own)| is_required(own) && self.knows(index))
            || tables.joining.iter().enumerate().any(|(at, joining)| {
                usize::from(joining.provider) == provider && self.lets_join(at, *joining)
            })
    }

    /// Whether the caller may use operations that join by this rule, as far as roles and flags decide.
    fn lets_join(&self, at: usize, joining: Joining) -> bool {
        let tables = self.tables();
        let covers = |selectors: &[Selector]| {
            selectors.iter().any(|selector| match selector {
                Selector::All | Selector::Effect(_) => true,
                Selector::Category(name) => {
                    tables.categories[usize::from(joining.category)].name == name
                }
                Selector::Group(_) => selector.may_match(tables, joining),
                Selector::Operation(_) | Selector::Tag(_) => false,
            })
        };
        let whole = |selectors: &[Selector]| {
            selectors.iter().any(|selector| match selector {
                Selector::Effect(_) => false,
                _ => covers(std::slice::from_ref(selector)),
            })
        };
        let mut roles = self
            .chain()
            .map(|narrowing| narrowing.role)
            .map(|role| tables.roles[role].joining.get(at).copied());
        self.lost.is_none()
            && roles.all(|effects| effects.is_some_and(|effects| effects != 0))
            && self.only.iter().all(|only| covers(only))
            && !whole(&self.exclude)
    }

    /// Admits a call of the operation at this position.
    ///
    /// # Errors
    /// The fault for the caller, if the policy withholds the operation.
    pub fn admit(&self, index: usize) -> Result<(), Fault> {
        let operation = &self.tables().operations[index];
        let fault = match self.decide(index) {
            Decision::Visible => return Ok(()),
            Decision::Hidden => return Err(self.not_found(operation.id)),
            Decision::WritesDisabled => Fault::new(
                Code::WritesDisabled,
                format!("`{}` changes data, and this server is read-only.", operation.id),
            )
            .hinting(match self.enable_writes {
                Some(variable) => format!("The operator can restart the server with {variable}=1."),
                None => "The operator can restart the server without --read-only.".to_owned(),
            }),
            Decision::FocusRestricted => self.outside_focus(index),
            Decision::ProviderMissing => match &self.providers {
                Some(providers) => providers.missing(operation),
                None => return Ok(()),
            },
        };
        Err(fault.of(operation.id))
    }

    /// Returns the fault for an operation that a focus mode withholds.
    fn outside_focus(&self, index: usize) -> Fault {
        let tables = self.tables();
        let withholding = self.chain().find(|narrowing| !narrowing.allows(tables, index));
        let focus = withholding.map_or(self.focus, |narrowing| narrowing.focus);
        let (id, name) = (tables.operations[index].id, tables.focus[focus].name);
        let message = format!("`{id}` is outside the focus mode `{name}`.");
        // The first of the chain is the operator's; what follows is from the request.
        let is_named = self.chain().next().is_some_and(|first| first.allows(tables, index));
        let hint = if is_named {
            format!("Call it without naming the focus mode `{name}`.")
        } else {
            self.wider_focus(index)
        };
        Fault::new(Code::FocusRestricted, message).hinting(hint)
    }

    fn wider_focus(&self, index: usize) -> String {
        let allows = |focus: &usize| contains(self.tables().policy[*focus][self.role], index);
        let modes: Vec<&str> = (0..self.tables().focus.len())
            .filter(allows)
            .map(|focus| self.tables().focus[focus].name)
            .collect();
        if modes.is_empty() {
            "No focus mode allows it for this role.".to_owned()
        } else {
            format!("The operator can choose a focus mode that allows it: {}.", modes.join(", "))
        }
    }

    /// Returns `TOOL_NOT_FOUND` with the closest names that this caller may use, and how to call the first.
    pub fn not_found(&self, name: &str) -> Fault {
        let mut removed = self.tables().removed_tools.iter();
        if let Some(removed) = removed.find(|removed| removed.name == name)
            && let Some(fault) = self.removed(removed)
        {
            return fault;
        }
        let close = suggest::closest(name, self.visible().map(|(_, operation)| operation.id));
        let best = close.first().and_then(|id| self.tables().lookup(id));
        let fault =
            Fault::new(Code::ToolNotFound, format!("There is no operation `{}`.", cut(name)));
        let fault = match best.map(|name| &self.tables().operations[usize::from(name.operation)]) {
            Some(operation) => fault.teaching(operation.signature, operation.example()),
            None => fault,
        };
        fault.did_you_mean(close)
    }

    /// Returns the fault for a tool that is gone; `None` if its note would reveal a hidden operation.
    fn removed(&self, removed: &RemovedTool<'_>) -> Option<Fault> {
        let message = format!("`{}` is no longer offered.", removed.name);
        let fault = Fault::new(Code::ToolNotFound, message).hinting(removed.note);
        let Some(index) = removed.replacement.map(usize::from) else { return Some(fault) };
        let operation = &self.tables().operations[index];
        self.knows(index).then(|| {
            fault
                .did_you_mean(vec![operation.id.to_owned()])
                .teaching(operation.signature, operation.example())
        })
    }
}

fn focus_named(tables: &Tables<'_>, name: &str) -> Result<usize, UnknownName> {
    position("focus mode", name, tables.focus.iter().map(|focus| focus.name))
}

fn role_named(tables: &Tables<'_>, name: &str) -> Result<usize, UnknownName> {
    position("role", name, tables.roles.iter().map(|role| role.name))
}

fn position<'a>(
    what: &'static str,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<usize, UnknownName> {
    names.clone().position(|n| n == name).ok_or_else(|| UnknownName::new(what, name, names))
}
