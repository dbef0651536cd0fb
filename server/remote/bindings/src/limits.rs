//! How many requests an API gets: in a time, and at once.

use std::num::{NonZeroU16, NonZeroU32};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout_at};

use crate::failure::{Failure, Result};
use crate::model::{Api, Code, Rate};

/// The limits of one API.
pub(crate) struct Limits {
    provider: String,
    rate: Option<Rate>,
    permits: Option<NonZeroU16>,
    /// What this server has of them, if equal servers send requests, too.
    share: RwLock<Arc<Share>>,
}

/// The share of one server.
struct Share {
    servers: NonZeroU32,
    rate: Option<DefaultDirectRateLimiter>,
    permits: Option<Arc<Semaphore>>,
}

impl Limits {
    /// # Errors
    /// `INTERNAL` for a rate in no time.
    pub(crate) fn new(api: &Api) -> Result<Self> {
        let (rate, permits) = (api.rate, api.concurrency);
        let share = Share::new(rate, permits, NonZeroU32::MIN);
        let share = share.ok_or_else(|| Failure::defect("the time of the rate is zero"))?;
        let share = RwLock::new(Arc::new(share));
        Ok(Self { provider: api.name.to_string(), rate, permits, share })
    }

    /// Sets how many equal servers send requests to the API.
    pub(crate) fn shared_by(&self, servers: NonZeroU32) {
        if self.share().servers == servers {
            return;
        }
        if let Some(share) = Share::new(self.rate, self.permits, servers) {
            *self.share.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(share);
        }
    }

    fn share(&self) -> Arc<Share> {
        // No code that can panic runs under the lock.
        self.share.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until a request may be sent. The request ends when the permit is dropped.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` if that would be after the deadline.
    pub(crate) async fn admit(&self, deadline: Instant) -> Result<Option<OwnedSemaphorePermit>> {
        let share = self.share();
        let permit = match share.permits.clone() {
            Some(permits) => {
                let permit = timeout_at(deadline.into(), permits.acquire_owned()).await;
                Some(permit.ok().and_then(std::result::Result::ok).ok_or_else(|| self.busy())?)
            }
            None => None,
        };
        if let Some(rate) = &share.rate {
            while let Err(not_until) = rate.check() {
                let pause = not_until.wait_time_from(DefaultClock::default().now());
                if Instant::now() + pause >= deadline {
                    return Err(self.exceeded(pause));
                }
                sleep(pause).await;
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

impl Share {
    /// Divides the limits among equal servers. Each has at least one permit. `None` for a rate in no time.
    fn new(rate: Option<Rate>, permits: Option<NonZeroU16>, servers: NonZeroU32) -> Option<Self> {
        let rate = match rate {
            Some(rate) => {
                let requests = rate.requests.get();
                let quota = Quota::with_period(rate.per * servers.get() / requests)?;
                let burst = NonZeroU32::new(requests / servers.get());
                let quota = quota.allow_burst(burst.unwrap_or(NonZeroU32::MIN));
                Some(RateLimiter::direct(quota))
            }
            None => None,
        };
        let permits = permits.map(|permits| {
            let share = u32::from(permits.get()) / servers.get();
            Arc::new(Semaphore::new(share.max(1) as usize))
        });
        Some(Self { servers, rate, permits })
    }
}
