//! How many requests an API gets: in a time, and at once.

use std::time::{Duration, Instant};

use governor::clock::Clock as _;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::failure::{Failure, Result};
use crate::model::{Api, Code};

/// The limits of one API.
pub(crate) struct Limits {
    provider: String,
    rate: Option<DefaultDirectRateLimiter>,
    permits: Option<Semaphore>,
}

impl Limits {
    /// # Errors
    /// `INTERNAL` for a rate in no time.
    pub(crate) fn new(api: &Api) -> Result<Self> {
        let rate = match api.rate {
            Some(rate) => {
                let quota = Quota::with_period(rate.per / rate.requests.get());
                let quota = quota.map(|quota| quota.allow_burst(rate.requests));
                let quota = quota.ok_or_else(|| Failure::defect("the time of the rate is zero"))?;
                Some(RateLimiter::direct(quota))
            }
            None => None,
        };
        let permits = api.concurrency.map(|permits| Semaphore::new(usize::from(permits.get())));
        Ok(Self { provider: api.name.to_string(), rate, permits })
    }

    /// Waits until a request may be sent. The request ends when the permit is dropped.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` if that would be after the deadline.
    pub(crate) async fn admit(&self, deadline: Instant) -> Result<Option<SemaphorePermit<'_>>> {
        let permit = match &self.permits {
            Some(permits) => {
                let permit = tokio::time::timeout_at(deadline.into(), permits.acquire()).await;
                Some(permit.ok().and_then(std::result::Result::ok).ok_or_else(|| self.busy())?)
            }
            None => None,
        };
        if let Some(rate) = &self.rate {
            while let Err(not_until) = rate.check() {
                let pause =
                    not_until.wait_time_from(governor::clock::DefaultClock::default().now());
                if Instant::now() + pause >= deadline {
                    return Err(self.exceeded(pause));
                }
                tokio::time::sleep(pause).await;
            }
        }
        Ok(permit)
    }

    fn busy(&self) -> Box<Failure> {
        let provider = &self.provider;
        Failure::new(Code::LimitExceeded, format!("Too many requests to {provider} are running."))
            .hinting("Try again later.")
    }

    fn exceeded(&self, pause: Duration) -> Box<Failure> {
        let provider = &self.provider;
        Failure::new(
            Code::LimitExceeded,
            format!("No more requests may be sent to {provider} now."),
        )
        .after(pause)
    }
}
