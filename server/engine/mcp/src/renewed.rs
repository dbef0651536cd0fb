//! A value derived from an authority, rebuilt when the authority changes, and when the availability of providers does.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::watch;
use toolwrit_core::authority::{Authority, AuthorityVersion, LiveAuthority};

type Renew<T> = dyn Fn(&T, &Authority) -> T + Send + Sync;

/// Keeps the latest value derived from an authority. An older value lives as long as a request holds it.
pub struct Renewed<T> {
    live: LiveAuthority,
    /// Changes when the availability of a provider does, if the value depends on that.
    availability: Option<watch::Receiver<u64>>,
    latest: RwLock<(Version, Arc<T>)>,
    renew: Box<Renew<T>>,
}

/// What a value was derived from: the authority, and the availability of its providers.
type Version = (AuthorityVersion, u64);

impl<T> Renewed<T> {
    /// Starts with `first`, derived from the authority `of`. `renew` derives each later value from the last.
    pub fn new(
        live: LiveAuthority,
        of: &Authority,
        first: T,
        renew: impl Fn(&T, &Authority) -> T + Send + Sync + 'static,
    ) -> Self {
        let latest = RwLock::new(((of.version(), 0), Arc::new(first)));
        Self { live, availability: None, latest, renew: Box::new(renew) }
    }

    /// Also rebuilds the value when this number changes.
    pub(crate) fn with_availability(self, availability: Option<watch::Receiver<u64>>) -> Self {
        Self { availability, ..self }
    }

    /// Returns the value for the current authority, rebuilt if something has changed.
    pub fn now(&self) -> Arc<T> {
        let version = self.version(&self.live.now());
        {
            let latest = self.latest.read().unwrap_or_else(PoisonError::into_inner);
            if latest.0 == version {
                return latest.1.clone();
            }
        }
        let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
        // Read again: a thread that waited for the lock must not restore an older value.
        let authority = self.live.now();
        let version = self.version(&authority);
        if latest.0 != version {
            *latest = (version, Arc::new((self.renew)(&latest.1, &authority)));
        }
        latest.1.clone()
    }

    fn version(&self, authority: &Authority) -> Version {
        let availability = self.availability.as_ref().map_or(0, |changes| *changes.borrow());
        (authority.version(), availability)
    }
}

#[cfg(test)]
mod tests {
    use toolwrit_core::authority::Tables;

    use super::*;

    /// What a caller sees depends on both, and either may change last.
    #[test]
    fn a_value_is_rebuilt_when_the_authority_or_the_availability_changes() {
        let empty = || Authority::new(Tables::empty());
        let live = LiveAuthority::new(empty());
        let (availability, changes) = watch::channel(0);
        let renewed = Renewed::new(live.clone(), &live.now(), 0, |times, _| times + 1)
            .with_availability(Some(changes));
        assert_eq!((*renewed.now(), *renewed.now()), (0, 0));
        availability.send_modify(|version| *version += 1);
        assert_eq!((*renewed.now(), *renewed.now()), (1, 1));
        live.replace(empty());
        assert_eq!((*renewed.now(), *renewed.now()), (2, 2));
    }
}
