//! What calls of bound operations share with those of other replicas: the limits of APIs, and the keys of cursors.

use std::num::NonZeroU32;
use std::sync::Arc;

use super::{
    Limited, Purpose, RequestRate, SealKeys, Shared, SharedSlot, SharedSlots, StorageFailed,
};

/// The replicas of a server, with this one. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Replicas {
    shared: Arc<dyn Shared>,
    slots: SharedSlots,
}

impl Replicas {
    /// Returns the replicas of a server; `None` if it is the only one.
    pub(crate) fn of(shared: Arc<dyn Shared>) -> Option<Self> {
        shared.replica()?;
        Some(Self { slots: SharedSlots::new(shared.clone()), shared })
    }

    /// Returns how many there are now.
    pub fn count(&self) -> NonZeroU32 {
        NonZeroU32::new(self.shared.replicas()).unwrap_or(NonZeroU32::MIN)
    }

    /// Takes a request from the rate of an API. `None` if each replica keeps to its part of it.
    pub async fn take_request(&self, api: &str, rate: RequestRate) -> Option<Limited> {
        self.shared.take_request(api, rate).await
    }

    /// Waits until one of so many requests to an API may run. It ends when the slot is dropped.
    ///
    /// # Errors
    /// If the replicas cannot be asked.
    pub async fn slot(&self, api: &str, most: u32) -> Result<SharedSlot, StorageFailed> {
        self.slots.acquire(&format!("API {api}"), most).await
    }

    /// Returns the keys that seal cursors.
    pub(crate) fn cursor_keys(&self) -> Option<SealKeys> {
        self.shared.keys(Purpose::Cursor)
    }
}
