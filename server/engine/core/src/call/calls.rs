//! Calls that a program makes on behalf of a caller, such as those of a conversation. Each runs through every phase of the
//! pipeline, and has a record of its own.

use std::fmt::Debug;
use std::sync::{Arc, Weak};

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::authority::Builtin;
use crate::call::audit_arguments::AuditArguments;
use crate::call::batch;
use crate::call::{Call, Caller};
use crate::caller::sender::ClientInfo;
use crate::dialogue::{Dialogue, Interrupt};
use crate::fault::{Fault, Result};
use crate::json::size::object_size;
use crate::policy::Policy;
use crate::result::cut;
use crate::result::outcome::Outcome;

/// Runs calls through every phase of the pipeline.
pub(crate) trait CallRunner: Send + Sync {
    fn run_call(
        self: Arc<Self>,
        call: Call,
    ) -> BoxFuture<'static, std::result::Result<Outcome, Interrupt>>;
}

/// Makes calls on behalf of a caller.
#[derive(Debug, Clone)]
pub struct Calls {
    /// The pipeline. It may end before this does.
    runner: Weak<dyn CallRunner>,
    caller: Box<Caller>,
}

/// A call that a program makes.
#[derive(Debug)]
pub struct OwnCall {
    /// The operation.
    pub operation: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// The idempotency key; `None` if the call may run again.
    pub idempotency_key: Option<String>,
    /// Whether a person has agreed to this call and to those that it carries. Otherwise what must be confirmed is refused.
    pub agreed: bool,
    /// Bytes above which the result is truncated.
    pub result_bytes: usize,
    /// Cancels the call.
    pub cancellation: CancellationToken,
}

impl Calls {
    pub(crate) fn new(runner: Weak<dyn CallRunner>, caller: Box<Caller>) -> Self {
        Self { runner, caller }
    }

    /// Returns what the caller may do.
    pub fn policy(&self) -> &Policy {
        self.caller.policy()
    }

    /// Returns calls under a narrower policy.
    #[must_use]
    pub fn under(mut self, policy: Policy) -> Self {
        self.caller.set_policy(Arc::new(policy));
        self
    }

    /// Returns calls that the audit shows as those of this client.
    #[must_use]
    pub fn by(mut self, client: ClientInfo) -> Self {
        Arc::make_mut(&mut self.caller.info).origin.client = Some(client);
        self
    }

    /// Returns the calls that a call carries, such as the reads of a batch: the names of their operations as the caller gave
    /// them, and their arguments. Empty if a call of a batch is not valid, because then none is made.
    pub fn carried(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Vec<(String, Map<String, Value>)> {
        let calls = self.is_batch(name, arguments).then(|| batch::calls(arguments).ok());
        calls.flatten().unwrap_or_default()
    }

    fn is_batch(&self, name: &str, arguments: &Map<String, Value>) -> bool {
        let tables = self.policy().tables();
        let called = tables.called(name, arguments).map(|at| &tables.operations[at]);
        called.is_some_and(|operation| operation.builtin == Some(Builtin::BatchGet))
    }

    /// Makes a call. Nobody is asked: whoever makes it says whether a person has agreed. Of a call that carries others, only
    /// those are made that [`Self::carried`] returns.
    ///
    /// # Errors
    /// The fault of the call.
    pub async fn make(&self, call: OwnCall) -> Result<Outcome> {
        let stopping = || Fault::cancelled("The server is stopping.");
        let runner = self.runner.upgrade().ok_or_else(stopping)?;
        self.caller.policy().refresh();
        let OwnCall { operation, arguments, idempotency_key, agreed, result_bytes, cancellation } =
            call;
        let caller = Caller {
            idempotency_key: idempotency_key.map(Value::from),
            audit_arguments: AuditArguments::default(),
            dialogue: if agreed { Dialogue::Settled } else { Dialogue::Silent },
            cancellation,
            ..(*self.caller).clone()
        };
        let arguments = if self.is_batch(&operation, &arguments) {
            batch::arguments(&arguments)
        } else {
            arguments
        };
        let bytes = object_size(&arguments);
        let call = Call { name: operation, arguments, bytes, caller: Box::new(caller) };
        let outcome = runner.run_call(call).await.map_err(Interrupt::into_fault)?;
        let operation = outcome.operation.clone();
        let value = cut::result(outcome.value, result_bytes, operation.row())
            .map_err(|fault| fault.of_operation(&operation.row().id))?;
        Ok(Outcome { value, ..outcome })
    }
}
