//! How many calls a session has made, and how many it may make.

use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counter of the calls of one session. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct SessionCalls {
    counter: Arc<AtomicU64>,
    id: Option<Arc<str>>,
}

impl SessionCalls {
    /// Names the session, so that another replica that goes on with it counts on.
    #[must_use]
    pub fn named(self, id: Option<String>) -> Self {
        Self { id: id.map(Into::into), ..self }
    }

    /// Returns the id by which other replicas know the session; `None` if they do not.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Counts a call of this process, and returns the number of calls that it knows, with this one.
    pub fn count(&self) -> u64 {
        self.counter.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    /// Learns how many calls all replicas have counted.
    pub fn learn(&self, calls: u64) {
        self.counter.fetch_max(calls, Ordering::Relaxed);
    }

    /// Returns a number that no other session has at the same time.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.counter).addr()
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
