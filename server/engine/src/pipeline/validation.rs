//! Parses the arguments once. A failure teaches: it carries the signature and a valid example.

use super::Service;
use crate::arguments;
use crate::call::{Admitted, Bound};
use crate::fault::Result;
use crate::outcome::Outcome;

pub(super) struct Validation<N>(N);

impl<N> Validation<N> {
    pub(super) fn new(next: N) -> Self {
        Self(next)
    }
}

impl<N: Service<Bound>> Service<Admitted> for Validation<N> {
    async fn call(&self, admitted: Admitted) -> Result<Outcome> {
        let Admitted { index, operation, alias, arguments, caller } = admitted;
        let selection = operation.select.then(|| arguments.get("fields").cloned()).flatten();
        let arguments = arguments::bind(operation.inputs, arguments).map_err(|fault| {
            let example = operation.example.and_then(|text| serde_json::from_str(text).ok());
            fault.of(operation.id).teaching(operation.signature, example)
        })?;
        let mut outcome = self.0.call(Bound { index, operation, arguments, caller }).await?;
        outcome.alias = alias;
        outcome.select(selection.as_ref());
        Ok(outcome)
    }
}
