//! Large texts are worked on one at a time, so that all who ask for them together need the memory of one.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Size in bytes of a text from which on it is large (64 KiB).
pub(crate) const LARGE: u64 = 64 * 1024;

/// Held while a large text is worked on.
static TURN: Mutex<()> = Mutex::new(());

/// Works on a text of this size: if it is large, when no other is worked on. The work must not come back here.
///
/// A large one has a thread of its own. What memory was needed is kept by allocators for the thread that
/// needed it, and would else be kept for each thread that ever came here.
pub(crate) fn alone<T: Send>(size: u64, work: impl FnOnce() -> T + Send) -> T {
    if size <= LARGE {
        return work();
    }
    // There is nothing behind the lock that could be broken.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|panic| resume_unwind(panic))
}
