//! Failures of upstreams as faults.

use serde_json::Value;
use toolwrit_core::fault::{Code, Fault};
use toolwrit_upstreams::{self as upstreams, Failure};

pub(crate) fn cancelled() -> Fault {
    Fault::new(Code::Cancelled, "The call was cancelled.")
}

/// Returns the fault of a call that failed.
pub(crate) fn fault(failure: Failure, is_idempotent: bool) -> Fault {
    let retryable = match failure.code {
        upstreams::Code::UpstreamError => !failure.sent || is_idempotent,
        upstreams::Code::LimitExceeded => true,
        upstreams::Code::ProviderUnavailable => failure.retry_after.is_some(),
        _ => false,
    };
    let was_sent = failure.sent && failure.code == upstreams::Code::Timeout && !is_idempotent;
    let mut fault = Fault::new(code(&failure.code), failure.message).retryable(retryable);
    match failure.hint {
        Some(hint) => fault = fault.hinting(hint),
        None if was_sent => fault = fault.hinting("The call may have been carried out."),
        None => {}
    }
    match failure.retry_after {
        Some(wait) => fault.retry_after(wait.as_secs_f64()).retryable(retryable),
        None => fault,
    }
}

fn code(code: &upstreams::Code) -> Code {
    // Both have the same wire form. Other servers may report codes that are not known here.
    serde_json::from_value(Value::from(code.as_str())).unwrap_or(Code::UpstreamError)
}
