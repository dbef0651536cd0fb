//! What waits for the thread that writes. Records gather for a moment, so that a burst of calls
//! costs one wake-up and one transaction; questions are served at once.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::database::Database;
use toolwrit_core::counters::Backlog;
use toolwrit_core::record::Record;

/// How long records gather before they are written.
const GATHER: Duration = Duration::from_millis(100);
/// Most records that wait. More are lost, and counted, rather than calls held up.
const LONGEST: usize = 16_384;

/// Something to do with the file at once; without it when it cannot be used.
pub(super) type DatabaseTask = Box<dyn FnOnce(Option<&mut Database>) + Send>;

/// What was taken to be written.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) records: Vec<Record>,
    pub(super) questions: Vec<DatabaseTask>,
    /// Records that found no room.
    pub(super) lost: u64,
}

#[derive(Default)]
struct QueuedWrites {
    batch: Batch,
    is_closed: bool,
}

impl QueuedWrites {
    fn is_urgent(&self) -> bool {
        self.is_closed
            || !self.batch.questions.is_empty()
            || self.batch.records.len() >= LONGEST / 2
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
        // Only the first of a burst wakes the thread, and the one that fills half the room.
        let count = waiting.batch.records.len();
        drop(waiting);
        if count == 1 || count == LONGEST / 2 {
            self.changed.notify_one();
        }
    }

    pub(super) fn ask(&self, question: DatabaseTask) {
        self.lock().batch.questions.push(question);
        self.changed.notify_one();
    }

    /// Nothing comes any more.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    /// Waits for something to write; none when the queue is closed and empty.
    pub(super) fn take(&self) -> Option<Batch> {
        let is_empty =
            |waiting: &mut QueuedWrites| waiting.batch.records.is_empty() && !waiting.is_urgent();
        let waiting = self.changed.wait_while(self.lock(), is_empty);
        let waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        let calm = |waiting: &mut QueuedWrites| !waiting.is_urgent();
        let gathered = self.changed.wait_timeout_while(waiting, GATHER, calm);
        let (mut waiting, _) = gathered.unwrap_or_else(PoisonError::into_inner);
        let batch = std::mem::take(&mut waiting.batch);
        self.backlog.waiting.set(0);
        let is_over = waiting.is_closed && batch.records.is_empty() && batch.questions.is_empty();
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
