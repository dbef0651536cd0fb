//! The calls in flight of a connection, and the users behind them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::caller::{AskUser, User};

/// Questions of one call that reach its user. Upstreams of 2026-07-28 have as many rounds.
const MOST_QUESTIONS: u32 = 10;

/// The calls in flight of a connection.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<Calls>>);

#[derive(Default)]
struct Calls {
    next: u64,
    users: HashMap<u64, Behind>,
}

/// The user behind a call.
pub(super) struct Behind {
    pub(super) user: Option<Arc<dyn AskUser>>,
    /// How many questions still reach the user.
    questions: u32,
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
        let behind = Behind {
            user: user.present().cloned(),
            questions: MOST_QUESTIONS,
            ended: ended.clone(),
        };
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

    /// The user behind all calls in flight, who gets one question more. A question does not say to which call it belongs, so that
    /// nobody is asked if there are several users.
    pub(super) fn only_user(&self) -> Option<(Arc<dyn AskUser>, CancellationToken)> {
        let mut calls = self.lock();
        let user = calls.users.values().next()?.user.clone()?;
        let who = user.who();
        let is_same = |behind: &Behind| behind.user.as_ref().is_some_and(|user| user.who() == who);
        if !calls.users.values().all(is_same) {
            return None;
        }
        let asking = calls.users.values_mut().max_by_key(|behind| behind.questions)?;
        asking.questions = asking.questions.checked_sub(1)?;
        Some((user, asking.ended.clone()))
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
