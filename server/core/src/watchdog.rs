//! Handlers may block the thread that polls them. A worker of tokio that takes a single task from the I/O
//! driver runs it and wakes no other worker; while that task blocks, nobody polls sockets and timers, nor runs
//! tasks that have become ready. The watchdog wakes another worker while handlers are being polled.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};

/// How long a handler may block before another worker is woken.
const PERIOD: Duration = Duration::from_millis(5);
/// Periods without a handler after which the watchdog sleeps. To wake it for every call would cost more than
/// most calls.
const IDLE_PERIODS: u32 = 20;

/// Watches the handlers of one engine. Its thread starts with the first of them.
#[derive(Default)]
pub(crate) struct Watchdog {
    state: Arc<State>,
    thread: OnceLock<Option<Thread>>,
}

#[derive(Default)]
struct State {
    /// Handlers that are being polled.
    polled: AtomicUsize,
    /// The thread waits to be unparked.
    sleeps: AtomicBool,
    /// The engine has gone.
    ended: AtomicBool,
}

impl Watchdog {
    /// Runs a handler, which may block its thread.
    pub(crate) async fn watch<F: Future>(&self, handler: F) -> F::Output {
        let mut handler = pin!(handler);
        poll_fn(|cx| {
            let _poll = self.begin_poll();
            handler.as_mut().poll(cx)
        })
        .await
    }

    fn begin_poll(&self) -> HandlerPoll<'_> {
        self.state.polled.fetch_add(1, Ordering::SeqCst);
        if let Some(thread) = self.thread.get_or_init(|| start(&self.state))
            && self.state.sleeps.load(Ordering::SeqCst)
        {
            thread.unpark();
        }
        HandlerPoll(&self.state)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
        if let Some(Some(thread)) = self.thread.get() {
            thread.unpark();
        }
    }
}

struct HandlerPoll<'a>(&'a State);

impl Drop for HandlerPoll<'_> {
    fn drop(&mut self) {
        self.0.polled.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Starts the thread, unless the runtime has only one worker: it could wake no other.
fn start(state: &Arc<State>) -> Option<Thread> {
    let runtime = Handle::try_current().ok()?;
    if runtime.runtime_flavor() == RuntimeFlavor::CurrentThread {
        return None;
    }
    let state = state.clone();
    let thread = thread::Builder::new().name("watchdog".to_owned());
    match thread.spawn(move || state.wake_workers(&runtime)) {
        Ok(running) => Some(running.thread().clone()),
        Err(error) => {
            tracing::error!(%error, "handlers that block may delay others: no thread for the watchdog");
            None
        }
    }
}

impl State {
    fn wake_workers(&self, runtime: &Handle) {
        let mut idle = 0;
        while !self.ended.load(Ordering::SeqCst) {
            thread::park_timeout(PERIOD);
            if self.polled.load(Ordering::SeqCst) > 0 {
                idle = 0;
                // The worker that runs this then looks for tasks, and for sockets and timers that nobody polls.
                drop(runtime.spawn(async {}));
            } else if idle < IDLE_PERIODS {
                idle += 1;
            } else {
                idle = 0;
                self.sleep();
            }
        }
    }

    /// Returns when a handler has been polled.
    fn sleep(&self) {
        self.sleeps.store(true, Ordering::SeqCst);
        // A poll that began before is seen here; one that begins later sees that the thread sleeps.
        if self.polled.load(Ordering::SeqCst) == 0 && !self.ended.load(Ordering::SeqCst) {
            thread::park();
        }
        self.sleeps.store(false, Ordering::SeqCst);
    }
}
