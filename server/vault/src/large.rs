//! Large texts are worked on one at a time, so that all who ask for them together need the memory of one.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

/// Size in bytes of a text from which on it is large (64 KiB).
pub(crate) const LARGE: u64 = 64 * 1024;

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

/// Does a reader's work on a text of this size: if it is large, on the one thread for all of it. Allocators
/// keep memory for each thread that has needed it, and readers come on very many.
pub(crate) fn aside<T: Send + 'static>(size: u64, work: impl FnOnce() -> T + Send + 'static) -> T {
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
