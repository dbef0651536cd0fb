//! Notes taken apart once for all who read the same text at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use sha2::{Digest, Sha256};

use crate::document::{Document, Excess};
use crate::large::{self, LARGE};

self_cell::self_cell!(
    struct Owned {
        owner: String,
        #[covariant]
        dependent: Document,
    }
    impl {Debug}
);

/// A text and what stands in it. Clones share both.
#[derive(Debug, Clone)]
pub struct Parsed {
    owned: Arc<Owned>,
    /// As long as somebody has it, others need not parse the text again.
    _slot: Arc<Slot>,
}

/// Filled by the first who needs it; the others wait.
type Slot = OnceLock<Result<Arc<Owned>, Excess>>;

impl Parsed {
    /// The text.
    pub fn text(&self) -> &str {
        self.owned.borrow_owner()
    }

    /// What stands in it.
    pub fn document(&self) -> &Document<'_> {
        self.owned.borrow_dependent()
    }
}

/// The large texts that are read now, by their SHA-256.
#[derive(Default)]
pub(crate) struct Readings(Mutex<HashMap<[u8; 32], Weak<Slot>>>);

impl Readings {
    /// Takes a text apart, or waits for who is at it.
    ///
    /// # Errors
    /// When there is too much in it.
    pub(crate) fn parse(&self, text: String) -> Result<Parsed, Excess> {
        // A small text takes less time than to find out who else reads it.
        let size = text.len() as u64;
        let slot = if size > LARGE { self.slot(&text) } else { Arc::default() };
        let parse = || Owned::try_new(text, |text| Document::parse(text)).map(Arc::new);
        let owned = slot.get_or_init(|| large::offload(size, parse)).clone()?;
        Ok(Parsed { owned, _slot: slot })
    }

    fn slot(&self, text: &str) -> Arc<Slot> {
        let version = Sha256::digest(text).into();
        // No code that can panic runs under the lock.
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|_, slot| slot.strong_count() > 0);
        if let Some(slot) = slots.get(&version).and_then(Weak::upgrade) {
            return slot;
        }
        let slot = Arc::default();
        slots.insert(version, Arc::downgrade(&slot));
        slot
    }
}
