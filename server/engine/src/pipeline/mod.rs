//! What every call passes, whichever door it came through. This file lists the layers in order;
//! each has a file of its own.

mod audit;
mod deadline;
mod dispatcher;
mod guard;
mod limits;
mod policy;
mod validation;

use std::future::Future;
use std::sync::Arc;

use crate::call::Call;
use crate::fault::Result;
use crate::outcome::Outcome;
use crate::toolset::Toolset;

/// One layer, in the manner of `tower`: it may answer itself, or pass the request on, in the next
/// phase's type.
pub(crate) trait Service<Request>: Send + Sync {
    fn call(&self, request: Request) -> impl Future<Output = Result<Outcome>> + Send;
}

/// The layers, outermost first. Idempotency keys and the result cache belong between validation
/// and limits: both need checked arguments, and neither should take a handler's place.
type Layers = audit::Audit<
    policy::Gate<
        validation::Validation<
            limits::Limits<deadline::Deadline<guard::Guard<dispatcher::Dispatcher>>>,
        >,
    >,
>;

/// The whole way from a named operation to its outcome.
pub(crate) struct Pipeline(Layers);

impl Pipeline {
    pub(crate) fn new(toolset: Arc<dyn Toolset>) -> Self {
        let authority = toolset.authority();
        let dispatcher = dispatcher::Dispatcher::new(toolset);
        let guard = guard::Guard::new(dispatcher);
        let deadline = deadline::Deadline::new(guard);
        let limits = limits::Limits::new(authority, deadline);
        let validation = validation::Validation::new(limits);
        let gate = policy::Gate::new(validation);
        Self(audit::Audit::new(gate))
    }

    pub(crate) async fn call(&self, call: Call) -> Result<Outcome> {
        self.0.call(call).await
    }
}
