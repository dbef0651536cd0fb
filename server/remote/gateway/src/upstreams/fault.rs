//! Failures of upstreams as faults.

use toolwrit_core::fault::{Code, Fault};
use toolwrit_upstreams::Failure;

pub(crate) fn cancelled() -> Fault {
    Fault::new(Code::Cancelled, "The call was cancelled.")
}

/// Returns the fault of a call that failed.
pub(crate) fn fault(failure: Failure, is_idempotent: bool) -> Fault {
    // What a tool says about its failure says nothing about another attempt.
    let retryable = match failure.code {
        _ if failure.is_reported => false,
        Code::UpstreamError => !failure.sent || is_idempotent,
        Code::LimitExceeded => true,
        Code::ProviderUnavailable => failure.retry_after.is_some(),
        _ => false,
    };
    let has_timed_out = failure.code == Code::Timeout && !failure.is_reported;
    let was_sent = failure.sent && has_timed_out && !is_idempotent;
    let mut fault = Fault::new(failure.code, failure.message).retryable(retryable);
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
