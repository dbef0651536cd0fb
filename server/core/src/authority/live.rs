//! The authority of a running server, which may change.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::Authority;
use super::dynamic::{DynamicOperation, InvalidDynamicOperation};
use super::joined::Joined;
use super::joining::Joinery;
use super::offered_rows;

/// The current authority of a server. Providers add and remove operations, and the whole authority can be
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

    /// Replaces the operations of a provider by these. Returns why some cannot be added; the others are added.
    pub fn provide(
        &self,
        provider: &str,
        operations: Vec<DynamicOperation>,
    ) -> Vec<InvalidDynamicOperation> {
        let mut parts = self.parts();
        let LiveParts { base, joined } = &*parts;
        let tables = base.tables();
        let mut joinery = Joinery::of(tables);
        let (own, others): (Vec<_>, Vec<_>) =
            joined.iter().partition(|joined| joined.is_of(tables, provider));
        for other in others {
            // It was added before, so its names are free.
            let _ = joinery.add(other.clone());
        }
        let added = operations.into_iter().map(|operation| {
            match own.iter().find(|joined| joined.is(tables, provider, &operation)) {
                Some(known) => joinery.add((*known).clone()),
                None => joinery.add_new(provider, operation),
            }
        });
        let mut refused: Vec<_> = added.filter_map(Result::err).collect();
        let next = joinery.into_joined();
        refused.extend(offered_rows::taken(tables, &next, provider));
        let same = next.len() == joined.len()
            && next.iter().all(|next| joined.iter().any(|old| Arc::ptr_eq(next, old)));
        if !same {
            let authority = base.joined_by(&next);
            parts.joined = next;
            self.0.now.send_replace(authority);
        }
        refused
    }

    /// Replaces the authority below the dynamic operations. Removes those that do not fit the new one, and
    /// returns why.
    pub fn replace(&self, base: impl Into<Authority>) -> Vec<InvalidDynamicOperation> {
        let base = base.into();
        let mut parts = self.parts();
        let old = parts.base.clone();
        let providers = old.tables().providers;
        let mut joinery = Joinery::of(base.tables());
        let added = parts.joined.iter().map(|joined| {
            let provider = joined.provider(providers);
            joinery.add_new(provider, joined.operation.clone())
        });
        let refused: Vec<_> = added.filter_map(Result::err).collect();
        let kept = joinery.into_joined();
        let next = base.joined_by(&kept);
        (parts.base, parts.joined) = (base, kept);
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Weak};

    use serde_json::{Map, Value};

    use super::*;
    use crate::authority::{Category, DeclaredProvider, Effect, Joining, Tables};

    fn authority() -> Authority {
        Authority::load(|arena| Tables {
            categories: arena.list([Category {
                name: "new",
                title: "New",
                summary: "",
                keywords: &[],
                wire_name: "new",
                direct: false,
            }]),
            providers: arena.list([DeclaredProvider {
                name: "plugins",
                title: "",
                summary: "",
                binding: None,
            }]),
            joining: arena.list([Joining {
                category: 0,
                provider: 0,
                most: Effect::Read,
                whole: false,
            }]),
            ..Tables::EMPTY
        })
    }

    #[test]
    fn a_removed_operation_is_freed_with_its_last_call() {
        let live = LiveAuthority::new(authority());
        let schema = Map::from_iter([("type".to_owned(), Value::from("object"))]);
        let operation = DynamicOperation::new("new.plugins:op", "An operation.", schema);
        let operation = DynamicOperation { effect: Some(Effect::Read), ..operation };
        assert_eq!(live.provide("plugins", vec![operation]), Vec::new());
        let row: Weak<Joined> = Arc::downgrade(&live.parts().joined[0]);
        let call = live.now().operation(0);
        live.provide("plugins", Vec::new());
        assert!(live.now().tables().lookup("new.plugins:op").is_none());
        assert_eq!(call.row().id, "new.plugins:op");
        assert!(row.upgrade().is_some());
        drop(call);
        assert!(row.upgrade().is_none());
    }
}
