//! What the tool browser asks of an endpoint.

use serde_json::{Map, Value};

use super::{Endpoint, Request};
use toolwrit_core::audit_row::{AuditFilter, AuditRow};
use toolwrit_core::call::Call;
use toolwrit_core::fault::Result;
use toolwrit_core::json_size::object_size;

impl Endpoint {
    /// Checks a call of an operation by name, as far as validation. Nothing runs.
    ///
    /// # Errors
    /// The fault with which the call would fail before its handler.
    pub async fn check(
        &self,
        name: String,
        arguments: Map<String, Value>,
        request: Request,
    ) -> Result<()> {
        self.policy.refresh();
        if let Some(repeated) = &request.repeated {
            return Err(self.ambiguous(&name, &arguments, repeated));
        }
        let bytes = object_size(&arguments);
        let caller = request.caller(&self.policy, Some(self.surface.kind));
        let checked = self.engine.pipeline.check(Call { name, arguments, bytes, caller }).await;
        checked.map_err(|fault| self.with_hint(fault))
    }

    /// Examines the provider of this name now, and waits for the result. Returns whether there is such a provider.
    pub async fn examine(&self, provider: &str) -> bool {
        self.engine.examine(provider).await
    }

    /// Returns the calls of the audit that match the filter, oldest first; `None` if no audit is kept.
    pub async fn recorded_calls(&self, filter: AuditFilter) -> Option<Vec<AuditRow>> {
        self.engine.state.calls(filter).await.ok()
    }

    /// Returns the command that runs the server's program, if the transport knows it.
    pub fn command(&self) -> Option<&'static str> {
        self.surface.command()
    }
}
