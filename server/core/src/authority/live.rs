//! The authority of a running server, which may change.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::Authority;
use super::dynamic::{DynamicOperation, InvalidDynamicOperation, Joined};

/// The current authority of a server. Operations can be added and removed, and the whole authority can be
/// replaced. A running call keeps the authority under which it began. Cheap to clone; clones share the state.
#[derive(Clone)]
pub struct LiveAuthority(Arc<Inner>);

struct Inner {
    parts: Mutex<LiveParts>,
    now: watch::Sender<Authority>,
}

/// The parts of the current authority.
struct LiveParts {
    base: Authority,
    joined: Vec<Arc<Joined>>,
}

impl LiveAuthority {
    /// Begins with this authority.
    pub fn new(base: impl Into<Authority>) -> Self {
        let base = base.into();
        let now = watch::Sender::new(base.clone());
        Self(Arc::new(Inner { parts: Mutex::new(LiveParts { base, joined: Vec::new() }), now }))
    }

    /// Returns the current authority.
    pub fn now(&self) -> Authority {
        self.0.now.borrow().clone()
    }

    /// Returns a receiver of the changes from now on.
    pub fn changes(&self) -> Changes {
        Changes(self.0.now.subscribe())
    }

    /// Adds operations, all or none. An operation replaces a dynamic operation that has the same id.
    ///
    /// # Errors
    /// If one of them is not valid, or its names are in use.
    pub fn join(
        &self,
        operations: impl IntoIterator<Item = DynamicOperation>,
    ) -> Result<(), InvalidDynamicOperation> {
        let mut parts = self.parts();
        let tables = parts.base.tables();
        let fitting = operations.into_iter().map(|operation| Joined::new(tables, operation));
        let fitting = fitting.map(|joined| joined.map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
        let is_new =
            |joined: &Joined| fitting.iter().any(|new| new.operation.id == joined.operation.id);
        let others = parts.joined.iter().filter(|joined| !is_new(joined)).cloned();
        let joined: Vec<Arc<Joined>> = others.chain(fitting.iter().cloned()).collect();
        let next = parts.base.joined_by(&joined)?;
        parts.joined = joined;
        self.0.now.send_replace(next);
        Ok(())
    }

    /// Removes the dynamic operations with these ids. Returns how many it removed.
    pub fn leave<S: AsRef<str>>(&self, ids: impl IntoIterator<Item = S>) -> usize {
        let mut parts = self.parts();
        let before = parts.joined.len();
        for id in ids {
            parts.joined.retain(|joined| joined.operation.id != id.as_ref());
        }
        let left = before - parts.joined.len();
        // A subset of valid operations is valid.
        if let (true, Ok(next)) = (left > 0, parts.base.joined_by(&parts.joined)) {
            self.0.now.send_replace(next);
        }
        left
    }

    /// Replaces the authority below the dynamic operations. Removes those that do not fit the new one, and
    /// returns why.
    pub fn replace(&self, base: impl Into<Authority>) -> Vec<InvalidDynamicOperation> {
        let (base, mut refused) = (base.into(), Vec::new());
        let mut parts = self.parts();
        let mut kept: Vec<Arc<Joined>> = Vec::new();
        let mut next = base.clone();
        for joined in std::mem::take(&mut parts.joined) {
            let fitting = Joined::new(base.tables(), joined.operation.clone()).map(Arc::new);
            let with = fitting.and_then(|joined| {
                kept.push(joined);
                base.joined_by(&kept).inspect_err(|_| drop(kept.pop()))
            });
            match with {
                Ok(with) => next = with,
                Err(why) => refused.push(why),
            }
        }
        parts.base = base;
        parts.joined = kept;
        self.0.now.send_replace(next);
        refused
    }

    fn parts(&self) -> MutexGuard<'_, LiveParts> {
        self.0.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for LiveAuthority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LiveAuthority").field(&self.now()).finish()
    }
}

/// Receives changes of the authority.
pub struct Changes(watch::Receiver<Authority>);

impl Changes {
    /// Completes when the authority has changed since the last call; `None` if it cannot change any more.
    pub async fn next(&mut self) -> Option<()> {
        self.0.changed().await.ok()
    }
}
