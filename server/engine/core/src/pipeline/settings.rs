//! What the operator sets for the execution of calls.

use std::num::NonZeroU32;

use super::Timeouts;
use crate::authority::Tables;
use crate::caller::session_calls::MostCalls;

/// The operator's settings for the execution of calls.
#[derive(Debug, Clone)]
pub struct CallSettings {
    /// How many handlers may run at once; `None` for the manifest's number.
    pub concurrency: Option<u32>,
    /// How many of them for one principal; `None` for half of them for each account, and no limit without
    /// one.
    pub per_principal: Option<u32>,
    /// How many calls may be queued.
    pub queue: usize,
    /// Calls per second of one principal; `None` for no limit.
    pub rate: Option<NonZeroU32>,
    /// Calls of one session, or without a session of a principal per hour; `None` for the manifest's number.
    pub session_calls: Option<MostCalls>,
    /// How long handlers may run.
    pub timeouts: Timeouts,
}

impl CallSettings {
    /// Returns how many handlers of an authority may run at once.
    pub fn handlers(&self, tables: &Tables) -> u32 {
        self.concurrency.unwrap_or(tables.concurrency).max(1)
    }

    /// Returns how many calls a session may make; `None` for no limit.
    pub(super) fn session_calls(&self, tables: &Tables) -> Option<u32> {
        self.session_calls.map_or(tables.session_calls, MostCalls::number)
    }

    /// Returns how many calls may be running or queued at once.
    pub(super) fn most_calls(&self, tables: &Tables) -> usize {
        self.queue.saturating_add(self.handlers(tables) as usize)
    }
}

impl Default for CallSettings {
    fn default() -> Self {
        Self {
            concurrency: None,
            per_principal: None,
            queue: 256,
            rate: None,
            session_calls: None,
            timeouts: Timeouts::default(),
        }
    }
}
