//! How many calls a session has made, and how many it may make.

use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counter of the calls of one session. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct SessionCalls(Arc<AtomicU64>);

impl SessionCalls {
    /// Counts a call, and returns the number of calls including this one.
    pub(crate) fn count(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    /// Returns a number that no other session has at the same time.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

/// How many calls a session may make, as an operator configures it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MostCalls {
    /// Any number, written `-1`.
    Any,
    /// At most this number.
    Number(NonZeroU32),
}

impl MostCalls {
    /// Returns the number; `None` for any number.
    pub(crate) fn number(self) -> Option<u32> {
        match self {
            MostCalls::Any => None,
            MostCalls::Number(most) => Some(most.get()),
        }
    }
}

impl FromStr for MostCalls {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "-1" => Ok(Self::Any),
            _ => text.parse().map(Self::Number).map_err(|_| {
                "expected a whole number of at least 1, or -1 for no limit".to_owned()
            }),
        }
    }
}
