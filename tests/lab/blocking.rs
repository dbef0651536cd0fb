//! What handlers wait for while they block their threads.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Blocks threads until it is opened.
#[derive(Default)]
pub(crate) struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    pub(crate) fn pass(&self) {
        let is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = self.opened.wait_while(is_open, |is_open| !*is_open);
        drop(passed.unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }
}

/// A meeting of calls that block their threads.
#[derive(Default)]
pub(crate) struct Meetings {
    now: Mutex<Present>,
    met: Condvar,
}

#[derive(Default)]
struct Present {
    present: usize,
    meetings: usize,
}

impl Meetings {
    /// Blocks the thread until another one attends, or the time is over.
    pub(crate) fn attend(&self, most: Duration) -> &'static str {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let before = now.meetings;
        now.present += 1;
        if now.present > 1 {
            now.meetings += 1;
            self.met.notify_all();
        }
        let alone = |now: &mut Present| now.meetings == before;
        let waited = self.met.wait_timeout_while(now, most, alone);
        let (mut now, _) = waited.unwrap_or_else(PoisonError::into_inner);
        now.present -= 1;
        if now.meetings == before { "alone" } else { "met" }
    }
}
