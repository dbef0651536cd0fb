//! A handler that failed because of a server behind this one is tried again, where the manifest says
//! `retry`; the language allows that for operations which may be repeated.

use std::future::Future;
use std::time::{Duration, Instant};

use backon::{ExponentialBuilder, Retryable as _};
use futures::future::Either;

use super::Service;
use super::deadline::Timed;
use crate::counters::Counters;
use crate::fault::{Code, Fault, Result};
use crate::outcome::Outcome;

/// Before the second try; it doubles from one to the next, and a random part is added.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

pub(super) struct Retry<N> {
    counters: Counters,
    next: N,
}

impl<N> Retry<N> {
    pub(super) fn new(counters: Counters, next: N) -> Self {
        Self { counters, next }
    }
}

impl<N: Service<Timed>> Service<Timed> for Retry<N> {
    fn call(&self, call: Timed) -> impl Future<Output = Result<Outcome>> + Send {
        match call.call.operation.retry {
            Some(times) => Either::Left(Box::pin(self.repeat(times, call))),
            None => Either::Right(self.next.call(call)),
        }
    }
}

impl<N: Service<Timed>> Retry<N> {
    async fn repeat(&self, times: u8, call: Timed) -> Result<Outcome> {
        let pauses = ExponentialBuilder::new()
            .with_min_delay(FIRST_PAUSE)
            .with_max_times(usize::from(times))
            .with_jitter();
        // The deadline around this layer ends the pauses too, and so does a caller that cancels.
        (|| self.next.call(call.clone()))
            .retry(pauses)
            .sleep(tokio::time::sleep)
            .when(|fault| fault.code() == Code::UpstreamError && fault.is_retryable())
            .adjust(|fault, pause| pause.and_then(|pause| fits(fault, pause, call.deadline)))
            .notify(|fault, pause| {
                self.counters.retries.inc();
                let operation = call.call.operation.id;
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
