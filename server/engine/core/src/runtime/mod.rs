//! The async runtime of a server process.
//!
//! It has a worker for each handler that may run at once, and two more. `block_in_place` before each poll, or another
//! runtime for calls, costs more than a call.

pub(crate) mod watchdog;

use std::io;

use tokio::runtime::{Builder, Runtime};

/// Threads for blocking work. High enough that only the limits on handlers count, not this one.
const BLOCKING_THREADS: usize = 32 * 1024;

/// Workers beyond one for each handler: one polls sockets and timers, the other runs ready tasks.
const SPARE: usize = 2;

/// Starts the runtime in which handlers run. It has a worker for each of `handlers` concurrent handlers,
/// because each of them may block its thread. A process needs one runtime.
///
/// # Errors
/// If the system refuses to create threads.
pub fn runtime(handlers: u32) -> io::Result<Runtime> {
    let workers = (handlers as usize).saturating_add(SPARE);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(workers).max_blocking_threads(BLOCKING_THREADS).enable_all().build()
}
