//! Waits for what programs do by themselves, each with an end.

use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long anything may take before the test fails. It is generous, because it only ends a hang.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(2);
/// The pause between two looks, which leaves the processors to what is waited for.
const PAUSE: Duration = Duration::from_millis(5);

/// Waits until something holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    found(what, || holds().then_some(()));
}

/// Looks until there is something, and returns it.
pub fn found<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < TIMEOUT, "waited in vain for {what}");
        std::thread::sleep(PAUSE);
    }
}

/// Waits until a program ends by itself.
pub(crate) fn end(child: &mut Child) -> ExitStatus {
    found("the end of the program", || child.try_wait().unwrap())
}

/// Stops the threads that look at its flag when it is dropped, also by a failure: a scope waits for its threads.
pub struct Stop<'a>(pub &'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
