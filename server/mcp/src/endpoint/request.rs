//! A request, as a transport describes it.

use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use toolwrit_core::audit_arguments::AuditArguments;
use toolwrit_core::call::Caller;
use toolwrit_core::dialogue::Dialogue;
use toolwrit_core::policy::Policy;
use toolwrit_core::principal::{Attributes, Principal};
use toolwrit_core::reports::Reports;
use toolwrit_core::sender::{ClientInfo, RequestId};
use toolwrit_core::session_calls::SessionCalls;
use toolwrit_core::surface_kind::SurfaceKind;
use toolwrit_core::trace_parent::TraceParent;
use toolwrit_core::unique::Repeated;

/// The circumstances of one request.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// For whom it is made.
    pub principal: Principal,
    /// What the credential says beyond name and role.
    pub attributes: Option<Arc<Attributes>>,
    /// The program that asks, if it says which one it is.
    pub client: Option<ClientInfo>,
    /// What the client calls the request.
    pub request_id: Option<RequestId>,
    /// The calls of the session that it is made in, if it is made in one.
    pub session: Option<SessionCalls>,
    /// The caller's name for this call, as it arrived.
    pub idempotency_key: Option<Value>,
    /// The trace that it belongs to.
    pub trace: Option<TraceParent>,
    /// How the caller can be asked something.
    pub dialogue: Dialogue,
    /// Cancelled when the caller goes or cancels.
    pub cancellation: CancellationToken,
    /// Where progress and log messages go.
    pub reports: Reports,
    /// A key that is there twice in its arguments.
    pub repeated: Option<Repeated>,
}

impl Request {
    pub(super) fn caller(self, policy: &Arc<Policy>, surface: Option<SurfaceKind>) -> Box<Caller> {
        Box::new(Caller {
            policy: policy.clone(),
            principal: self.principal,
            attributes: self.attributes,
            client: self.client,
            request_id: self.request_id,
            session: self.session,
            surface,
            idempotency_key: self.idempotency_key,
            trace: self.trace,
            audit_arguments: AuditArguments::default(),
            dialogue: self.dialogue,
            cancellation: self.cancellation,
            reports: self.reports,
        })
    }
}
