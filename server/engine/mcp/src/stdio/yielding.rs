//! Lets other tasks run first.

use std::future::poll_fn;
use std::mem;
use std::task::Poll;

/// Lets other tasks run. tokio's `yield_now` keeps the task on its worker, which may run a blocking handler
/// next. After this function, any worker can take the task.
pub(super) async fn yield_to_any_worker() {
    let mut has_yielded = false;
    poll_fn(|cx| {
        if mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
