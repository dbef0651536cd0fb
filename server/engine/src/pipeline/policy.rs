//! Finds the operation and asks the gate.

use std::future::Future;

use serde_json::{Map, Value};

use super::{Service, onward};
use crate::authority::Alias;
use crate::call::{Admitted, Call};
use crate::fault::Result;
use crate::outcome::Outcome;

pub(super) struct Gate<N>(N);

impl<N> Gate<N> {
    pub(super) fn new(next: N) -> Self {
        Self(next)
    }
}

impl<N: Service<Admitted>> Service<Call> for Gate<N> {
    fn call(&self, call: Call) -> impl Future<Output = Result<Outcome>> + Send {
        onward(admit(call), |admitted| self.0.call(admitted))
    }
}

fn admit(call: Call) -> Result<Admitted> {
    let policy = &call.caller.policy;
    let Some(name) = policy.authority.lookup(&call.name) else {
        return Err(policy.not_found(&call.name));
    };
    let index = usize::from(name.operation);
    let operation = &policy.authority.operations[index];
    if !policy.knows(index) {
        // The same answer as for a name that was never declared.
        return Err(policy.not_found(&call.name));
    }
    policy.admit(index)?;
    let alias = name.alias.map(|at| &operation.aliases[usize::from(at)]);
    let arguments = match alias {
        Some(alias) => translate(alias, call.arguments),
        None => call.arguments,
    };
    Ok(Admitted { index, operation, alias, arguments, caller: call.caller })
}

/// Turns an older name's arguments into today's. A fixed argument wins over one that was sent.
fn translate(alias: &Alias, arguments: Map<String, Value>) -> Map<String, Value> {
    let rename = |name: String| {
        let renamed = alias.args.iter().find(|(older, _)| *older == name);
        renamed.map_or(name, |(_, current)| (*current).to_owned())
    };
    let mut today: Map<_, _> =
        arguments.into_iter().map(|(name, value)| (rename(name), value)).collect();
    for (name, text) in alias.set {
        // The macro has checked that the text is JSON that fits.
        today.insert((*name).to_owned(), serde_json::from_str(text).unwrap_or_default());
    }
    today
}
