//! What calls and operators ask of the state. Statements run on the thread of the replica, so that a caller that is blocked
//! or cancelled leaves none of them half done.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::ready;
use jiff::SignedDuration;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use toolwrit_core::audit::claim::{Claim, Claimed, ClaimedAnswer};
use toolwrit_core::audit::counters::Backlog;
use toolwrit_core::audit::listing_costs::AccountCosts;
use toolwrit_core::audit::record::Record;
use toolwrit_core::audit::row::{AuditFilter, AuditRow};
use toolwrit_core::audit::storage::{Storage, StorageFailed, Stored};

use crate::audit::queue::Queue;
use crate::audit::select::select;
use crate::claims::Claims;
use crate::database::{Database, Failed, LONGEST};
use crate::janitor::Round;
use crate::keys::Keys;
use crate::lease::Lease;
use crate::leases::Leases;
use crate::limits::Limits;
use crate::listed;
use crate::notices::Notices;
use crate::settings::{AuditMode, Settings};

/// How long work may wait for the first renewal.
const BEGUN_WITHIN: Duration = Duration::from_secs(5);
/// How long a renewal may take, so that two fit into a lease.
const RENEWED_WITHIN: Duration = Duration::from_secs(2);
/// How long a reader waits for earlier records, and a write for its own.
const WRITTEN_WITHIN: Duration = Duration::from_secs(5);

/// What a replica has: connections, and what it remembers.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) settings: Settings,
    pub(crate) database: Database,
    pub(crate) lease: Lease,
    pub(crate) claims: Claims,
    pub(crate) leases: Leases,
    pub(crate) limits: Limits,
    pub(crate) keys: Keys,
    pub(crate) notices: Notices,
    pub(crate) queue: Queue,
    pub(crate) schema: watch::Sender<Schema>,
    /// What the last round of the janitor has found.
    round: Mutex<Option<Round>>,
}

/// Whether the schema of the database fits this program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Schema {
    /// The database has not answered yet.
    #[default]
    Unknown,
    /// It has this version, and fits.
    Fits(u32),
    /// It does not, for this reason.
    Unfit(String),
}

/// How a replica is.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Whether the schema fits.
    pub schema: Schema,
    /// The time since the last renewal was sent; `None` before the first one.
    pub renewed: Option<Duration>,
    /// How far the database's clock is ahead of this machine's; `None` before the first renewal.
    pub clock_offset: Option<SignedDuration>,
    /// Records that were dropped since the start.
    pub audit_lost: u64,
    /// How long the oldest record has waited to be written; `None` if none waits.
    pub audit_oldest: Option<Duration>,
    /// The days after today for which the audit has room; `None` before they were counted.
    pub days_ahead: Option<u32>,
    /// Calls with an idempotency key of the last ten minutes whose replica has ended without an outcome. One replica counts
    /// them for all; `None` on the others.
    pub unfinished: Option<u64>,
}

impl Inner {
    pub(crate) fn new(settings: Settings, notices: Notices) -> Result<Self, Failed> {
        let address = &settings.address;
        let renewals = Database::new(address, 1, RENEWED_WITHIN)?;
        Ok(Self {
            database: Database::new(address, settings.pool.saturating_sub(1), LONGEST)?,
            lease: Lease::new(renewals, settings.replica.clone()),
            claims: Claims::default(),
            leases: Leases::new(settings.replica.clone()),
            limits: Limits::default(),
            keys: Keys::default(),
            notices,
            queue: Queue::new(settings.sample_reads),
            schema: watch::Sender::default(),
            round: Mutex::default(),
            settings,
        })
    }

    pub(crate) fn status(&self) -> Status {
        // No code that can panic runs under the lock.
        let round = *self.round.lock().unwrap_or_else(PoisonError::into_inner);
        Status {
            schema: self.schema.borrow().clone(),
            renewed: self.lease.age(),
            clock_offset: self.lease.offset(),
            audit_lost: self.queue.backlog.lost.get(),
            audit_oldest: self.queue.oldest(),
            days_ahead: round.map(|round| round.days_ahead),
            unfinished: round.and_then(|round| round.unfinished),
        }
    }

