//! Runs a handler again after `UPSTREAM_ERROR`, if the manifest says `retry`. The manifest allows `retry`
//! only for operations that may be repeated. What an API refuses with 429 is sent again by `exchange` of the crate
//! bindings.

use std::future::Future;
use std::time::{Duration, Instant};

use backon::{ExponentialBuilder, Retryable as _};

use crate::audit::counters::Counters;
use crate::call::Validated;
use crate::fault::{Code, Fault, Result};

/// The pause before the first retry. Each further pause doubles, and a random part is added.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

pub(super) struct Retry {
    counters: Counters,
}

impl Retry {
    pub(super) fn new(counters: Counters) -> Self {
        Self { counters }
    }

    /// Runs a call, and runs it again if its operation has `retry` and there is time left.
    pub(super) async fn run<T, F: Future<Output = Result<T>>>(
        &self,
        call: Validated,
        deadline: Instant,
        attempt: impl Fn(Validated) -> F,
    ) -> Result<T> {
        let operation = call.operation.clone();
        let Some(times) = operation.row().retry else { return attempt(call).await };
        let pauses = ExponentialBuilder::new()
            .with_min_delay(FIRST_PAUSE)
            .with_max_times(usize::from(times))
            .with_jitter();
        // The deadline around this phase also ends the pauses, and so does a cancellation.
        (|| attempt(call.clone()))
            .retry(pauses)
            .sleep(tokio::time::sleep)
            .when(|fault| fault.code() == Code::UpstreamError && fault.is_retryable())
            .adjust(|fault, pause| pause.and_then(|pause| fits(fault, pause, deadline)))
            .notify(|fault, pause| {
                self.counters.retries.inc();
                let operation = &operation.row().id;
                tracing::debug!(
                    operation,
                    why = fault.message(),
                    ?pause,
                    "the handler is run again"
                );
            })
            .await
    }
}

/// Returns the pause, at least as long as the upstream server asks for; `None` if the deadline comes first.
fn fits(fault: &Fault, pause: Duration, deadline: Instant) -> Option<Duration> {
    let pause = fault.wait().map_or(pause, |asked| asked.max(pause));
    (Instant::now() + pause < deadline).then_some(pause)
}
