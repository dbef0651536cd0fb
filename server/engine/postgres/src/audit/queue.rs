//! The records that wait to be written. They are collected for a moment, so that a burst of calls costs one statement.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use toolwrit_core::audit::counters::Backlog;
use toolwrit_core::audit::record::Record;
use toolwrit_core::authority::Effect;

use crate::clock::Moment;

/// How long records are collected before they are written.
const COLLECT_TIME: Duration = Duration::from_millis(100);
/// Records of one statement.
const BATCH: usize = 500;
/// Records that the queue holds. Further ones are dropped and counted, so that no call has to wait.
const LONGEST: usize = 16_384;

/// A place in the order in which records arrived.
type Ticket = u64;

pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    /// Told of the first record, of a full batch, and of whoever waits.
    changed: Notify,
    /// All records up to this one are written, or lost.
    written: watch::Sender<Ticket>,
    pub(crate) backlog: Backlog,
    /// The share of successful reads that is recorded.
    sample_reads: f64,
}

#[derive(Default)]
struct Waiting {
    records: VecDeque<Arrived>,
    /// When the oldest record arrived that is being written.
    sending: Option<Moment>,
    /// The last record that arrived.
    arrived: Ticket,
    /// The last record that was lost: dropped, or refused by the database.
    missing: Ticket,
    /// Those dropped since the last batch.
    lost: u64,
    /// Whether someone waits until the records are written.
    is_urgent: bool,
    is_closed: bool,
}

/// A record that waits.
pub(crate) struct Arrived {
    pub(crate) record: Record,
    /// When its call ended.
    pub(crate) since: Moment,
    ticket: Ticket,
}

/// What is written at once.
pub(crate) struct Batch {
    pub(crate) records: Vec<Arrived>,
    /// How many records were dropped since the last batch, because the queue was full.
    pub(crate) lost: u64,
    /// The last record that is written with it.
    through: Ticket,
}

impl Queue {
    pub(crate) fn new(sample_reads: f64) -> Self {
        Self {
            waiting: Mutex::default(),
            changed: Notify::new(),
            written: watch::Sender::new(0),
            backlog: Backlog::default(),
            sample_reads,
        }
    }

    /// Adds a record, unless it is a read outside of the sample, or the queue is full.
    pub(crate) fn push(&self, record: Record) {
        let is_read = record.operation.as_ref().is_some_and(|it| it.row().effect == Effect::Read);
        if is_read && record.failure.is_none() && fastrand::f64() >= self.sample_reads {
            return;
        }
        let mut waiting = self.lock();
        waiting.arrived += 1;
        if waiting.records.len() >= LONGEST {
            waiting.missing = waiting.arrived;
            waiting.lost += 1;
            self.backlog.lost.inc();
            return;
        }
        self.backlog.waiting.inc();
        let ticket = waiting.arrived;
        waiting.records.push_back(Arrived { record, ticket, since: Moment::now() });
        let count = waiting.records.len();
        drop(waiting);
        if count == 1 || count == BATCH {
            self.changed.notify_one();
        }
    }

    /// Waits until all records that have arrived are written. Whether they are: some may have been lost.
    pub(crate) async fn flushed(&self, within: Duration) -> bool {
        let mut written = self.written.subscribe();
        let (first, last) = {
            let mut waiting = self.lock();
            waiting.is_urgent = true;
            (*written.borrow(), waiting.arrived)
        };
        self.changed.notify_one();
        let done = written.wait_for(|written| *written >= last);
        let is_over = timeout(within, done).await.is_ok_and(|done| done.is_ok());
        // What was lost since the last batch is perhaps a record of whoever asks.
        is_over && self.lock().missing <= first
    }

    /// Closes the queue: no records follow.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    /// Whether the queue is closed and empty.
    pub(crate) async fn finished(&self) {
        while !self.lock().is_over() {
            self.changed.notified().await;
        }
    }

    /// Waits for records; `None` if the queue is closed and empty.
    pub(crate) async fn take(&self) -> Option<Batch> {
        self.wait_while(|waiting| waiting.records.is_empty() && !waiting.is_hurried()).await;
        let calm =
            self.wait_while(|waiting| waiting.records.len() < BATCH && !waiting.is_hurried());
        // Afterwards the batch goes as it is.
        let _ = timeout(COLLECT_TIME, calm).await;
        let mut waiting = self.lock();
        if waiting.is_over() {
            return None;
        }
        let count = waiting.records.len().min(BATCH);
        waiting.sending = waiting.records.front().map(|oldest| oldest.since);
        let records = waiting.records.drain(..count).collect();
        let next = waiting.records.front().map(|next| next.ticket - 1);
        waiting.is_urgent &= next.is_some();
        // Those that were dropped have tickets, too.
        let through = next.unwrap_or(waiting.arrived);
        let lost = std::mem::take(&mut waiting.lost);
        Some(Batch { records, lost, through })
    }

    /// Counts a record of a batch that is lost for good.
    pub(crate) fn lose(&self, batch: &Batch) {
        let mut waiting = self.lock();
        waiting.missing = waiting.missing.max(batch.through);
        self.backlog.lost.inc();
    }

    /// Marks a batch as written, except for records that are lost.
    pub(crate) fn wrote(&self, batch: &Batch) {
        let mut waiting = self.lock();
        waiting.sending = None;
        self.backlog.waiting.set(i64::try_from(waiting.records.len()).unwrap_or(i64::MAX));
        drop(waiting);
        self.written.send_replace(batch.through);
    }

    /// How long the oldest record has waited that is not written.
    pub(crate) fn oldest(&self) -> Option<Duration> {
        let waiting = self.lock();
        let oldest = waiting.sending.or_else(|| waiting.records.front().map(|it| it.since));
        oldest.map(Moment::elapsed)
    }

    async fn wait_while(&self, condition: impl Fn(&Waiting) -> bool) {
        while condition(&self.lock()) {
            self.changed.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // No code that can panic runs under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn is_hurried(&self) -> bool {
        self.is_urgent || self.is_closed
    }

    fn is_over(&self) -> bool {
        self.is_closed && self.records.is_empty()
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}