    pub(crate) fn found(&self, round: Round) {
        *self.round.lock().unwrap_or_else(PoisonError::into_inner) = Some(round);
    }
}

/// The storage of a replica.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) runtime: Handle,
    pub(crate) inner: Arc<Inner>,
    /// Whether the last operation failed, and the log says so.
    pub(crate) is_failing: AtomicBool,
}

impl Store {
    /// Runs work on the replica's thread, and returns its result.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Failed>> + Send + 'static,
    ) -> Result<T, StorageFailed> {
        let inner = self.inner.clone();
        let work = async move {
            // A command that has just begun waits for the schema. Afterwards the statement itself says what is wrong.
            if inner.lease.age().is_none() {
                let _ = timeout(BEGUN_WITHIN, inner.lease.begun()).await;
            }
            work.await
        };
        match self.runtime.spawn(work).await {
            Ok(Ok(result)) => {
                self.is_failing.store(false, Ordering::Relaxed);
                Ok(result)
            }
            Ok(Err(error)) => {
                // While the database is away, every call fails.
                if self.is_failing.swap(true, Ordering::Relaxed) {
                    tracing::debug!(%error, "an operation on the state failed");
                } else {
                    tracing::error!(%error, "an operation on the state failed; so may others, until one succeeds");
                }
                Err(StorageFailed)
            }
            // The replica has ended, or a panic has been logged.
            Err(_) => Err(StorageFailed),
        }
    }
}

impl Storage for Store {
    fn record(&self, record: Record) {
        self.inner.queue.push(record);
    }

    fn written(&self) -> Stored<'_, ()> {
        match self.inner.settings.audit {
            AuditMode::Buffered => Box::pin(ready(Ok(()))),
            AuditMode::Required => {
                let inner = self.inner.clone();
                Box::pin(self.run(async move {
                    let is_written = inner.queue.flushed(WRITTEN_WITHIN).await;
                    is_written.then_some(()).ok_or(Failed::NotRecorded)
                }))
            }
        }
    }

    fn calls(&self, filter: AuditFilter) -> Stored<'_, Vec<AuditRow>> {
        let inner = self.inner.clone();
        Box::pin(self.run(async move {
            // What cannot be written is missing; the rest can be read.
            inner.queue.flushed(WRITTEN_WITHIN).await;
            select(&inner.database, &filter).await
        }))
    }

    fn backlog(&self) -> &Backlog {
        &self.inner.queue.backlog
    }

    fn claim(&self, claim: Arc<Claim>) -> Stored<'_, Claimed> {
        let inner = self.inner.clone();
        let (reply, claimed) = oneshot::channel();
        let work = self.run(async move {
            let result = inner.claims.claim(&inner.database, &inner.lease, &claim).await?;
            if let Err(Claimed::New) = reply.send(result) {
                // The caller is gone, and its call never started.
                inner.claims.free(&claim);
            }
            Ok(())
        });
        Box::pin(async move {
            work.await?;
            claimed.await.map_err(|_| StorageFailed)
        })
    }

    fn holds(&self, claim: &Claim) -> bool {
        self.inner.claims.holds(&self.inner.lease, claim)
    }

    fn complete(&self, claim: Arc<Claim>, answer: Option<ClaimedAnswer>) -> Stored<'_, ()> {
        let inner = self.inner.clone();
        Box::pin(self.run(async move {
            inner.claims.complete(&inner.database, &claim, answer.as_ref()).await
        }))
    }

    fn add_listed(&self, accounts: AccountCosts) -> Stored<'_, ()> {
        let inner = self.inner.clone();
        Box::pin(self.run(async move { listed::add(&inner.database, &accounts).await }))
    }

    fn listed(&self) -> Stored<'_, AccountCosts> {
        let inner = self.inner.clone();
        Box::pin(self.run(async move { listed::read(&inner.database).await }))
    }

    fn forget_listed(&self) -> Stored<'_, ()> {
        let inner = self.inner.clone();
        Box::pin(self.run(async move { listed::forget(&inner.database).await }))
    }
}
