//! Large texts are worked on one at a time, so that all who ask for them together need the memory of one.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

use crate::error::{Result, VaultError};

/// Size in bytes of a text from which on it is large (64 KiB).
pub(crate) const LARGE: u64 = 64 * 1024;

/// Most bytes of large files that callers wait for together (64 MiB). Loading so many takes a few hundred
/// milliseconds, and nobody else waits longer for callers who load the largest notes.
const MOST_AWAITED: u64 = 64 * 1024 * 1024;

/// Bytes of large files that callers wait for now.
static AWAITED: AtomicU64 = AtomicU64::new(0);

/// Held while a large text is worked on.
static TURN: Mutex<()> = Mutex::new(());

/// Where readers have large texts worked on.
static READER: LazyLock<Mutex<Option<Sender<Job>>>> = LazyLock::new(|| Mutex::new(reader()));

type Job = Box<dyn FnOnce() + Send>;

/// Works on a text of this size: if it is large, when no other is worked on. The work must not come back here.
pub(crate) fn alone<T>(size: u64, work: impl FnOnce() -> T) -> T {
    // There is nothing behind the lock that could be broken.
    let _turn = (size > LARGE).then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
    work()
}

/// Loads a file of this size: if it is large, as [`offload`] does.
///
/// # Errors
/// `Crowded` if callers already wait for as much as is loaded in a moment; as the work otherwise.
pub(crate) fn load<T: Send + 'static>(
    size: u64,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    if size <= LARGE {
        return work();
    }
    let _awaited = Awaited::begin(size)?;
    offload(size, work)
}

/// Counts a file as awaited, until it is dropped.
struct Awaited(u64);

impl Awaited {
    fn begin(size: u64) -> Result<Self> {
        let more = |awaited: u64| Some(awaited + size).filter(|awaited| *awaited <= MOST_AWAITED);
        AWAITED.fetch_update(Relaxed, Relaxed, more).map_err(|_| VaultError::Crowded)?;
        Ok(Self(size))
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        AWAITED.fetch_sub(self.0, Relaxed);
    }
}

/// Does a reader's work on a text of this size: if it is large, on the one thread for all of it. Allocators
/// keep memory for each thread that has needed it, and readers come on very many.
pub(crate) fn offload<T: Send + 'static>(
    size: u64,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if size <= LARGE {
        return work();
    }
    let (done, result) = channel();
    let job = Box::new(move || {
        // Whoever waits has the panic. It has left nothing half done that others see.
        let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
    });
    run(job);
    match result.recv() {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => unreachable!("each job is run, and sends what came of it"),
    }
}

/// Has the thread run a job, or runs it here where there can be no thread.
fn run(job: Job) {
    let reader = READER.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match reader {
        Some(reader) => {
            if let Err(refused) = reader.send(job) {
                refused.0();
            }
        }
        None => job(),
    }
}

fn reader() -> Option<Sender<Job>> {
    let (sender, jobs) = channel::<Job>();
    let work = move || jobs.into_iter().for_each(|job| job());
    thread::Builder::new().name("toolwrit-reader".to_owned()).spawn(work).ok().map(|_| sender)
}
