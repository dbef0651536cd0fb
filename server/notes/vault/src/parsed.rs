//! Parsed notes, shared by all callers that read the same text at the same time.

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

/// A text and its structure. Clones share both.
#[derive(Debug, Clone)]
pub struct ParsedNote {
    owned: Arc<Owned>,
    /// While one caller holds it, others do not parse the text again.
    _cell: Arc<ParseCell>,
}

/// The first caller fills it; the others wait.
type ParseCell = OnceLock<Result<Arc<Owned>, Excess>>;

impl ParsedNote {
    pub fn text(&self) -> &str {
        self.owned.borrow_owner()
    }

    /// Its structure.
    pub fn document(&self) -> &Document<'_> {
        self.owned.borrow_dependent()
    }
}

/// The large texts that are in use now, by their SHA-256.
#[derive(Default)]
pub(crate) struct ParseCache(Mutex<HashMap<[u8; 32], Weak<ParseCell>>>);

impl ParseCache {
    /// Parses a text, or waits for the caller that is parsing it.
    ///
    /// # Errors
    /// [`Excess`] if it has too much structure.
    pub(crate) fn parse(&self, text: String) -> Result<ParsedNote, Excess> {
        // Parsing a small text takes less time than finding out whether another caller parses it.
        let size = text.len() as u64;
        let cell = if size > LARGE { self.lock_cell(&text) } else { Arc::default() };
        let parse = || Owned::try_new(text, |text| Document::parse(text)).map(Arc::new);
        let owned = cell.get_or_init(|| large::offload(size, parse)).clone()?;
        Ok(ParsedNote { owned, _cell: cell })
    }

    fn lock_cell(&self, text: &str) -> Arc<ParseCell> {
        let version = Sha256::digest(text).into();
        // No code that can panic runs while the lock is held.
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
