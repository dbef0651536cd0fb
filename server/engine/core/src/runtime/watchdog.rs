//! The watchdog keeps the runtime going while handlers block their threads. A tokio worker that takes a
//! single task from the I/O driver wakes no other worker. While that task blocks, no worker polls sockets and
//! timers or runs tasks that have become ready. So the watchdog wakes another worker while handlers are being
//! polled.
//!
//! A thread wakes one every 5 ms. Two kinds of tasks stay with a worker that blocks: the task that became ready last,
//! and tasks that have used up their budget or called `yield_now`. The engine's own tasks avoid both (`reports::send`,
//! `stdio::yielding`).

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};

/// How long a handler may block before another worker is woken.
const PERIOD: Duration = Duration::from_millis(5);
/// Periods without a handler after which the watchdog sleeps. Not fewer, because waking it for every call
/// would cost more than most calls.
const IDLE_PERIODS: u32 = 20;

/// Watches the handlers of one engine. Its thread starts with the first handler.
#[derive(Default)]
pub(crate) struct Watchdog {
    state: Arc<WatchdogState>,
    thread: OnceLock<Option<Thread>>,
}

#[derive(Default)]
struct WatchdogState {
    /// How many handlers are being polled.
    polled: AtomicUsize,
    /// Whether the thread waits to be unparked.
    is_sleeping: AtomicBool,
    /// Whether the engine has been dropped.
    is_ended: AtomicBool,
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
            && self.state.is_sleeping.load(Ordering::SeqCst)
        {
            thread.unpark();
        }
        HandlerPoll(&self.state)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.state.is_ended.store(true, Ordering::SeqCst);
        if let Some(Some(thread)) = self.thread.get() {
            thread.unpark();
        }
    }
}

struct HandlerPoll<'a>(&'a WatchdogState);

impl Drop for HandlerPoll<'_> {
    fn drop(&mut self) {
        self.0.polled.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Starts the thread. `None` if the runtime has only one worker, because there is no other worker to wake.
fn start(state: &Arc<WatchdogState>) -> Option<Thread> {
    let runtime = Handle::try_current().ok()?;
    if runtime.runtime_flavor() == RuntimeFlavor::CurrentThread {
        return None;
    }
    let state = state.clone();
    let thread = thread::Builder::new().name("watchdog".to_owned());
    match thread.spawn(move || state.wake_workers(&runtime)) {
        Ok(running) => Some(running.thread().clone()),
        Err(error) => {
            tracing::error!(%error, "cannot start the watchdog thread: handlers that block may delay other calls");
            None
        }
    }
}

impl WatchdogState {
    fn wake_workers(&self, runtime: &Handle) {
        let mut idle = 0;
        while !self.is_ended.load(Ordering::SeqCst) {
            thread::park_timeout(PERIOD);
            if self.polled.load(Ordering::SeqCst) > 0 {
                idle = 0;
                // The worker that runs this then looks for tasks, and polls sockets and timers.
                drop(runtime.spawn(async {}));
            } else if idle < IDLE_PERIODS {
                idle += 1;
            } else {
                idle = 0;
                self.sleep();
            }
        }
    }

    /// Sleeps until a handler is polled or the engine is dropped.
    fn sleep(&self) {
        self.is_sleeping.store(true, Ordering::SeqCst);
        // This sees a poll that began earlier; a poll that begins later sees that the thread is sleeping.
        if self.polled.load(Ordering::SeqCst) == 0 && !self.is_ended.load(Ordering::SeqCst) {
            thread::park();
        }
        self.is_sleeping.store(false, Ordering::SeqCst);
    }
}
