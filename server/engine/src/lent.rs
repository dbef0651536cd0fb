//! Threads that a call may keep for a moment.
//!
//! To hand work to another thread and its outcome back costs more than a look at a local file. A transport
//! that knows that nobody waits for the thread on which it polls a call lends it to the call meanwhile.

use std::cell::Cell;

thread_local! {
    static LENT: Cell<bool> = const { Cell::new(false) };
}

/// Lends this thread to what is polled, until it waits for something.
pub(crate) fn lend<T>(poll: impl FnOnce() -> T) -> T {
    let _back = Back(LENT.replace(true));
    poll()
}

/// Whether this thread is lent to the call that is polled on it.
pub(crate) fn is_lent() -> bool {
    LENT.get()
}

/// Puts things back as they were, also after a panic.
struct Back(bool);

impl Drop for Back {
    fn drop(&mut self) {
        LENT.set(self.0);
    }
}
