//! The end of the line: the generated table calls the author's handler.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use crate::authority::Returns;
use crate::call::Bound;
use crate::context::Context;
use crate::fault::{Fault, Result};
use crate::json_size::size;
use crate::outcome::Outcome;
use crate::toolset::Toolset;
use crate::updates::Updates;

pub(super) struct Dispatcher {
    toolset: Arc<dyn Toolset>,
    updates: Updates,
}

impl Dispatcher {
    pub(super) fn new(toolset: Arc<dyn Toolset>, updates: Updates) -> Self {
        Self { toolset, updates }
    }

    pub(super) fn call(
        &self,
        call: Bound,
        deadline: Instant,
    ) -> impl Future<Output = Result<Outcome>> + Send {
        let Bound { operation, arguments, confirmed, held, caller, .. } = call;
        let caller = *caller;
        let context = Context {
            operation: operation.clone(),
            policy: caller.policy,
            principal: caller.principal,
            attributes: caller.attributes,
            client: caller.client,
            surface: caller.surface,
            request_id: caller.request_id,
            cancellation: caller.cancellation,
            deadline,
            dialogue: caller.dialogue,
            confirmed,
            reports: caller.reports,
            updates: self.updates.clone(),
            trace: caller.trace,
            held,
        };
        async move {
            let value = self.toolset.call(operation.index(), &context, arguments).await?;
            let row = operation.row();
            if matches!(row.returns, Returns::Content | Returns::Resource | Returns::Messages) {
                // Content cannot be truncated, so a result that is too large is refused.
                let (bytes, most) = (size(&value), row.result_bytes);
                if u64::try_from(bytes).is_ok_and(|bytes| bytes > most) {
                    return Err(Fault::too_large(format!("The result has {bytes} bytes."))
                        .expecting(format!("at most {most} bytes")));
                }
            }
            Ok(Outcome { operation, alias: None, value })
        }
    }
}
