//! How many requests an API gets: in a time, and at once.

use std::num::{NonZeroU16, NonZeroU32};
use std::pin::Pin;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout_at};

use crate::failure::{Failure, Result};
use crate::model::{Api, Code, Rate};

/// What equal servers share that call the same API.
pub trait SharedLimits: Send + Sync {
    /// Returns how many servers there are, with this one.
    fn servers(&self) -> NonZeroU32;

    /// Takes a request from the rate of the API. An error has the time until the next request may be sent. `None` if the others
    /// cannot be asked, so that each keeps to its share.
    fn take<'a>(&'a self, api: &'a str, rate: Rate) -> Waiting<'a, Option<Limited>>;

    /// Waits until one of so many requests to the API may run. It ends when the slot is dropped. `None` if the others cannot be
    /// asked.
    fn slot<'a>(&'a self, api: &'a str, most: NonZeroU16) -> Waiting<'a, Option<Box<dyn Send>>>;
}

/// What has an answer later.
pub type Waiting<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Whether a request is within a limit. An error has the time until the next request is.
pub type Limited = std::result::Result<(), Duration>;

/// The limits of one API.
pub(crate) struct Limits {
    provider: String,
    rate: Option<Rate>,
    permits: Option<NonZeroU16>,
    /// Set if equal servers send requests, too.
    others: OnceLock<Box<dyn SharedLimits>>,
    share: RwLock<Arc<Share>>,
}

/// What one server has of the limits.
struct Share {
    servers: NonZeroU32,
    rate: Option<DefaultDirectRateLimiter>,
    permits: Option<Arc<Semaphore>>,
}

/// The permit of a request that runs.
pub(crate) enum Permit {
    Unlimited,
    OfThisServer(#[expect(dead_code, reason = "it is held")] OwnedSemaphorePermit),
    OfAll(#[expect(dead_code, reason = "it is held")] Box<dyn Send>),
}

impl Limits {
    /// # Errors
    /// `INTERNAL` for a rate in no time.
    pub(crate) fn new(api: &Api) -> Result<Self> {
        let (rate, permits) = (api.rate, api.concurrency);
        let share = Share::new(rate, permits, NonZeroU32::MIN);
        let share = share.ok_or_else(|| Failure::defect("the time of the rate is zero"))?;
        let (others, share) = (OnceLock::new(), RwLock::new(Arc::new(share)));
        Ok(Self { provider: api.name.to_string(), rate, permits, others, share })
    }

    /// Says which equal servers send requests to the API, unless it has been said before.
    pub(crate) fn shared_by<L: SharedLimits + 'static>(&self, others: impl FnOnce() -> L) {
        self.others.get_or_init(|| Box::new(others()));
    }

    /// Returns what this server has of the limits now.
    fn share(&self) -> Arc<Share> {
        let servers = self.others.get().map_or(NonZeroU32::MIN, |others| others.servers());
        // No code that can panic runs under the lock.
        let known = self.share.read().unwrap_or_else(PoisonError::into_inner).clone();
        if known.servers == servers {
            return known;
        }
        let Some(share) = Share::new(self.rate, self.permits, servers) else { return known };
        let share = Arc::new(share);
        *self.share.write().unwrap_or_else(PoisonError::into_inner) = share.clone();
        share
    }

    /// Waits until a request may be sent. The request ends when the permit is dropped.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` if that would be after the deadline; `PROVIDER_UNAVAILABLE` if equal servers must be asked, and cannot be.
    pub(crate) async fn admit(&self, deadline: Instant) -> Result<Permit> {
        let share = self.share();
        let permit = timeout_at(deadline.into(), self.permit(&share)).await;
        let permit = permit.unwrap_or_else(|_| Err(self.busy()))?;
        if let Some(rate) = self.rate {
            while let Err(pause) = self.take(rate, &share).await {
                if Instant::now() + pause >= deadline {
                    return Err(self.exceeded(pause));
                }
                sleep(pause).await;
            }
        }
        Ok(permit)
    }

    /// Waits for a permit.
    async fn permit(&self, share: &Share) -> Result<Permit> {
        let (Some(most), Some(permits)) = (self.permits, share.permits.clone()) else {
            return Ok(Permit::Unlimited);
        };
        match self.others.get() {
            Some(others) if NonZeroU32::from(most) < share.servers => {
                let slot = others.slot(&self.provider, most).await;
                slot.map(Permit::OfAll).ok_or_else(|| self.uncounted())
            }
            // No semaphore is closed.
            _ => permits.acquire_owned().await.map(Permit::OfThisServer).map_err(|_| self.busy()),
        }
    }

    /// Takes a request from the rate: of all servers, or of this one if the others cannot be asked.
    async fn take(&self, rate: Rate, share: &Share) -> Limited {
        if let Some(others) = self.others.get()
            && let Some(limited) = others.take(&self.provider, rate).await
        {
            return limited;
        }
        let own = share.rate.as_ref().map_or(Ok(()), RateLimiter::check);
        own.map_err(|until| until.wait_time_from(DefaultClock::default().now()))
    }

    fn busy(&self) -> Box<Failure> {
        let provider = &self.provider;
        Failure::new(Code::LimitExceeded, format!("Too many requests to {provider} are running."))
            .hinting("Try again later.")
    }

    fn uncounted(&self) -> Box<Failure> {
        let provider = &self.provider;
        let message = format!(
            "The server cannot ask its other replicas how many requests to {provider} are running, so it sent none."
        );
        Failure::new(Code::ProviderUnavailable, message).after(Duration::from_secs(1))
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
