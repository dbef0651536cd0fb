//! The thread of a replica, and the work that it does by itself: it prepares the schema, renews the lease, writes records
//! and outcomes, and cleans up.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use toolwrit_core::audit::storage::State;

use crate::audit::write::write;
use crate::database::{Database, Failed};
use crate::key_file::{BadKeyFile, KeyFile};
use crate::lease::RENEWED_EVERY;
use crate::notices::{Notices, Unsent};
use crate::settings::Settings;
use crate::store::{Inner, Schema, Status, Store};
use crate::{Unusable, janitor, keys, migrate};

/// How long the end of a replica may take.
const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// How long a migration may take, with the wait for those of other replicas.
const MIGRATED_WITHIN: Duration = Duration::from_mins(5);
/// How soon a renewal that failed is sent again.
const RENEWED_AGAIN: Duration = Duration::from_millis(500);
/// How soon a schema that does not fit is looked at again.
const PREPARED_AGAIN: Duration = Duration::from_secs(2);
/// How often outcomes that could not be written are sent again.
const SETTLED_EVERY: Duration = Duration::from_secs(1);

/// The consequences of an end that did not succeed.
const NOT_REMOVED: &str =
    "this replica was not removed from the database: others take it for alive for 10 seconds";

/// The consequences of a state that cannot be used at all.
const WITHOUT: &str =
    "no state is kept: calls are not audited, and calls with an idempotency key are refused";

/// A replica. Dropping it waits until everything recorded so far is written, for at most five seconds.
#[derive(Debug)]
pub struct Replica {
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    store: Arc<Store>,
    thread: Option<JoinHandle<()>>,
    /// Dropped to end the thread.
    closing: Option<oneshot::Sender<()>>,
}

impl Replica {
    /// Starts a replica, on a thread of its own, so that no handler that blocks delays a renewal. Does not wait for the
    /// database: until it answers, calls with an idempotency key are refused, and records wait.
    pub fn open(settings: Settings) -> Self {
        let running = Running::start(settings);
        Self { running: running.inspect_err(|error| tracing::error!(%error, "{WITHOUT}")).ok() }
    }

    /// Returns a handle for the state.
    pub fn state(&self) -> State {
        match &self.running {
            Some(running) => State::shared_in(running.store.clone()),
            None => State::none(),
        }
    }

    /// Returns how the replica is; `None` if it could not start.
    pub fn status(&self) -> Option<Status> {
        self.running.as_ref().map(|running| running.store.inner.status())
    }

    /// Migrates the schema to the version of this program, and returns that version. A role that is given may then serve,
    /// and can neither change recorded calls nor the schema.
    ///
    /// # Errors
    /// If the schema cannot be migrated, or serves only later programs.
    pub async fn migrate(settings: &Settings, role: Option<&str>) -> Result<u32, Unusable> {
        let database = Database::new(&settings.address, 1, MIGRATED_WITHIN)?;
        let version = migrate::prepare(&database, &settings.schemas).await?;
        if let Some(role) = role {
            migrate::grant(&database, role).await?;
        }
        Ok(version)
    }
}

/// Why a replica cannot start.
#[derive(Debug, thiserror::Error)]
enum NotStarted {
    #[error("{0}")]
    System(#[from] std::io::Error),
    #[error("{0}")]
    Database(#[from] Failed),
}

impl Running {
    fn start(settings: Settings) -> Result<Self, NotStarted> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (notices, unsent) = Notices::new();
        let inner = Arc::new(Inner::new(settings, notices)?);
        let store = Arc::new(Store {
            runtime: runtime.handle().clone(),
            inner: inner.clone(),
            is_failing: AtomicBool::new(false),
        });
        let (closing, closed) = oneshot::channel();
        let run = move || run(&runtime, &inner, unsent, closed);
        let thread = std::thread::Builder::new().name("state".to_owned()).spawn(run)?;
        Ok(Self { store, thread: Some(thread), closing: Some(closing) })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.closing = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been logged.
            let _ = thread.join();
        }
    }
}

fn run(runtime: &Runtime, inner: &Arc<Inner>, unsent: Unsent, closed: oneshot::Receiver<()>) {
    runtime.block_on(async {
        let renewing = tokio::spawn(renew(inner.clone()));
        let writing = tokio::spawn(record(inner.clone()));
        let telling = tokio::spawn(tell(inner.clone(), unsent));
        let others = [
            tokio::spawn(settle(inner.clone())),
            tokio::spawn(clean(inner.clone())),
            tokio::spawn(read_keys(inner.clone())),
            tokio::spawn(listen(inner.clone())),
        ];
        // Nothing is ever sent: the other end is dropped.
        let _ = closed.await;
        for other in others {
            other.abort();
        }
        inner.queue.close();
        let end = async {
            // A panic has been logged, and the rest can still be done.
            let _ = writing.await;
            renewing.abort();
            telling.abort();
            let settled = inner.claims.settle(&inner.database).await;
            let released = inner.leases.end(&inner.database).await;
            inner.lease.end().await.and(released).and(settled)
        };
        match timeout(ENDS_WITHIN, end).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "{NOT_REMOVED}"),
            Err(_) => match inner.queue.backlog.waiting.get() {
                0 => {
                    tracing::error!(error = "the database did not answer in time", "{NOT_REMOVED}");
                }
                unsent => tracing::error!(
                    unsent,
                    "the database did not answer in time: calls are not in the audit"
                ),
            },
        }
    });
}

