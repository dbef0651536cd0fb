//! Processes large texts one at a time, so that concurrent callers together need the memory for
//! one.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

use crate::note::NOTE_LIMIT;

/// Texts larger than this many bytes are large (64 KiB).
pub(crate) const LARGE: u64 = 64 * 1024;

/// Limit for the bytes of large files that callers wait for together (64 MiB). Loading so many
/// takes a few hundred milliseconds, which bounds the time that any caller waits.
const MOST_AWAITED: u64 = 64 * 1024 * 1024;

/// Bytes of large files that callers wait for now.
static AWAITED: AtomicU64 = AtomicU64::new(0);

/// Held while a large text is processed.
static LARGE_TEXT: Mutex<()> = Mutex::new(());

/// Sends jobs to the thread that processes large texts for readers.
static READER: LazyLock<Mutex<Option<Sender<Job>>>> =
    LazyLock::new(|| Mutex::new(start_reader_thread()));

type Job = Box<dyn FnOnce() + Send>;

/// Processes a text of this size. A large one waits until no other is processed. The work must not
/// call this function again.
pub(crate) fn run_alone<T>(size: u64, work: impl FnOnce() -> T) -> T {
    // The mutex guards no data, so poisoning does not matter.
    let _guard = (size > LARGE).then(|| LARGE_TEXT.lock().unwrap_or_else(PoisonError::into_inner));
    work()
}

/// Callers already wait for the most bytes of large files that are allowed.
#[derive(Debug)]
pub(crate) struct Crowded;

/// Loads a file of this size. A large one is loaded as by [`offload`].
///
/// # Errors
/// [`Crowded`], or the error of the work.
pub(crate) fn load<T: Send + 'static, E: From<Crowded> + Send + 'static>(
    size: u64,
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    let _awaited = Awaited::begin(size)?;
    offload(size, work)
}

/// Counts a file as waited for, until it is dropped.
pub(crate) struct Awaited(u64);

impl Awaited {
    /// Counts a file of this size if it is large. One beyond [`NOTE_LIMIT`] is refused without
    /// being read, so it takes no memory and is not counted.
    ///
    /// # Errors
    /// [`Crowded`].
    pub(crate) fn begin(size: u64) -> Result<Self, Crowded> {
        if !(LARGE + 1..=NOTE_LIMIT).contains(&size) {
            return Ok(Self(0));
        }
        let more = |awaited: u64| Some(awaited + size).filter(|awaited| *awaited <= MOST_AWAITED);
        AWAITED.fetch_update(Relaxed, Relaxed, more).map_err(|_| Crowded)?;
        Ok(Self(size))
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        AWAITED.fetch_sub(self.0, Relaxed);
    }
}

/// Processes a reader's text of this size. Large texts run on one dedicated thread, because
/// allocators keep memory for each thread that has needed it, and readers run on many threads.
pub(crate) fn offload<T: Send + 'static>(
    size: u64,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if size <= LARGE {
        return work();
    }
    let (done, result) = channel();
    let job = Box::new(move || {
        // The caller receives the panic. It left no shared state incomplete.
        let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
    });
    run_on_reader_thread(job);
    match result.recv() {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => unreachable!("each job runs and sends its result"),
    }
}

/// Runs a job on the thread, or here if the thread cannot be started.
fn run_on_reader_thread(job: Job) {
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

fn start_reader_thread() -> Option<Sender<Job>> {
    let (sender, jobs) = channel::<Job>();
    let work = move || jobs.into_iter().for_each(|job| job());
    thread::Builder::new().name("toolwrit-reader".to_owned()).spawn(work).ok().map(|_| sender)
}
