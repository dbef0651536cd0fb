//! Handlers may block their thread: none of the other calls waits for it.

use std::future::{Future, poll_fn};
use std::pin::pin;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

/// Polls a future that may block its thread. Meanwhile another thread runs the tasks that would wait for
/// this one, and fetches the news of sockets and timers.
pub(crate) async fn may_block<F: Future>(work: F) -> F::Output {
    let runtime = Handle::try_current().map(|runtime| runtime.runtime_flavor());
    // A runtime of one thread has nobody else to run them.
    let hands_over = runtime.is_ok_and(|flavor| flavor == RuntimeFlavor::MultiThread);
    let mut work = pin!(work);
    poll_fn(|cx| {
        let mut poll = || work.as_mut().poll(cx);
        if hands_over { block_in_place(poll) } else { poll() }
    })
    .await
}
