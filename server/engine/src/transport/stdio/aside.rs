//! Calls that other threads begin: ones that may keep their thread, and so none of the runtime's own, behind
//! which other calls would wait.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::calls::Key;
use crate::mcp::Work;

/// Calls that wait for a thread. There are no more threads than can be kept, and one that is free: with one for
/// each call, a client that sends many at once would take all threads that there are for blocking work.
pub(super) struct Aside {
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Key, Work)>,
    threads: usize,
}

impl Aside {
    /// For so many calls that keep their threads.
    pub(super) fn new(kept: usize) -> Self {
        Self { most: kept.saturating_add(1), state: Mutex::default() }
    }

    /// Adds a call, and says whether one more thread is to [take](Self::take) calls.
    pub(super) fn add(&self, key: Key, work: Work) -> bool {
        let mut state = self.state();
        state.waiting.push_back((key, work));
        let has_room = state.threads < self.most;
        state.threads += usize::from(has_room);
        has_room
    }

    /// The next call for a thread, which takes calls until there is none.
    pub(super) fn take(&self) -> Option<(Key, Work)> {
        let mut state = self.state();
        let next = state.waiting.pop_front();
        state.threads -= usize::from(next.is_none());
        next
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
