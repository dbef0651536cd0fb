//! A call in the pipeline. Each phase has its own type, so that no phase can be skipped: only the policy
//! phase creates an `Admitted`, and only validation creates a `Validated`.

pub mod audit_arguments;
pub(crate) mod batch;
pub mod bound_call;
pub mod caller_info;
pub mod calls;
pub mod context;
pub(crate) mod held;
pub mod reports;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::arguments::value::ArgValues;
use crate::authority::OperationHandle;
use crate::call::audit_arguments::AuditArguments;
use crate::call::caller_info::CallerInfo;
use crate::call::held::Held;
use crate::call::reports::Reports;
use crate::caller::principal::Principal;
use crate::caller::session_calls::SessionCalls;
use crate::dialogue::Dialogue;
use crate::dialogue::confirmed::Confirmed;
use crate::policy::Policy;

/// A call as a surface passes it to the pipeline.
#[derive(Debug)]
pub struct Call {
    /// The operation as the caller named it: id, wire name or alias.
    pub name: String,
    /// The arguments as received.
    pub arguments: Map<String, Value>,
    /// The bytes of the received JSON: the arguments, with the object that a surface puts around them.
    pub bytes: usize,
    /// The caller. Boxed, because the future of each phase holds the call.
    pub caller: Box<Caller>,
}

/// The caller, and what else handlers may know about the request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Who makes the call. The calls of its handler share it.
    pub info: Arc<CallerInfo>,
    /// The counter of calls of the session; `None` without a session.
    pub session: Option<SessionCalls>,
    /// The idempotency key as received, so that a repeated call does not run twice.
    pub idempotency_key: Option<Value>,
    /// The arguments that the audit may keep, set by validation.
    pub audit_arguments: AuditArguments,
    /// How the handler can ask the client questions.
    pub dialogue: Dialogue,
    /// Cancelled when the client cancels or disconnects.
    pub cancellation: CancellationToken,
    /// Where progress and log messages go.
    pub reports: Reports,
    /// Whether a running call makes this one, and its permits suffice for both.
    pub is_nested: bool,
}

impl Caller {
    /// Returns what the caller may do.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.info.policy
    }

    /// Returns on whose behalf the call is made.
    pub fn principal(&self) -> &Principal {
        &self.info.origin.principal
    }

    /// Puts the caller under another policy.
    pub fn set_policy(&mut self, policy: Arc<Policy>) {
        if !Arc::ptr_eq(&policy, &self.info.policy) {
            Arc::make_mut(&mut self.info).policy = policy;
        }
    }
}

/// A call that the policy allows.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) operation: OperationHandle,
    /// The position of the older name that the caller used; `None` if the caller used the current one.
    pub(crate) alias: Option<u16>,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) caller: Box<Caller>,
}

/// A call with valid arguments.
#[derive(Debug, Clone)]
pub(crate) struct Validated {
    pub(crate) operation: OperationHandle,
    pub(crate) arguments: ArgValues,
    /// The position of the instance that it is about; 0 if there is only one.
    pub(crate) instance: usize,
    /// The confirmation token from the argument `confirm`.
    pub(crate) confirm: Option<String>,
    /// Set if the call has an idempotency key. Once begun, it runs to its end even if the client disconnects.
    pub(crate) keyed: Option<Start>,
    pub(crate) held: Held,
    /// The confirmation, set once the user has given it.
    pub(crate) confirmed: Confirmed,
    pub(crate) caller: Box<Caller>,
}

/// Whether a call has reached its handler, and whether it still may. Clones share it.
#[derive(Clone)]
pub(crate) struct Start(Arc<Beginning>);

struct Beginning {
    may_begin: Box<dyn Fn() -> bool + Send + Sync>,
    has_begun: AtomicBool,
}

impl Start {
    /// The start of a call that may begin as long as this holds: others may take over what waits for too long.
    pub(crate) fn while_held(may_begin: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let may_begin = Box::new(may_begin);
        Self(Arc::new(Beginning { may_begin, has_begun: AtomicBool::new(false) }))
    }

    /// Notes that from now on the handler may have changed something. Returns whether the call may begin.
    pub(crate) fn begin(&self) -> bool {
        let may_begin = self.has_begun() || (self.0.may_begin)();
        self.0.has_begun.store(may_begin, Ordering::Release);
        may_begin
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.0.has_begun.load(Ordering::Acquire)
    }
}

impl fmt::Debug for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Start").field(&self.has_begun()).finish()
    }
}
