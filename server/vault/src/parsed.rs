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
    _cell: Arc<ParseCell>,
}

/// Filled by the first who needs it; the others wait.
type ParseCell = OnceLock<Result<Arc<Owned>, Excess>>;

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
pub(crate) struct Readings(Mutex<HashMap<[u8; 32], Weak<ParseCell>>>);

impl Readings {
    /// Takes a text apart, or waits for who is at it.
    ///
    /// # Errors
    /// When there is too much in it.
    pub(crate) fn parse(&self, text: String) -> Result<Parsed, Excess> {
        // A small text takes less time than to find out who else reads it.
        let size = text.len() as u64;
        let cell = if size > LARGE { self.cell(&text) } else { Arc::default() };
        let parse = || Owned::try_new(text, |text| Document::parse(text)).map(Arc::new);
        let owned = cell.get_or_init(|| large::offload(size, parse)).clone()?;
        Ok(Parsed { owned, _cell: cell })
    }

    fn cell(&self, text: &str) -> Arc<ParseCell> {
        let version = Sha256::digest(text).into();
        // No code that can panic runs under the lock.
        let mut cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cells.retain(|_, cell| cell.strong_count() > 0);
        if let Some(cell) = cells.get(&version).and_then(Weak::upgrade) {
            return cell;
        }
        let cell = Arc::default();
        cells.insert(version, Arc::downgrade(&cell));
        cell
    }
}
