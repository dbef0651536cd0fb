//! Failures of bindings as faults, and as reasons why a provider cannot be used.

use toolwrit_bindings::Failure;
use toolwrit_core::availability::{Reason, Unavailable};
use toolwrit_core::fault::Fault;

pub(crate) fn fault(failure: Failure) -> Fault {
    let mut fault = Fault::new(failure.code, failure.message).retryable(failure.retryable);
    if let Some(path) = failure.path {
        fault = fault.with_path(path);
    }
    if let Some(expected) = failure.expected {
        fault = fault.expecting(expected);
    }
    if let Some(got) = failure.got {
        fault = fault.got(got);
    }
    if let Some(hint) = failure.hint {
        fault = fault.hinting(hint);
    }
    if let Some(wait) = failure.retry_after {
        fault = fault.retry_after(wait.as_secs_f64()).retryable(failure.retryable);
    }
    fault.did_you_mean(failure.did_you_mean)
}

/// Why a provider with this failure cannot be used.
pub(crate) fn unavailable(failure: &Failure) -> Unavailable {
    let remedy =
        failure.hint.clone().unwrap_or_else(|| "The operator checks its settings.".to_owned());
    Unavailable::new(Reason::NeedsConfiguration, failure.message.clone(), remedy)
}
