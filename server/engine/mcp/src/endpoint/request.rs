//! A request, as a transport describes it.

use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use toolwrit_core::call::Caller;
use toolwrit_core::call::audit_arguments::AuditArguments;
use toolwrit_core::call::caller_info::CallerInfo;
use toolwrit_core::call::reports::Reports;
use toolwrit_core::caller::origin::Origin;
use toolwrit_core::caller::session_calls::SessionCalls;
use toolwrit_core::caller::surface_kind::SurfaceKind;
use toolwrit_core::dialogue::Dialogue;
use toolwrit_core::json::unique::Repeated;
use toolwrit_core::policy::Policy;
use toolwrit_text::numbers::WrittenNumbers;

/// What the transport knows about one request. The default is an internal request without a client.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Where the request comes from.
    pub origin: Origin,
    /// The counter of calls of the session; `None` without a session.
    pub session: Option<SessionCalls>,
    /// The idempotency key as received, not validated.
    pub idempotency_key: Option<Value>,
    /// How the handler can ask the client questions.
    pub dialogue: Dialogue,
    /// Cancelled when the client cancels or disconnects.
    pub cancellation: CancellationToken,
    /// Where progress and log messages go.
    pub reports: Reports,
    /// A key that the arguments contain twice.
    pub repeated: Option<Repeated>,
    /// The numbers of the arguments as they were written.
    pub numbers: WrittenNumbers,
}

impl Request {
    pub(super) fn caller(self, policy: &Arc<Policy>, surface: Option<SurfaceKind>) -> Box<Caller> {
        Box::new(Caller {
            info: Arc::new(CallerInfo {
                policy: policy.clone(),
                surface,
                origin: self.origin,
                numbers: self.numbers,
            }),
            session: self.session,
            idempotency_key: self.idempotency_key,
            audit_arguments: AuditArguments::default(),
            dialogue: self.dialogue,
            cancellation: self.cancellation,
            reports: self.reports,
            is_nested: false,
        })
    }
}
