//! A value derived from an authority, rebuilt when the authority changes.

use std::sync::{Arc, PoisonError, RwLock};

use toolwrit_core::authority::{Authority, AuthorityVersion, LiveAuthority};

type Renew<T> = dyn Fn(&T, &Authority) -> T + Send + Sync;

/// Keeps the latest value derived from an authority. An older value lives as long as a request holds it.
pub struct Renewed<T> {
    live: LiveAuthority,
    latest: RwLock<(AuthorityVersion, Arc<T>)>,
    renew: Box<Renew<T>>,
}

impl<T> Renewed<T> {
    /// Starts with `first`, derived from the authority `of`. `renew` derives each later value from the last.
    pub fn new(
        live: LiveAuthority,
        of: &Authority,
        first: T,
        renew: impl Fn(&T, &Authority) -> T + Send + Sync + 'static,
    ) -> Self {
        let latest = RwLock::new((of.version(), Arc::new(first)));
        Self { live, latest, renew: Box::new(renew) }
    }

    /// Returns the value for the current authority, rebuilt if the authority has changed.
    pub fn now(&self) -> Arc<T> {
        let version = self.live.now().version();
        {
            let latest = self.latest.read().unwrap_or_else(PoisonError::into_inner);
            if latest.0 == version {
                return latest.1.clone();
            }
        }
        let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
        // Read again: a thread that waited for the lock must not restore an older value.
        let authority = self.live.now();
        if latest.0 != authority.version() {
            *latest = (authority.version(), Arc::new((self.renew)(&latest.1, &authority)));
        }
        latest.1.clone()
    }
}
