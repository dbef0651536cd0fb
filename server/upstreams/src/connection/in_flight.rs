//! The calls in flight of a connection, and the users behind them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::caller::{AskUser, User};

/// The calls in flight of a connection.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<Calls>>);

#[derive(Default)]
struct Calls {
    next: u64,
    users: HashMap<u64, Behind>,
}

/// The user behind a call.
#[derive(Clone)]
pub(super) struct Behind {
    pub(super) user: Option<Arc<dyn AskUser>>,
    /// Cancelled when the call ends.
    pub(super) ended: CancellationToken,
}

/// Counts a call while it is in flight.
pub(crate) struct Flight {
    of: InFlight,
    id: u64,
    _ended: DropGuard,
}

impl InFlight {
    pub(super) fn begin(&self, user: &User) -> Flight {
        let ended = CancellationToken::new();
        let behind = Behind { user: user.present().cloned(), ended: ended.clone() };
        let mut calls = self.lock();
        let id = calls.next;
        calls.next += 1;
        calls.users.insert(id, behind);
        drop(calls);
        Flight { of: self.clone(), id, _ended: ended.drop_guard() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().users.is_empty()
    }

    /// The user behind all calls in flight. A question does not say to which call it belongs, so that nobody is asked if
    /// there are several users.
    pub(super) fn only_user(&self) -> Option<(Arc<dyn AskUser>, CancellationToken)> {
        let users: Vec<Behind> = self.lock().users.values().cloned().collect();
        let first = users.first()?;
        let user = first.user.clone()?;
        let who = user.who();
        let is_same = |own: &Behind| own.user.as_ref().is_some_and(|own| own.who() == who);
        users.iter().all(is_same).then(|| (user, first.ended.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.of.lock().users.remove(&self.id);
    }
}
