//! Parses the arguments once. A failure teaches: it carries the signature and a valid example.

use super::Service;
use crate::arguments;
use crate::call::{Admitted, Bound};
use crate::fault::Result;
use crate::outcome::Outcome;
use crate::shaping::Shaping;
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
        let arguments = arguments::bind(operation.inputs, arguments).map_err(|fault| {
            fault.of(operation.id).teaching(operation.signature, operation.example())
        })?;
        caller.trail.passed(state::redacted(operation.inputs, &arguments));
        let mut outcome = self.0.call(Bound { index, operation, arguments, caller }).await?;
        outcome.alias = alias;
        shaping.apply(&mut outcome.value);
        Ok(outcome)
    }
}
