//! Waits for what programs do by themselves, each with an end.

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long anything may take before the test fails. It is generous, because it only ends a hang.
pub const TIMEOUT: Duration = Duration::from_mins(2);
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

/// The lines that a program writes. A thread reads them, so that a wait for one has an end.
pub struct Lines(Receiver<String>);

impl Lines {
    /// Begins to read.
    pub fn of(stream: impl Read + Send + 'static) -> Self {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
            // Until the test has ended.
            lines.all(|line| sender.send(line).is_ok())
        });
        Self(lines)
    }

    /// Waits for a line with this text, and returns it. Lines before it are dropped.
    pub fn find(&mut self, text: &str) -> String {
        loop {
            let line = self.0.recv_timeout(TIMEOUT);
            let line = line.unwrap_or_else(|error| panic!("no line has `{text}`: {error}"));
            if line.contains(text) {
                return line;
            }
        }
    }
}

/// Stops the threads that look at its flag when it is dropped, also by a failure: a scope waits for its threads.
pub struct Stop<'a>(pub &'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
