//! Values that one task at a time makes, and others wait for.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// The values by their keys. The number of keys must be limited.
pub(crate) struct Slots<K, V>(Mutex<HashMap<K, Slot<V>>>);

/// The value of a key, if it has been made.
pub(crate) type Slot<V> = Arc<tokio::sync::Mutex<Option<V>>>;

impl<K, V> Default for Slots<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V> Slots<K, V> {
    pub(crate) fn slot(&self, key: K) -> Slot<V> {
        // No code that can panic runs under the lock.
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(key).or_default())
    }
}
