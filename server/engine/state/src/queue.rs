//! The queue of the writing thread. Records are collected for a moment, so that a burst of calls costs one
//! wake-up and one transaction. Tasks run at once.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::database::Database;
use toolwrit_core::audit::counters::Backlog;
use toolwrit_core::audit::record::Record;

/// How long records are collected before they are written.
const COLLECT_TIME: Duration = Duration::from_millis(100);
/// Records that the queue holds. Further ones are dropped and counted, so that no call has to wait.
const LONGEST: usize = 16_384;

/// Work to be done with the file at once. Gets `None` if the file cannot be used.
pub(super) type DatabaseTask = Box<dyn FnOnce(Option<&mut Database>) + Send>;

/// What the thread takes from the queue at once.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) records: Vec<Record>,
    pub(super) tasks: Vec<DatabaseTask>,
    /// How many records were dropped because the queue was full.
    pub(super) lost: u64,
}

#[derive(Default)]
struct QueuedWrites {
    batch: Batch,
    is_closed: bool,
}

impl QueuedWrites {
    fn is_urgent(&self) -> bool {
        self.is_closed || !self.batch.tasks.is_empty() || self.batch.records.len() >= LONGEST / 2
    }
}

pub(super) struct WriteQueue {
    waiting: Mutex<QueuedWrites>,
    changed: Condvar,
    pub(super) backlog: Backlog,
}

impl WriteQueue {
    pub(super) fn new() -> Self {
        Self { waiting: Mutex::default(), changed: Condvar::new(), backlog: Backlog::default() }
    }

    pub(super) fn push(&self, record: Record) {
        let mut waiting = self.lock();
        if waiting.batch.records.len() >= LONGEST {
            waiting.batch.lost += 1;
            self.backlog.lost.inc();
            return;
        }
        self.backlog.waiting.inc();
        waiting.batch.records.push(record);
        // Wake the thread only for the first record of a burst, and when the queue is half full.
        let count = waiting.batch.records.len();
        drop(waiting);
        if count == 1 || count == LONGEST / 2 {
            self.changed.notify_one();
        }
    }

    pub(super) fn push_task(&self, task: DatabaseTask) {
        self.lock().batch.tasks.push(task);
        self.changed.notify_one();
    }

    /// Closes the queue: no more records or tasks follow.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    /// Waits for records or tasks; `None` if the queue is closed and empty.
    pub(super) fn take(&self) -> Option<Batch> {
        let is_empty =
            |waiting: &mut QueuedWrites| waiting.batch.records.is_empty() && !waiting.is_urgent();
        let waiting = self.changed.wait_while(self.lock(), is_empty);
        let waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        let is_calm = |waiting: &mut QueuedWrites| !waiting.is_urgent();
        let gathered = self.changed.wait_timeout_while(waiting, COLLECT_TIME, is_calm);
        let (mut waiting, _) = gathered.unwrap_or_else(PoisonError::into_inner);
        let batch = std::mem::take(&mut waiting.batch);
        self.backlog.waiting.set(0);
        let is_over = waiting.is_closed && batch.records.is_empty() && batch.tasks.is_empty();
        (!is_over).then_some(batch)
    }

    fn lock(&self) -> MutexGuard<'_, QueuedWrites> {
        // No code that can panic runs under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for WriteQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}
