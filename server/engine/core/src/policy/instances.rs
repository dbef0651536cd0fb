//! The policies of instances: each can only take away from what the caller may do anyway.

use super::{Decision, Policy, UnknownName, focus_named, narrowing::Narrowing, role_named};
use crate::authority::instances::parameter;
use crate::authority::{Authority, Instance, Operation, Served};
use crate::fault::{Code, Fault};
use toolwrit_text::{nearest, shorten};

/// A name in the policy of an instance that the authority does not have.
#[derive(Debug, thiserror::Error)]
#[error("`{instance}`: {unknown}")]
pub(crate) struct UnknownInInstance {
    instance: String,
    #[source]
    unknown: Box<UnknownName>,
}

/// Checks the names in the policies of instances.
///
/// # Errors
/// A focus mode or a role that the authority does not have.
pub(crate) fn check_names(authority: &Authority) -> Result<(), UnknownInInstance> {
    let tables = authority.tables();
    let check = |Instance { focus, roles, .. }: &Instance| {
        focus.iter().try_for_each(|name| focus_named(tables, name).map(drop))?;
        roles.iter().flatten().try_for_each(|name| role_named(tables, name).map(drop))
    };
    authority.instances().iter().try_for_each(|instance| {
        check(instance).map_err(|unknown| UnknownInInstance {
            instance: instance.name.clone(),
            unknown: Box::new(unknown),
        })
    })
}

impl Policy {
    /// Returns the instances that the caller may know, each with its position.
    pub fn known_instances(&self) -> impl Iterator<Item = (usize, &Instance)> {
        let instances = self.authority.instances().iter().enumerate();
        instances.filter(|(_, instance)| self.may_use(instance))
    }

    /// Whether each role in force may use the instance.
    fn may_use(&self, instance: &Instance) -> bool {
        let roles = &self.tables().roles;
        self.chain().all(|narrowing| {
            roles.get(narrowing.role).is_none_or(|role| instance.admits(&role.name))
        })
    }

    /// Decides about an operation that nothing else withholds. One instance that allows it suffices.
    pub(super) fn decide_on_instances(&self, index: usize) -> Decision {
        let Some(operation) = self.tables().operations.get(index) else { return Decision::Hidden };
        if self.authority.instances().is_empty() || parameter(self.tables(), operation).is_none() {
            return Decision::Visible;
        }
        let mut decisions = self
            .known_instances()
            .filter(|(at, _)| can_be_on(operation, *at))
            .map(|(_, instance)| self.decide_on(index, instance));
        let first = decisions.next().unwrap_or(Decision::Hidden);
        if decisions.any(|decision| decision == Decision::Visible) {
            Decision::Visible
        } else {
            first
        }
    }

    /// Decides about an operation on one instance.
    pub(super) fn decide_on(&self, index: usize, instance: &Instance) -> Decision {
        let tables = self.tables();
        let allows = |name: &String| {
            let focus = focus_named(tables, name);
            let in_focus = |focus| Narrowing { focus, ..self.found.first }.allows(tables, index);
            focus.is_ok_and(in_focus)
        };
        if !instance.lets_run(tables.operations[index].effect) {
            Decision::WritesDisabled
        } else if !instance.focus.iter().all(allows) {
            Decision::FocusRestricted
        } else {
            Decision::Visible
        }
    }

    /// Returns the position of the instance that a call of an operation selects; 0 without a name, and if there is only one.
    ///
    /// # Errors
    /// `NOT_FOUND` if the caller knows no instance of this name, and what the policy of the instance withholds.
    pub(crate) fn select_instance(&self, index: usize, name: Option<&str>) -> Result<usize, Fault> {
        let operation = &self.tables().operations[index];
        let Some(parameter) = parameter(self.tables(), operation) else { return Ok(0) };
        let mut known = self.known_instances().filter(|(at, _)| can_be_on(operation, *at));
        let found = match name {
            Some(name) => known.find(|(_, instance)| instance.name == name),
            None => known.next(),
        };
        let Some((at, instance)) = found else {
            return Err(match name {
                Some(name) => self.unknown_instance(parameter, name),
                None => self.not_found(&operation.id),
            });
        };
        match self.decide_on(index, instance) {
            Decision::Visible => Ok(at),
            decision => Err(self.withheld_on(index, instance, decision)),
        }
    }

    fn unknown_instance(&self, parameter: &str, name: &str) -> Fault {
        let names: Vec<&str> =
            self.known_instances().map(|(_, instance)| instance.name.as_str()).collect();
        let message = format!("There is no {parameter} `{}`.", shorten::name(name));
        Fault::new(Code::NotFound, message)
            .with_path(format!("/{parameter}"))
            .expecting(names.join("|"))
            .got(shorten::name(name))
            .did_you_mean(nearest::closest(name, names))
    }
}

/// Whether the operation can be about the instance at this position. What has no parameters of the manifest is about the first.
fn can_be_on(operation: &Operation, at: usize) -> bool {
    at == 0 || (!operation.is_dynamic && operation.served == Served::Tool)
}
