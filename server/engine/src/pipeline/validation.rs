//! Parses the arguments once. A failure teaches: it carries the signature and a valid example.

use super::Service;
use crate::arguments;
use crate::authority::Operation;
use crate::call::{Admitted, Bound};
use crate::fault::Result;
use crate::outcome::Outcome;
use crate::shaping::Shaping;
use crate::slot::{Slot, Slots};
use crate::state;

pub(super) struct Validation<N>(N);

impl<N> Validation<N> {
    pub(super) fn new(next: N) -> Self {
        Self(next)
    }
}

impl<N: Service<Bound>> Service<Admitted> for Validation<N> {
    async fn call(&self, admitted: Admitted) -> Result<Outcome> {
        let Admitted { index, operation, alias, arguments, caller } = admitted;
        let shaping = Shaping::of(operation, &arguments);
        let mut arguments = arguments::bind(operation.inputs, arguments).map_err(|fault| {
            fault.of(operation.id).teaching(operation.signature, operation.example())
        })?;
        // No part of what the call means: neither its key nor its record knows it.
        let confirm =
            if operation.confirm { take_confirm(operation, &mut arguments) } else { None };
        caller.trail.passed(state::redacted(operation.inputs, &arguments));
        let mut outcome =
            self.0.call(Bound { index, operation, arguments, confirm, caller }).await?;
        outcome.alias = alias;
        shaping.apply(&mut outcome.value);
        Ok(outcome)
    }
}

fn take_confirm(operation: &Operation, arguments: &mut Slots) -> Option<String> {
    let at = operation.inputs.iter().position(|field| field.name == Operation::CONFIRM)?;
    match arguments.take_at(at) {
        Slot::String(ticket) => Some(ticket),
        _ => None,
    }
}
