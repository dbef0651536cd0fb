//! Slots of an operation or an API whose calls all replicas together must limit to fewer than there are replicas.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::spawn;
use tokio::time::sleep;

use super::{Shared, StorageFailed};

/// How soon a call that found no free slot looks again.
const AGAIN: Duration = Duration::from_millis(100);

/// The slots that this replica holds: each is a lease.
#[derive(Debug, Clone)]
pub(crate) struct SharedSlots {
    shared: Arc<dyn Shared>,
    held: Arc<Mutex<HashSet<String>>>,
}

impl SharedSlots {
    pub(crate) fn new(shared: Arc<dyn Shared>) -> Self {
        Self { shared, held: Arc::default() }
    }

    /// Waits for a slot.
    ///
    /// # Errors
    /// If the replicas cannot be asked.
    pub(crate) async fn acquire(&self, of: &str, most: u32) -> Result<SharedSlot, StorageFailed> {
        loop {
            for number in 0..most.max(1) {
                let name = format!("slot {number} of {of}");
                let Some(slot) = self.begin(name) else { continue };
                // By itself, so that the lease is released also if the caller is gone before the answer.
                let taken = spawn(async move {
                    let other = slot.slots.shared.lease(&slot.name).await?;
                    Ok(other.is_none().then_some(slot))
                });
                if let Some(slot) = taken.await.unwrap_or(Err(StorageFailed))? {
                    return Ok(slot);
                }
            }
            sleep(AGAIN).await;
        }
    }

    /// Reserves a slot within this process, for which a lease says nothing.
    fn begin(&self, name: String) -> Option<SharedSlot> {
        let is_free = self.held().insert(name.clone());
        is_free.then(|| SharedSlot { name, slots: self.clone() })
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        // No code that can panic runs under the lock.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A slot, until it is dropped.
pub struct SharedSlot {
    name: String,
    slots: SharedSlots,
}

impl Drop for SharedSlot {
    fn drop(&mut self) {
        let (name, slots) = (std::mem::take(&mut self.name), self.slots.clone());
        let released = async move {
            slots.shared.release(&name).await;
            // Not earlier: another call of this process would hold a lease that is released.
            slots.held().remove(&name);
        };
        // Without a runtime the process ends, and the lease with it.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(released);
        }
    }
}

impl fmt::Debug for SharedSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedSlot").field(&self.name).finish()
    }
}
