//! A handler that failed because of a server behind this one is tried again, where the manifest says
//! `retry`; the language allows that for operations which may be repeated.

use std::future::Future;
use std::time::{Duration, Instant};

use backon::{ExponentialBuilder, Retryable as _};

use crate::call::Bound;
use crate::counters::Counters;
use crate::fault::{Code, Fault, Result};

/// Before the second try; it doubles from one to the next, and a random part is added.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

pub(super) struct Retry {
    counters: Counters,
}

impl Retry {
    pub(super) fn new(counters: Counters) -> Self {
        Self { counters }
    }

    /// Runs a call, and again where its operation says so and there is time left.
    pub(super) async fn run<T, F: Future<Output = Result<T>>>(
        &self,
        call: Bound,
        deadline: Instant,
        attempt: impl Fn(Bound) -> F,
    ) -> Result<T> {
        let operation = call.operation.clone();
        let Some(times) = operation.row().retry else { return attempt(call).await };
        let pauses = ExponentialBuilder::new()
            .with_min_delay(FIRST_PAUSE)
            .with_max_times(usize::from(times))
            .with_jitter();
        // The deadline around this phase ends the pauses too, and so does a caller that cancels.
        (|| attempt(call.clone()))
            .retry(pauses)
            .sleep(tokio::time::sleep)
            .when(|fault| fault.code() == Code::UpstreamError && fault.is_retryable())
            .adjust(|fault, pause| pause.and_then(|pause| fits(fault, pause, deadline)))
            .notify(|fault, pause| {
                self.counters.retries.inc();
                let operation = operation.row().id;
                tracing::debug!(operation, why = fault.message(), ?pause, "tried again");
            })
            .await
    }
}

/// As long as the other server asks for, at least; none when the time would be up before the next try.
fn fits(fault: &Fault, pause: Duration, deadline: Instant) -> Option<Duration> {
    let pause = fault.wait().map_or(pause, |asked| asked.max(pause));
    (Instant::now() + pause < deadline).then_some(pause)
}
