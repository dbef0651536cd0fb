//! Failures of upstreams as faults.

use serde_json::Value;
use toolwrit_core::fault::{Code, Fault};
use toolwrit_core::json::size::size;
use toolwrit_upstreams::{Answer, Failure};

/// Bytes of structured content that passes with a failure.
const MOST_DETAILS: usize = 64 * 1024;

pub(crate) fn cancelled() -> Fault {
    Fault::new(Code::Cancelled, "The call was cancelled.")
}

/// Returns the fault of a call that failed.
pub(crate) fn fault(failure: Failure, is_idempotent: bool) -> Fault {
    // What a tool says about its failure says nothing about another attempt.
    let retryable = match failure.code {
        _ if failure.reported.is_some() => false,
        Code::UpstreamError => !failure.sent || is_idempotent,
        Code::LimitExceeded => true,
        Code::ProviderUnavailable => failure.retry_after.is_some(),
        _ => false,
    };
    let has_timed_out = failure.code == Code::Timeout && failure.reported.is_none();
    let was_sent = failure.sent && has_timed_out && !is_idempotent;
    let mut fault = Fault::new(failure.code, failure.message).retryable(retryable);
    match failure.hint {
        Some(hint) => fault = fault.hinting(hint),
        None if was_sent => fault = fault.hinting("The call may have been carried out."),
        None => {}
    }
    let fault = match failure.reported {
        Some(answer) => with_answer(fault, *answer),
        None => fault,
    };
    match failure.retry_after {
        Some(wait) => fault.retry_after(wait.as_secs_f64()).retryable(retryable),
        None => fault,
    }
}

/// Adds what a tool sent with a failure beside its texts, which the fault has: images and files, and structured content.
pub(crate) fn with_answer(fault: Fault, answer: Answer) -> Fault {
    let is_other = |block: &Value| block.get("type").is_none_or(|kind| kind != "text");
    let fault = fault.with_content(answer.content.into_iter().filter(is_other).collect());
    match answer.structured {
        Some(details) if size(&details) <= MOST_DETAILS => fault.with_details(details),
        _ => fault,
    }
}
