//! The threads on which calls run. A handler may block its thread: the threads that read requests and keep
//! time run no handlers, and every handler that may be at work finds a thread.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// Threads beyond one for each handler: for calls that wait for their turn.
const SPARE: usize = 2;

/// The threads of one engine. They start with the first call.
pub struct Workers {
    threads: usize,
    runtime: OnceLock<Runtime>,
}

impl Workers {
    /// For so many handlers at once.
    pub(crate) fn new(handlers: u32) -> Self {
        let threads = (handlers as usize).saturating_add(SPARE);
        Self { threads, runtime: OnceLock::new() }
    }

    /// Runs a future, which may block, to its end. Sockets, timers and the tasks that it starts belong to the
    /// runtime of the caller, so that no handler holds them up.
    pub fn spawn<F>(&self, work: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let callers = Handle::current();
        self.runtime().spawn(async move {
            let mut work = pin!(work);
            let poll = poll_fn(|cx| {
                let _entered = callers.enter();
                work.as_mut().poll(cx)
            });
            poll.await
        })
    }

    #[expect(
        clippy::expect_used,
        reason = "without sockets and timers it opens nothing that could fail"
    )]
    fn runtime(&self) -> &Runtime {
        self.runtime.get_or_init(|| {
            let mut builder = Builder::new_multi_thread();
            let runtime = builder.worker_threads(self.threads).thread_name("handlers").build();
            runtime.expect("a runtime without sockets and timers")
        })
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // The last call may hold the engine: no thread can wait for itself.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
