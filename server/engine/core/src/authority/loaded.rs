//! Rows that are created at run time, stored together with the memory to which they refer.

use std::sync::Arc;

use self_cell::{MutBorrow, self_cell};

use super::arena::Arena;
use super::joined::Joined;
use super::{Authority, Tables};

/// The memory to which rows refer.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) arena: Arena,
    /// The authority whose rows are reused, if any.
    pub(super) base: Option<Authority>,
    pub(super) joined: Arc<[Arc<Joined>]>,
}

// `MutBorrow`, because an `Arena` is not `Sync`: only the builder borrows the owner.
self_cell!(
    struct Cell {
        owner: MutBorrow<Memory>,
        #[covariant]
        dependent: Tables,
    }
);

/// Rows, with the memory to which they refer.
pub(super) struct LoadedRows(Cell);

impl LoadedRows {
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
