//! What the tool browser asks of an endpoint.

use serde_json::{Map, Value};

use super::{Endpoint, Request};
use toolwrit_core::audit::row::{AuditFilter, AuditRow};
use toolwrit_core::call::Call;
use toolwrit_core::fault::{Fault, Result};
use toolwrit_core::json::size::object_size;
use toolwrit_core::provider::{Control, OperatorView};

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

    /// Returns what an operator sees of the provider of this name; `None` if the caller knows no such provider.
    pub fn operator_view(&self, provider: &str) -> Option<OperatorView> {
        let at = self.tables().providers.iter().position(|declared| declared.name == provider)?;
        let supervisors = self.engine.supervisors().filter(|_| self.policy.knows_provider(at));
        supervisors?.operator_view(provider)
    }

    /// Does what an operator has asked for about the provider of this name. The caller must be allowed to.
    ///
    /// # Errors
    /// If the provider still cannot be used, or does not exist.
    pub async fn control(&self, provider: &str, control: Control) -> Result<()> {
        match self.engine.supervisors() {
            Some(supervisors) => supervisors.control(provider, control).await,
            None => Err(Fault::internal("there are no providers")),
        }
    }

    /// Returns the calls of the audit that match the filter, oldest first; `None` if no audit is kept.
    pub async fn recorded_calls(&self, filter: AuditFilter) -> Option<Vec<AuditRow>> {
        self.engine.state.calls(filter).await.ok()
    }
}