/// Prepares the schema, and then renews the lease.
async fn renew(inner: Arc<Inner>) {
    let schema = prepare(&inner).await;
    let mut is_failing = false;
    loop {
        let renewed = match inner.lease.renew(schema).await {
            Ok(()) => inner.leases.renew(inner.lease.database()).await,
            failed => failed,
        };
        match renewed {
            Ok(()) => {
                if std::mem::take(&mut is_failing) {
                    tracing::info!("the database answers again");
                    inner.schema.send_replace(Schema::Fits(schema));
                }
                sleep(RENEWED_EVERY).await;
            }
            Err(error) => {
                if !is_failing {
                    let fix = error.fix();
                    tracing::error!(%error, fix, "the lease of this replica cannot be renewed");
                    // After the first renewal, all replicas would leave the balancer at once.
                    if inner.lease.age().is_none() {
                        let reason = format!("the replica cannot register itself: {error}. {fix}");
                        inner.schema.send_replace(Schema::Unfit(reason));
                    }
                }
                is_failing = true;
                sleep(RENEWED_AGAIN).await;
            }
        }
    }
}

/// Waits until the schema fits, because an operator may mend it, and returns its version.
async fn prepare(inner: &Inner) -> u32 {
    let settings = &inner.settings;
    let mut told = String::new();
    loop {
        let prepared = async {
            let database = Database::new(&settings.address, 1, MIGRATED_WITHIN)?;
            migrate::prepare(&database, &settings.schemas).await
        };
        let error = match prepared.await {
            Ok(version) => {
                inner.schema.send_replace(Schema::Fits(version));
                return version;
            }
            Err(error) => error,
        };
        let reason = error.with_fix();
        if reason != told {
            tracing::error!(database = %settings.address, error = reason, "the state cannot be used yet");
        }
        // Also after an answer that may be another one later: the database has refused.
        inner.schema.send_replace(Schema::Unfit(format!("the state cannot be used yet: {reason}")));
        told = reason;
        sleep(PREPARED_AGAIN).await;
    }
}

/// Writes records as soon as the database's time is known.
async fn record(inner: Arc<Inner>) {
    tokio::select! {
        () = inner.lease.begun() => {}
        () = inner.queue.finished() => return,
    }
    let Inner { queue, database, lease, settings, .. } = &*inner;
    write(queue, database, lease, &settings.replica).await;
}

/// Writes outcomes that could not be written at once.
async fn settle(inner: Arc<Inner>) {
    loop {
        sleep(SETTLED_EVERY).await;
        if let Err(error) = inner.claims.settle(&inner.database).await {
            tracing::debug!(%error, "the outcomes of calls are not yet written");
        }
    }
}

/// Does the work of one replica for all, and looks whether the schema still fits.
async fn clean(inner: Arc<Inner>) {
    loop {
        sleep(Duration::from_secs(1)).await;
        if inner.lease.holder().is_err() {
            continue;
        }
        match migrate::check(&inner.database, &inner.settings.schemas).await {
            Ok(version) => drop(inner.schema.send_replace(Schema::Fits(version))),
            Err(error) if error.is_final() => {
                let reason = error.with_fix();
                tracing::error!(error = reason, "the state can no longer be used");
                inner.schema.send_replace(Schema::Unfit(reason));
            }
            // The renewal has logged it.
            Err(_) => continue,
        }
        match janitor::round(&inner.database, &inner.leases, &inner.settings).await {
            Ok(round) => inner.found(round),
            Err(error) => tracing::warn!(%error, "the state was not cleaned up"),
        }
        sleep(janitor::ROUND).await;
    }
}

/// Reads the keys, before a new one seals.
async fn read_keys(inner: Arc<Inner>) {
    inner.lease.begun().await;
    loop {
        let read = match &inner.settings.keys {
            Some(file) => read_key_file(&inner, file.clone()).await,
            None => inner.keys.read(&inner.database).await.map_err(NotRead::Database),
        };
        let wait = match read {
            Ok(()) => keys::READ_EVERY,
            Err(NotRead::Database(error)) => {
                tracing::debug!(%error, "the keys cannot be read");
                RENEWED_AGAIN
            }
            Err(NotRead::File(error)) => {
                tracing::error!(%error, "the keys cannot be read, and the earlier ones are used");
                keys::READ_EVERY
            }
        };
        sleep(wait).await;
    }
}

/// Reads the keys of a file.
async fn read_key_file(inner: &Inner, file: KeyFile) -> Result<(), NotRead> {
    // On a thread of its own, because a folder of another machine may not answer.
    let read = spawn_blocking(move || file.read()).await;
    let Ok(keys) = read else { return Ok(()) };
    inner.keys.take(keys?, inner.lease.database_time()?);
    Ok(())
}

/// Why keys cannot be read.
#[derive(Debug, thiserror::Error)]
enum NotRead {
    #[error(transparent)]
    Database(#[from] Failed),
    #[error(transparent)]
    File(#[from] BadKeyFile),
}

/// Listens to other replicas.
async fn listen(inner: Arc<Inner>) {
    inner.lease.begun().await;
    let Inner { notices, database, settings, .. } = &*inner;
    notices.listen(database, &settings.listening()).await;
}

/// Tells other replicas.
async fn tell(inner: Arc<Inner>, mut unsent: Unsent) {
    unsent.send(&inner.notices, &inner.database).await;
}
