//! The state that outlives the process: the audit, the answers to calls with an idempotency key, and the
//! costs of tool listings. Each server has one `SQLite` file. One thread writes it, so that a call waits for
//! the disk only if it has a key.
//!
//! `audit` has the table of calls, `keys` the answers to calls with a key, and `listed` the costs of listings.
//! `database` opens the file and migrates it, and `queue` holds the work of the thread that writes.
//!
//! `SQLite` is built in, because several processes can write one file, a crash leaves no partial data, and many tools can
//! read it. The migrations are a dozen lines of our own: a library that reads the version outside the transaction fails
//! if two servers start at the same time.
#![warn(missing_docs)]

mod audit;
mod database;
mod keys;
mod listed;
mod queue;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::oneshot;

pub use audit::select;
pub use database::{Database, UnusableDatabase, examine};
pub use listed::{listing_costs, reset_listing_costs};
/// The version that this crate uses. A program can link only one `SQLite`.
pub use rusqlite;

use queue::{Batch, WriteQueue};
use toolwrit_core::audit::claim::{Claim, Claimed, ClaimedAnswer};
use toolwrit_core::audit::counters::Backlog;
use toolwrit_core::audit::listing_costs::AccountCosts;
use toolwrit_core::audit::record::Record;
use toolwrit_core::audit::row::{AuditFilter, AuditRow};
use toolwrit_core::audit::storage::{State, Storage, StorageFailed, Stored};

impl Storage for WriteQueue {
    fn record(&self, record: Record) {
        self.push(record);
    }

    fn calls(&self, filter: AuditFilter) -> Stored<'_, Vec<AuditRow>> {
        Box::pin(async move {
            // Calls are written after the tasks that are taken with them, so this waits until earlier calls are.
            self.run(|_| Ok(())).await?;
            self.run(move |database| select(database, &filter)).await
        })
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn claim(&self, claim: Arc<Claim>) -> Stored<'_, Claimed> {
        Box::pin(self.run(move |database| database.claim(&claim)))
    }

    fn complete(&self, claim: Arc<Claim>, answer: Option<ClaimedAnswer>) -> Stored<'_, ()> {
        Box::pin(self.run(move |database| database.complete(&claim, answer.as_ref())))
    }

    fn add_listed(&self, accounts: AccountCosts) -> Stored<'_, ()> {
        Box::pin(self.run(move |database| database.add_listed(&accounts)))
    }

    fn listed(&self) -> Stored<'_, AccountCosts> {
        Box::pin(self.run(|database| database.read_listed()))
    }

    fn forget_listed(&self) -> Stored<'_, ()> {
        Box::pin(self.run(Database::forget_listed))
    }
}

impl WriteQueue {
    /// Runs a task on the thread that owns the file, and returns its result.
    async fn run<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut Database) -> Result<T, UnusableDatabase> + Send + 'static,
    ) -> Result<T, StorageFailed> {
        let (reply, answer) = oneshot::channel();
        self.push_task(Box::new(move |database| {
            // Without a file, dropping `reply` reports the failure.
            let Some(database) = database else { return };
            let answer = task(database).inspect_err(|error| {
                tracing::error!(%error, "an operation on the state file failed");
            });
            // The caller may have been cancelled; the file has the answer.
            let _ = reply.send(answer);
        }));
        answer.await.map_err(|_| StorageFailed)?.map_err(|_| StorageFailed)
    }
}

/// Owns the writing thread. Dropping it waits until everything recorded so far is on disk.
#[derive(Debug)]
pub struct StateWriter {
    queue: Arc<WriteQueue>,
    thread: Option<JoinHandle<()>>,
}

impl StateWriter {
    /// Opens the file, or creates it if it is missing, on a thread of its own, because a client is waiting.
    /// If the file cannot be used, logs the reason once, and the server runs without state.
    pub fn open(file: Option<PathBuf>) -> Self {
        let queue = Arc::new(WriteQueue::new());
        let waiting = queue.clone();
        let thread = std::thread::Builder::new()
            .name("state".to_owned())
            .spawn(move || run_writer(&waiting, file.as_deref()))
            .inspect_err(|error| tracing::error!(%error, "{WITHOUT}"));
        Self { queue, thread: thread.ok() }
    }

    /// Returns a handle for the state.
    pub fn state(&self) -> State {
        match self.thread {
            Some(_) => State::kept_in(self.queue.clone()),
            None => State::none(),
        }
    }
}

impl Drop for StateWriter {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been logged.
            let _ = thread.join();
        }
    }
}

/// The consequences of an unusable file.
const WITHOUT: &str =
    "no state is kept: calls are not audited, and calls with an idempotency key are refused";

fn run_writer(queue: &WriteQueue, file: Option<&std::path::Path>) {
    let mut database = file.ok_or(UnusableDatabase::NoHome).and_then(Database::open);
    let shown = file.map(std::path::Path::display);
    let shown = shown.map(|path| path.to_string()).unwrap_or_default();
    if let Err(error) = &database {
        tracing::error!(file = shown, %error, "{WITHOUT}");
    }
    let mut is_failing = false;
    while let Some(Batch { records, tasks, lost }) = queue.take() {
        if lost > 0 {
            tracing::error!(file = shown, lost, "the disk is too slow: calls are not in the audit");
        }
        for task in tasks {
            task(database.as_mut().ok());
        }
        let Ok(database) = &mut database else { continue };
        match database.record(&records) {
            Ok(()) => is_failing = false,
            Err(error) if is_failing => tracing::debug!(%error, "calls are not in the audit"),
            Err(error) => {
                tracing::error!(file = shown, %error, "calls are not in the audit");
                is_failing = true;
            }
        }
    }
}
