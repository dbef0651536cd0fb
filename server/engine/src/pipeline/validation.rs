//! Parses the arguments once. A failure teaches: it carries the signature and a valid example.

use std::future::Future;

use futures::FutureExt as _;

use super::{Service, onward};
use crate::arguments;
use crate::authority::Operation;
use crate::call::{Admitted, Bound};
use crate::confirmed::Confirmed;
use crate::fault::Result;
use crate::held::Held;
use crate::outcome::Outcome;
use crate::recorded_arguments::redacted;
use crate::shaping::Shaping;
use crate::slot::{Slot, Slots};

pub(super) struct Validation<N>(N);

impl<N> Validation<N> {
    pub(super) fn new(next: N) -> Self {
        Self(next)
    }
}

impl<N: Service<Bound>> Service<Admitted> for Validation<N> {
    fn call(&self, admitted: Admitted) -> impl Future<Output = Result<Outcome>> + Send {
        let (operation, alias) = (admitted.operation, admitted.alias);
        onward(bind(admitted), |(call, shaping)| {
            self.0.call(call).map(move |result| {
                let outcome = result?;
                let value = shaping
                    .apply(operation, outcome.value)
                    .map_err(|fault| fault.of(operation.id))?;
                Ok(Outcome { operation, alias, value })
            })
        })
    }
}

fn bind(admitted: Admitted) -> Result<(Bound, Shaping)> {
    let Admitted { index, operation, arguments, caller, .. } = admitted;
    let (mut arguments, shaping) = arguments::bind(operation.inputs, arguments)
        .and_then(|arguments| {
            let shaping = Shaping::of(operation, &arguments)?;
            Ok((arguments, shaping))
        })
        .map_err(|fault| {
            fault.of(operation.id).teaching(operation.signature, operation.example())
        })?;
    // No part of what the call means: neither its key nor its record knows it.
    let confirm = if operation.confirm { take_confirm(operation, &mut arguments) } else { None };
    caller.trail.passed(redacted(operation.inputs, &arguments));
    let (confirmed, keyed, held) = (Confirmed::default(), None, Held::default());
    let bound = Bound { index, operation, arguments, confirm, keyed, held, confirmed, caller };
    Ok((bound, shaping))
}

fn take_confirm(operation: &Operation, arguments: &mut Slots) -> Option<String> {
    let at = operation.inputs.iter().position(|field| field.name == Operation::CONFIRM)?;
    match arguments.take_at(at) {
        Slot::String(ticket) => Some(ticket),
        _ => None,
    }
}
