//! The async runtime of a server's process.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// Most threads that are added for work that blocks. The limits say how many handlers are at work; this must
/// not stop those that remain.
const BLOCKING_THREADS: usize = 32 * 1024;

/// Starts the runtime in which handlers run. A process needs one.
///
/// # Errors
/// When the system gives the process no threads.
pub fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread().enable_all().max_blocking_threads(BLOCKING_THREADS).build()
}
