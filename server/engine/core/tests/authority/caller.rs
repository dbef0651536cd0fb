//! A caller without a transport.

use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use toolwrit_core::call::audit_arguments::AuditArguments;
use toolwrit_core::call::caller_info::CallerInfo;
use toolwrit_core::call::reports::Reports;
use toolwrit_core::call::{Call, Caller};
use toolwrit_core::caller::origin::Origin;
use toolwrit_core::dialogue::{Dialogue, Interrupt};
use toolwrit_core::fault::Result;
use toolwrit_core::pipeline::Pipeline;
use toolwrit_core::policy::Policy;
use toolwrit_text::numbers::WrittenNumbers;

/// Returns a caller who may do this.
pub(crate) fn caller(policy: Policy) -> Caller {
    Caller {
        info: Arc::new(CallerInfo {
            policy: Arc::new(policy),
            surface: None,
            origin: Origin::default(),
            numbers: WrittenNumbers::default(),
        }),
        session: None,
        idempotency_key: None,
        audit_arguments: AuditArguments::default(),
        dialogue: Dialogue::default(),
        cancellation: CancellationToken::new(),
        reports: Reports::default(),
        is_nested: false,
    }
}

/// Calls an operation, and returns its value.
pub(crate) async fn call(
    pipeline: &Pipeline,
    caller: Caller,
    name: &str,
    arguments: Value,
) -> Result<Value> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let call = Call { name: name.to_owned(), arguments, bytes: 0, caller: Box::new(caller) };
    let ended = pipeline.call(call).await;
    ended.map(|outcome| outcome.value).map_err(Interrupt::into_fault)
}
