//! The end of the line: the generated table calls the author's handler.

use std::sync::Arc;

use super::Service;
use super::deadline::Timed;
use crate::context::Context;
use crate::fault::Result;
use crate::outcome::Outcome;
use crate::toolset::Toolset;

pub(super) struct Dispatcher(Arc<dyn Toolset>);

impl Dispatcher {
    pub(super) fn new(toolset: Arc<dyn Toolset>) -> Self {
        Self(toolset)
    }
}

impl Service<Timed> for Dispatcher {
    async fn call(&self, Timed { call, deadline }: Timed) -> Result<Outcome> {
        let operation = call.operation;
        let context = Context {
            operation,
            focus: call.caller.policy.focus(),
            role: call.caller.policy.role(),
            cancellation: call.caller.cancellation,
            deadline,
            dialogue: call.caller.dialogue,
            progress: call.caller.progress,
            trace: call.caller.trace,
        };
        let value = self.0.call(call.index, &context, call.arguments).await?;
        Ok(Outcome { operation, alias: None, value })
    }
}
