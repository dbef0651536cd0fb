//! The async runtime of a server's process.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// Most threads that are added for work that blocks. The limits say how many handlers are at work; this must
/// not stop those that remain.
const BLOCKING_THREADS: usize = 32 * 1024;

/// Workers beyond one for each handler: one reads requests and keeps time, the other runs what is ready.
const SPARE: usize = 2;

/// Starts the runtime in which handlers run, with a worker for each of so many handlers: every one of them may
/// block its thread. A process needs one runtime.
///
/// # Errors
/// When the system gives the process no threads.
pub fn runtime(handlers: u32) -> io::Result<Runtime> {
    let workers = (handlers as usize).saturating_add(SPARE);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(workers).max_blocking_threads(BLOCKING_THREADS).enable_all().build()
}
