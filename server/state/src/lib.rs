//! What outlives the process: the audit, the answers to calls with an idempotency key, and what tool
//! listings cost. One file per server, read and written by `SQLite`; one thread writes it, so that no
//! call waits for the disk unless it has a key.

mod audit;
mod database;
mod keys;
mod listed;
mod queue;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::oneshot;

pub use audit::{AuditRow, Filter, select};
pub use database::{Database, UnusableDatabase, examine};
/// In the version that the state is kept with. A program can link one `SQLite` only.
pub use rusqlite;

use queue::{Batch, WriteQueue};
use toolwrit_core::claim::{Claim, Claimed, ClaimedAnswer};
use toolwrit_core::counters::Backlog;
use toolwrit_core::listing_costs::AccountCosts;
use toolwrit_core::record::Record;
use toolwrit_core::storage::{Lost, State, Storage, Stored};

impl Storage for WriteQueue {
    fn record(&self, record: Record) {
        self.push(record);
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn claim(&self, claim: Arc<Claim>) -> Stored<'_, Claimed> {
        Box::pin(self.run(move |database| database.claim(&claim)))
    }

    fn settle(&self, claim: Arc<Claim>, answer: Option<ClaimedAnswer>) -> Stored<'_, ()> {
        Box::pin(self.run(move |database| database.settle(&claim, answer.as_ref())))
    }

    fn add_listed(&self, accounts: AccountCosts) -> Stored<'_, ()> {
        Box::pin(self.run(move |database| database.add_listed(&accounts)))
    }

    fn listed(&self) -> Stored<'_, AccountCosts> {
        Box::pin(self.run(|database| database.listed()))
    }

    fn forget_listed(&self) -> Stored<'_, ()> {
        Box::pin(self.run(Database::forget_listed))
    }
}

impl WriteQueue {
    /// Runs a question on the thread that owns the file.
    async fn run<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Database) -> Result<T, UnusableDatabase> + Send + 'static,
    ) -> Result<T, Lost> {
        let (reply, answer) = oneshot::channel();
        self.ask(Box::new(move |database| {
            // Without a file the reply is dropped, which says as much.
            let Some(database) = database else { return };
            let answer = question(database).inspect_err(|error| {
                tracing::error!(%error, "the state file does not do what it was asked to");
            });
            // The caller may have gone; the file has the answer.
            let _ = reply.send(answer);
        }));
        answer.await.map_err(|_| Lost)?.map_err(|_| Lost)
    }
}

/// Owns the thread that writes. When it is dropped, everything recorded so far is on disk.
#[derive(Debug)]
pub struct StateWriter {
    queue: Arc<WriteQueue>,
    thread: Option<JoinHandle<()>>,
}

impl StateWriter {
    /// Opens the file, made when it is missing, on a thread of its own: a client is waiting. What is
    /// wrong with it is named in the log, once, and the server goes on without.
    pub fn open(file: Option<PathBuf>) -> Self {
        let queue = Arc::new(WriteQueue::new());
        let waiting = queue.clone();
        let thread = std::thread::Builder::new()
            .name("state".to_owned())
            .spawn(move || write(&waiting, file.as_deref()))
            .inspect_err(|error| tracing::error!(%error, "{WITHOUT}"));
        Self { queue, thread: thread.ok() }
    }

    /// The way to the state.
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
            // A panic in it is in the log already.
            let _ = thread.join();
        }
    }
}

/// What an unusable file means.
const WITHOUT: &str =
    "no state is kept: calls leave no audit, and calls with an idempotency key are refused";

fn write(queue: &WriteQueue, file: Option<&std::path::Path>) {
    let mut database = file.ok_or(UnusableDatabase::NoHome).and_then(Database::open);
    let shown = file.map(std::path::Path::display);
    let shown = shown.map(|path| path.to_string()).unwrap_or_default();
    if let Err(error) = &database {
        tracing::error!(file = shown, %error, "{WITHOUT}");
    }
    let mut is_failing = false;
    while let Some(Batch { records, questions, lost }) = queue.take() {
        if lost > 0 {
            tracing::error!(file = shown, lost, "the disk is too slow: calls are not in the audit");
        }
        for question in questions {
            question(database.as_mut().ok());
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
