//! The authority of a running server, which may become another.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::Authority;
use super::dynamic::{DynamicOperation, InvalidDynamicOperation, Joined};

/// The authority that a server has now. Operations join it and leave it, or all of it is replaced; a call
/// that is at work goes on under the authority under which it began. Cheap to clone: clones are the same.
#[derive(Clone)]
pub struct LiveAuthority(Arc<Inner>);

struct Inner {
    parts: Mutex<LiveParts>,
    now: watch::Sender<Authority>,
}

/// What the authority is made of.
struct LiveParts {
    base: Authority,
    joined: Vec<Arc<Joined>>,
}

impl LiveAuthority {
    /// Begins as this one.
    pub fn new(base: impl Into<Authority>) -> Self {
        let base = base.into();
        let now = watch::Sender::new(base.clone());
        Self(Arc::new(Inner { parts: Mutex::new(LiveParts { base, joined: Vec::new() }), now }))
    }

    /// The authority now.
    pub fn now(&self) -> Authority {
        self.0.now.borrow().clone()
    }

    /// Hears of each other authority from now on.
    pub fn changes(&self) -> Changes {
        Changes(self.0.now.subscribe())
    }

    /// Operations join, all or none. One that has the id of an operation that joined before takes its place.
    ///
    /// # Errors
    /// When one of them does not fit.
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

    /// The operations with these ids leave. How many were there.
    pub fn leave<S: AsRef<str>>(&self, ids: impl IntoIterator<Item = S>) -> usize {
        let mut parts = self.parts();
        let before = parts.joined.len();
        for id in ids {
            parts.joined.retain(|joined| joined.operation.id != id.as_ref());
        }
        let left = before - parts.joined.len();
        // Fewer of those that fitted fit as well.
        if let (true, Ok(next)) = (left > 0, parts.base.joined_by(&parts.joined)) {
            self.0.now.send_replace(next);
        }
        left
    }

    /// Replaces the authority that operations have joined. Those that do not fit the other one leave; why is
    /// in the answer.
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

/// Hears when the authority becomes another.
pub struct Changes(watch::Receiver<Authority>);

impl Changes {
    /// Completes when the authority has become another since the last time; `None` when there will be no
    /// other.
    pub async fn next(&mut self) -> Option<()> {
        self.0.changed().await.ok()
    }
}
