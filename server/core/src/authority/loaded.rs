//! Rows that are made while the program runs. What they name is kept with them, and freed with them.

use std::sync::Arc;

use self_cell::{MutBorrow, self_cell};

use super::arena::Arena;
use super::dynamic::Joined;
use super::{Authority, Tables};

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
