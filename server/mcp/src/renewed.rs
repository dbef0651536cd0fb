//! What is made of an authority, and made anew when the authority becomes another.

use std::sync::{Arc, PoisonError, RwLock};

use toolwrit_core::authority::{Authority, LiveAuthority, Version};

type Renew<T> = dyn Fn(&T, &Authority) -> T + Send + Sync;

/// Keeps the latest of what is made of an authority. One that a request still has lives as long as the
/// request.
pub struct Renewed<T> {
    live: LiveAuthority,
    latest: RwLock<(Version, Arc<T>)>,
    renew: Box<Renew<T>>,
}

impl<T> Renewed<T> {
    /// Begins with what was made of this authority.
    pub fn new(
        live: LiveAuthority,
        of: &Authority,
        first: T,
        renew: impl Fn(&T, &Authority) -> T + Send + Sync + 'static,
    ) -> Self {
        let latest = RwLock::new((of.version(), Arc::new(first)));
        Self { live, latest, renew: Box::new(renew) }
    }

    /// What belongs to the authority of now.
    pub fn now(&self) -> Arc<T> {
        let version = self.live.now().version();
        {
            let latest = self.latest.read().unwrap_or_else(PoisonError::into_inner);
            if latest.0 == version {
                return latest.1.clone();
            }
        }
        let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
        // Asked again, so that a thread that waited here does not restore an earlier one.
        let authority = self.live.now();
        if latest.0 != authority.version() {
            *latest = (authority.version(), Arc::new((self.renew)(&latest.1, &authority)));
        }
        latest.1.clone()
    }
}
