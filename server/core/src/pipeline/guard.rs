//! A defect in a handler is answered, not swallowed: panics and `INTERNAL` faults reach the log in
//! full and the caller as an id.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use futures::FutureExt;

use crate::fault::{Code, Fault, Result};

/// The result of the work, or the account of a defect in it.
pub(super) fn catch<T>(
    operation: &str,
    work: impl Future<Output = Result<T>> + Send,
) -> impl Future<Output = Result<T>> + Send {
    // A poisoned handler state is the handler's affair; the engine shares none with it.
    AssertUnwindSafe(work).catch_unwind().map(move |caught| match caught {
        Ok(Err(fault)) if fault.code() == Code::Internal => Err(report(operation, fault.message())),
        Ok(result) => result,
        Err(panic) => Err(report(operation, panic_text(panic.as_ref()))),
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}

/// Logs the defect under an id that the caller may quote.
fn report(operation: &str, what: &str) -> Fault {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let incident = format!("{seconds:x}-{:x}", COUNT.fetch_add(1, Ordering::Relaxed));
    tracing::error!(operation, incident, what, "defect");
    Fault::internal(format!("A defect in the server, logged as {incident}."))
        .hinting("Quote the id to the operator; the same call will probably fail again.")
}
