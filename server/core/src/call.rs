//! A call on its way through the pipeline. Each phase has its own type, so a phase cannot be
//! skipped: only policy makes an `Admitted`, only validation makes a `Bound`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::arg_value::ArgValues;
use crate::audit_arguments::AuditArguments;
use crate::authority::OperationHandle;
use crate::confirmed::Confirmed;
use crate::dialogue::Dialogue;
use crate::held::Held;
use crate::policy::Policy;
use crate::principal::{Attributes, Principal};
use crate::reports::Reports;
use crate::sender::{ClientInfo, RequestId};
use crate::session_calls::SessionCalls;
use crate::surface_kind::SurfaceKind;
use crate::trace_parent::TraceParent;

/// A call as a surface hands it over.
#[derive(Debug)]
pub struct Call {
    /// The operation as the caller named it: id, wire name or alias.
    pub name: String,
    /// The arguments as they arrived.
    pub arguments: Map<String, Value>,
    /// The size of what arrived as JSON: the arguments, and what a surface wraps around them.
    pub bytes: usize,
    /// Who asks, and the circumstances. Boxed, because the future of each phase holds the call.
    pub caller: Box<Caller>,
}

/// Who asks, and the circumstances that handlers may observe.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Who may do what.
    pub policy: Arc<Policy>,
    /// For whom the call is made.
    pub principal: Principal,
    /// What the credential says beyond name and role.
    pub attributes: Option<Arc<Attributes>>,
    /// The program that asks, if it says which one it is.
    pub client: Option<ClientInfo>,
    /// What the client calls the request; none on the command line.
    pub request_id: Option<RequestId>,
    /// The calls of the session that it is in, if it is in one.
    pub session: Option<SessionCalls>,
    /// The surface that it uses; none on the command line.
    pub surface: Option<SurfaceKind>,
    /// The caller's name for this call, as it arrived, so that a repeat is not done twice.
    pub idempotency_key: Option<Value>,
    /// The trace that the call belongs to.
    pub trace: Option<TraceParent>,
    /// What the audit may keep of the arguments, once they have passed validation.
    pub audit_arguments: AuditArguments,
    /// How it can be asked something.
    pub dialogue: Dialogue,
    /// Cancelled when the caller goes or cancels.
    pub cancellation: CancellationToken,
    /// Where progress and log messages go.
    pub reports: Reports,
}

/// A call that the gate let through.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) operation: OperationHandle,
    /// The position of the older name that was used.
    pub(crate) alias: Option<u16>,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) caller: Box<Caller>,
}

/// A call whose arguments fit.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub(crate) operation: OperationHandle,
    pub(crate) arguments: ArgValues,
    /// The confirmation token that came as the argument `confirm`.
    pub(crate) confirm: Option<String>,
    /// There if the call has an idempotency key: once begun, it runs to its end, even if the caller disconnects.
    pub(crate) keyed: Option<Start>,
    pub(crate) held: Held,
    /// What was confirmed, once it was.
    pub(crate) confirmed: Confirmed,
    pub(crate) caller: Box<Caller>,
}

/// Whether a call has reached its handler. Clones tell of the same call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Start(Arc<AtomicBool>);

impl Start {
    /// From now on the handler may have done something.
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
