//! The authority of a running server, which may change.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::Authority;
use super::dynamic::{DynamicOperation, InvalidDynamicOperation};
use super::joined::Joined;
use super::joining::{Join, join};
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
    /// What providers offer, in the order of the providers, also what others keep from joining.
    offered: Vec<Arc<Joined>>,
    joined: Vec<Arc<Joined>>,
}

impl LiveAuthority {
    /// Begins with this authority.
    pub fn new(base: impl Into<Authority>) -> Self {
        let base = base.into();
        let now = watch::Sender::new(base.clone());
        let parts = LiveParts { base, offered: Vec::new(), joined: Vec::new() };
        Self(Arc::new(Inner { parts: Mutex::new(parts), now }))
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
        let refused = self.provide_all(vec![(provider.to_owned(), operations)]);
        refused.into_iter().map(|(_, why)| why).collect()
    }

    /// Replaces the operations of several providers at once. Returns why some cannot be added, with their providers. One
    /// whose name is in use is added when the name is free.
    pub fn provide_all(
        &self,
        offers: Vec<(String, Vec<DynamicOperation>)>,
    ) -> Vec<(String, InvalidDynamicOperation)> {
        let mut parts = self.parts();
        let base = parts.base.clone();
        let tables = base.tables();
        let providers: Vec<String> = offers.iter().map(|(provider, _)| provider.clone()).collect();
        let mut offered = parts.offered.clone();
        let mut refused = Vec::new();
        for (provider, operations) in offers {
            let (known, others): (Vec<_>, Vec<_>) =
                offered.into_iter().partition(|joined| joined.is_of(tables, &provider));
            offered = others;
            for operation in operations {
                let added = match known.iter().find(|joined| joined.operation == operation) {
                    Some(known) => Ok(known.clone()),
                    None => Joined::new(tables, &provider, operation).map(Arc::new),
                };
                match added {
                    Ok(added) => offered.push(added),
                    Err(why) => refused.push((provider.clone(), why)),
                }
            }
        }
        offered.sort_by_key(|joined| joined.provider_at);
        let Join { joined, refused: taken } = join(tables, &offered, &parts.joined);
        let taken =
            taken.into_iter().map(|(at, why)| (offered[at].provider(&tables.providers), why));
        let taken = taken.filter(|(name, _)| providers.iter().any(|provider| provider == name));
        refused.extend(taken.map(|(name, why)| (name.to_owned(), why)));
        for provider in providers {
            let taken = offered_rows::taken(tables, &joined, &provider).into_iter();
            refused.extend(taken.map(|why| (provider.clone(), why)));
        }
        parts.offered = offered;
        let is_same = joined.len() == parts.joined.len()
            && joined.iter().zip(&parts.joined).all(|(next, old)| Arc::ptr_eq(next, old));
        if !is_same {
            let authority = base.joined_by(&joined);
            parts.joined = joined;
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
        let providers = &old.tables().providers;
        let (mut offered, mut refused) = (Vec::new(), Vec::new());
        for joined in &parts.offered {
            let operation = joined.operation.clone();
            match Joined::new(base.tables(), joined.provider(providers), operation) {
                Ok(next) => offered.push(Arc::new(next)),
                Err(why) => refused.push(why),
            }
        }
        offered.sort_by_key(|joined| joined.provider_at);
        let Join { joined, refused: taken } = join(base.tables(), &offered, &[]);
        // What had not joined before is told by who offers it.
        let had_joined = |at: usize| {
            let id = &offered[at].operation.id;
            parts.joined.iter().any(|old| old.operation.id == *id)
        };
        refused.extend(taken.into_iter().filter(|(at, _)| had_joined(*at)).map(|(_, why)| why));
        let next = base.joined_by(&joined);
        *parts = LiveParts { base, offered, joined };
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
        Authority::new(Tables {
            categories: Arc::new([Category {
                name: "new".to_owned(),
                title: "New".to_owned(),
                summary: String::new(),
                keywords: Vec::new(),
                wire_name: "new".to_owned(),
                direct: false,
                instance: None,
            }]),
            providers: Arc::new([DeclaredProvider {
                name: "plugins".to_owned(),
                title: String::new(),
                summary: String::new(),
                binding: None,
            }]),
            joining: Arc::new([Joining {
                category: 0,
                provider: 0,
                most: Effect::Read,
                whole: false,
            }]),
            ..Tables::empty()
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
