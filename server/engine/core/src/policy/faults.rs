//! The faults for what a policy withholds.

use toolwrit_text::{nearest, shorten};

use super::{Decision, Policy, contains};
use crate::authority::{Instance, RemovedTool};
use crate::fault::{Code, Fault};

impl Policy {
    /// Admits a call of the operation at this position.
    ///
    /// # Errors
    /// The fault for the caller, if the policy withholds the operation.
    pub fn admit(&self, index: usize) -> Result<(), Fault> {
        let operation = &self.tables().operations[index];
        let fault = match self.decide_apart_from_instances(index) {
            Decision::Visible if self.decide_on_instances(index) == Decision::Visible => {
                return Ok(());
            }
            Decision::Visible => match self.select_instance(index, None) {
                Ok(_) => return Ok(()),
                Err(fault) => fault,
            },
            Decision::Hidden => return Err(self.not_found(&operation.id)),
            Decision::WritesDisabled => {
                self.writes_disabled(&format!("`{}` changes data", operation.id))
            }
            Decision::FocusRestricted => self.outside_focus(index),
            Decision::ProviderMissing => match &self.providers {
                Some(providers) => providers.missing(operation),
                None => return Ok(()),
            },
        };
        Err(fault.of_operation(&operation.id))
    }

    /// Returns `WRITES_DISABLED` for what a read-only server does not do. `what` is the begin of the message, such as
    /// "`vault.write` changes data".
    pub fn writes_disabled(&self, what: &str) -> Fault {
        let message = format!("{what}, and this server is read-only.");
        Fault::new(Code::WritesDisabled, message).hinting(match self.chosen.choice.enable_writes {
            Some(variable) => format!("The operator can restart the server with {variable}=1."),
            None => "The operator can restart the server without --read-only.".to_owned(),
        })
    }

    /// Returns the fault for an operation that the policy of an instance withholds.
    pub(super) fn withheld_on(
        &self,
        index: usize,
        instance: &Instance,
        decision: Decision,
    ) -> Fault {
        let id = &self.tables().operations[index].id;
        let Instance { name, focus, .. } = instance;
        let fault = if let (Decision::FocusRestricted, Some(focus)) = (decision, focus) {
            let message =
                format!("`{id}` is outside the focus mode `{focus}`, which holds in `{name}`.");
            Fault::new(Code::FocusRestricted, message)
        } else {
            let message = format!("`{id}` changes data, and `{name}` is read-only.");
            Fault::new(Code::WritesDisabled, message)
        };
        let others = self.known_instances().map(|(_, other)| other);
        let allowing = others.filter(|other| self.decide_on(index, other) == Decision::Visible);
        let names: Vec<String> = allowing.map(|other| format!("`{}`", other.name)).collect();
        fault.hinting(if names.is_empty() {
            format!("The operator can change what is allowed in `{name}`.")
        } else {
            format!(
                "It is possible in {}. The operator can change what is allowed in `{name}`.",
                names.join(", ")
            )
        })
    }

    /// Returns the fault for an operation that a focus mode withholds.
    fn outside_focus(&self, index: usize) -> Fault {
        let tables = self.tables();
        let withholding = self.chain().find(|narrowing| !narrowing.allows(tables, index));
        let focus = withholding.map_or(self.found.first.focus, |narrowing| narrowing.focus);
        let (id, name) = (&tables.operations[index].id, &tables.focus[focus].name);
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
        let allows =
            |focus: &usize| contains(&self.tables().policy[*focus][self.found.first.role], index);
        let modes: Vec<&str> = (0..self.tables().focus.len())
            .filter(allows)
            .map(|focus| self.tables().focus[focus].name.as_str())
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
        let close =
            nearest::closest(name, self.visible().map(|(_, operation)| operation.id.as_str()));
        let best = close.first().and_then(|id| self.tables().lookup(id));
        let fault = Fault::new(
            Code::ToolNotFound,
            format!("There is no operation `{}`.", shorten::name(name)),
        );
        let fault = match best.map(|name| &self.tables().operations[usize::from(name.operation)]) {
            Some(operation) => fault.teaching(&operation.signature, operation.example()),
            None => fault,
        };
        fault.did_you_mean(close)
    }

    /// Returns the fault for a tool that is gone; `None` if its note would reveal a hidden operation.
    fn removed(&self, removed: &RemovedTool) -> Option<Fault> {
        let message = format!("`{}` is no longer offered.", removed.name);
        let fault = Fault::new(Code::ToolNotFound, message).hinting(removed.note.as_str());
        let Some(index) = removed.replacement.map(usize::from) else { return Some(fault) };
        let operation = &self.tables().operations[index];
        self.knows(index).then(|| {
            fault
                .did_you_mean(vec![operation.id.clone()])
                .teaching(&operation.signature, operation.example())
        })
    }
}
