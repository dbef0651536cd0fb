//! What outlives the process: the audit, the answers to calls with an idempotency key, and what tool
//! listings cost. One file per server, read and written by `SQLite`; one thread writes it, so that no
//! call waits for the disk unless it has a key.

mod arguments;
mod audit;
mod database;
mod keys;
mod listed;
mod queue;
mod record;
mod size;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use crate::savings::Accounts;
pub(crate) use arguments::{canonical, redacted};
pub(crate) use audit::{Filter, Row, select};
pub(crate) use database::{Database, Unusable, examine};
pub(crate) use keys::{Answer, Claim, Claimed, Key};
pub(crate) use queue::Backlog;
use queue::{Batch, Queue};
pub(crate) use record::Record;
pub(crate) use size::{object_size, size};

/// The way to the state, from any number of calls at once. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct State(Option<Arc<Queue>>);

impl State {
    /// Keeps nothing, for commands that run nothing.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// Puts a call on record. Never waits.
    pub(crate) fn record(&self, record: Record) {
        if let Some(queue) = &self.0 {
            queue.push(record);
        }
    }

    /// How the audit keeps up; none where there is no audit.
    pub(crate) fn backlog(&self) -> Option<&Backlog> {
        self.0.as_ref().map(|queue| &queue.backlog)
    }

    /// Binds a key to a call, on disk before this returns.
    ///
    /// # Errors
    /// When the file cannot be used; why is in the log.
    pub(crate) async fn claim(&self, claim: Arc<Claim>) -> Result<Claimed, Lost> {
        self.ask(move |database| database.claim(&claim)).await
    }

    /// Keeps the answer to a call with a key, on disk before this returns; without one, frees the
    /// key.
    ///
    /// # Errors
    /// When the file cannot be used; why is in the log.
    pub(crate) async fn settle(
        &self,
        claim: Arc<Claim>,
        answer: Option<Answer>,
    ) -> Result<(), Lost> {
        self.ask(move |database| database.settle(&claim, answer.as_ref())).await
    }

    /// Adds to what tool listings cost.
    ///
    /// # Errors
    /// When the file cannot be used; why is in the log.
    pub(crate) async fn add_listed(&self, accounts: Accounts) -> Result<(), Lost> {
        self.ask(move |database| database.add_listed(&accounts)).await
    }

    /// What tool listings cost, as far as it was added.
    ///
    /// # Errors
    /// When the file cannot be used; why is in the log.
    pub(crate) async fn listed(&self) -> Result<Accounts, Lost> {
        self.ask(|database| database.listed()).await
    }

    /// Forgets what tool listings cost.
    ///
    /// # Errors
    /// When the file cannot be used; why is in the log.
    pub(crate) async fn forget_listed(&self) -> Result<(), Lost> {
        self.ask(Database::forget_listed).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Database) -> Result<T, Unusable> + Send + 'static,
    ) -> Result<T, Lost> {
        let queue = self.0.as_ref().ok_or(Lost)?;
        let (reply, answer) = oneshot::channel();
        queue.ask(Box::new(move |database| {
            // Without a file the reply is dropped, which says as much.
            let Some(database) = database else { return };
            let answer = question(database).inspect_err(|error| {
                tracing::error!(%error, "the state file does not do what it was asked to");
            });
            // Whoever asked may have gone; the file has the answer.
            let _ = reply.send(answer);
        }));
        answer.await.map_err(|_| Lost)?.map_err(|_| Lost)
    }
}

/// The state file did not do what it was asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lost;

/// Owns the thread that writes. When it is dropped, everything recorded so far is on disk.
#[derive(Debug)]
pub(crate) struct Keeper {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Opens the file, made when it is missing, on a thread of its own: a client is waiting. What is
    /// wrong with it is named in the log, once, and the server goes on without.
    pub(crate) fn open(file: Option<PathBuf>) -> Self {
        let queue = Arc::new(Queue::new());
        let waiting = queue.clone();
        let thread = std::thread::Builder::new()
            .name("state".to_owned())
            .spawn(move || write(&waiting, file.as_deref()))
            .inspect_err(|error| tracing::error!(%error, "{WITHOUT}"));
        Self { queue, thread: thread.ok() }
    }

    /// The way to the state.
    pub(crate) fn state(&self) -> State {
        State(self.thread.is_some().then(|| self.queue.clone()))
    }
}

impl Drop for Keeper {
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

fn write(queue: &Queue, file: Option<&std::path::Path>) {
    let mut database = file.ok_or(Unusable::NoHome).and_then(Database::open);
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
