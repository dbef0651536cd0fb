//! Panics and `INTERNAL` faults of a handler: the log gets the full text, and the caller gets an id.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use futures::FutureExt;

use crate::fault::{Code, Fault, Result};

/// Returns the result of the work. A panic or an `INTERNAL` fault becomes a fault with an id, in which the name of the
/// replica tells the logs of several processes apart.
pub(super) fn catch<T>(
    replica: Option<&str>,
    operation: &str,
    work: impl Future<Output = Result<T>> + Send,
) -> impl Future<Output = Result<T>> + Send {
    // The engine shares no state with the handler that a panic could leave inconsistent.
    AssertUnwindSafe(work).catch_unwind().map(move |caught| match caught {
        Ok(Err(fault)) if fault.code() == Code::Internal => {
            Err(report(replica, operation, fault.message()))
        }
        Ok(result) => result,
        Err(panic) => Err(report(replica, operation, panic_text(panic.as_ref()))),
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}

/// Logs the defect under an id, and returns the fault with the id.
fn report(replica: Option<&str>, operation: &str, what: &str) -> Fault {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let replica = replica.map(|name| format!("{name}-")).unwrap_or_default();
    let incident = format!("{replica}{seconds:x}-{:x}", COUNT.fetch_add(1, Ordering::Relaxed));
    tracing::error!(operation, incident, what, "a defect in the handler");
    Fault::internal(format!("A defect in the server, logged as {incident}."))
        .hinting("Give the id to the operator. The same call will probably fail again.")
}
