//! Every call leaves a trace, whatever became of it.

use std::time::Instant;

use super::Service;
use crate::call::Call;
use crate::fault::Result;
use crate::outcome::Outcome;

pub(super) struct Audit<N>(N);

impl<N> Audit<N> {
    pub(super) fn new(next: N) -> Self {
        Self(next)
    }
}

impl<N: Service<Call>> Service<Call> for Audit<N> {
    async fn call(&self, call: Call) -> Result<Outcome> {
        if !tracing::enabled!(target: "toolwrit::audit", tracing::Level::INFO) {
            return self.0.call(call).await;
        }
        let (name, caller) = (call.name.clone(), call.caller.clone());
        let start = Instant::now();
        let result = self.0.call(call).await;
        let outcome = match &result {
            Ok(_) => "ok".to_owned(),
            Err(fault) => format!("{:?}", fault.code()),
        };
        tracing::info!(
            target: "toolwrit::audit",
            operation = name,
            principal = %caller.principal,
            client = caller.client.as_deref(),
            surface = caller.surface.as_str(),
            role = caller.policy.role(),
            focus = caller.policy.focus(),
            outcome,
            micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX),
            "call"
        );
        result
    }
}
