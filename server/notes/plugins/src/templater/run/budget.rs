//! What a run may use.

use std::time::Duration;

use crate::templater::script::{Fault, Limit, Position, Reason};

/// How many steps a run may take. A step is an expression, a statement, or an element that is looked at.
const STEPS: u64 = 1_000_000;
/// How many bytes the values of a run may take, including those that are no longer used.
const BYTES: usize = 64 << 20;
/// How long a run may search with regular expressions. How far an expression looks ahead is not known before, so that its steps
/// cannot be counted. No honest template comes near it, also on a busy machine.
const SEARCHING: Duration = Duration::from_secs(3);
/// How deep expressions, statements and calls may be nested while they run.
const DEPTH: usize = 300;
/// How many steps are taken between two checks for cancellation.
const CHECK_EVERY: u64 = 1 << 10;

/// What is left of each limit.
pub(super) struct Budget {
    steps: u64,
    bytes: usize,
    searching: Duration,
    depth: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: STEPS, bytes: BYTES, searching: SEARCHING, depth: 0 }
    }
}

impl Budget {
    /// Takes so many steps. Returns whether to check now for cancellation.
    pub(super) fn take_steps(&mut self, position: Position, count: usize) -> Result<bool, Fault> {
        let before = self.steps;
        let left = before.checked_sub(count as u64);
        self.steps = left.ok_or_else(|| Fault::new(position, Reason::Exceeded(Limit::Steps)))?;
        Ok(before / CHECK_EVERY != self.steps / CHECK_EVERY)
    }

    /// Uses so much time to search.
    pub(super) fn take_search_time(
        &mut self,
        position: Position,
        time: Duration,
    ) -> Result<(), Fault> {
        let left = self.searching.checked_sub(time);
        self.searching =
            left.ok_or_else(|| Fault::new(position, Reason::Exceeded(Limit::Steps)))?;
        Ok(())
    }

    /// Uses so many bytes.
    pub(super) fn take_bytes(&mut self, position: Position, count: usize) -> Result<(), Fault> {
        let left = self.bytes.checked_sub(count);
        self.bytes = left.ok_or_else(|| Fault::new(position, Reason::Exceeded(Limit::Memory)))?;
        Ok(())
    }

    /// Enters something nested.
    pub(super) fn enter(&mut self, position: Position) -> Result<(), Fault> {
        if self.depth == DEPTH {
            return Err(Fault::new(position, Reason::Exceeded(Limit::Depth)));
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }
}
