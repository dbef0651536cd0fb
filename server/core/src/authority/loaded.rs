//! Rows that are made while the program runs. What they name is kept with them, and freed with them.

use std::sync::Arc;

use bumpalo::Bump;
use self_cell::{MutBorrow, self_cell};

use super::dynamic::Joined;
use super::{Authority, Tables};

/// Where the rows of an authority are written. It is freed with the authority.
#[derive(Default)]
pub struct Arena(Bump);

impl Arena {
    /// Keeps a text.
    pub fn text(&self, text: &str) -> &str {
        self.0.alloc_str(text)
    }

    /// Keeps rows, or whatever else has nothing to free.
    pub fn list<T: Copy>(&self, items: impl IntoIterator<Item = T>) -> &[T] {
        let items: Vec<T> = items.into_iter().collect();
        self.0.alloc_slice_copy(&items)
    }
}

/// What rows are made of.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) arena: Arena,
    /// Whose rows are among them.
    pub(super) base: Option<Authority>,
    pub(super) joined: Arc<[Arc<Joined>]>,
}

// Only its builder borrows the owner, so that needs not be shared between threads.
self_cell!(
    struct Cell {
        owner: MutBorrow<Memory>,
        #[covariant]
        dependent: Tables,
    }
);

/// Rows together with what they are made of.
pub(super) struct Loaded(Cell);

impl Loaded {
    pub(super) fn new(
        memory: Memory,
        build: impl for<'a> FnOnce(&'a Memory) -> Tables<'a>,
    ) -> Self {
        Self(Cell::new(MutBorrow::new(memory), |memory| build(memory.borrow_mut())))
    }

    pub(super) fn tables(&self) -> &Tables<'_> {
        self.0.borrow_dependent()
    }
}
