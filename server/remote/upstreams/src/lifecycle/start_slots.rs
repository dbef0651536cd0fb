//! Programs that start at the same time take the processor from each other, and from us. So only a few begin at once.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;

/// After this time the next program begins, even if the one before has not started.
const MOST: Duration = Duration::from_millis(100);

/// Lets one program begin at a time for each processor.
#[derive(Debug, Clone)]
pub(super) struct StartSlots(Arc<Semaphore>);

impl Default for StartSlots {
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(processors)))
    }
}

impl StartSlots {
    /// Waits until a program may begin, and starts it.
    pub(super) async fn run<T>(&self, mut start: impl Future<Output = T> + Unpin) -> T {
        // The semaphore is never closed.
        let permit = self.0.acquire().await;
        if let Ok(started) = timeout(MOST, &mut start).await {
            return started;
        }
        drop(permit);
        start.await
    }
}
