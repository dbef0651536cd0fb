//! The accounts whose credentials an API has lately accepted. Some APIs answer wrong credentials as they answer strangers,
//! so that only the probe tells.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolwrit_bindings::Connection;
use toolwrit_core::fault::Result;

use crate::bound::fault::fault;

/// By account; `None` for the user who started the server.
#[derive(Default)]
pub(crate) struct Introduced(Mutex<HashMap<Option<String>, Instant>>);

impl Introduced {
    /// Asks the API whether the credentials of an account are right, unless it has accepted them within a time.
    ///
    /// # Errors
    /// The fault of the probe.
    pub(crate) async fn introduce(
        &self,
        connection: &Connection,
        account: Option<&str>,
        within: Duration,
        deadline: Instant,
    ) -> Result<()> {
        let name = account.map(str::to_owned);
        let is_recent = |accepted: &Instant| accepted.elapsed() < within;
        if !connection.is_per_account() || self.accepted().get(&name).is_some_and(is_recent) {
            return Ok(());
        }
        connection.probe(account, deadline).await.map_err(|failure| fault(*failure))?;
        self.accept(account);
        Ok(())
    }

    /// Notes that the API has accepted the credentials of an account.
    pub(crate) fn accept(&self, account: Option<&str>) {
        self.accepted().insert(account.map(str::to_owned), Instant::now());
    }

    /// Forgets an account whose credentials the API has refused.
    pub(crate) fn forget(&self, account: Option<&str>) {
        self.accepted().remove(&account.map(str::to_owned));
    }

    fn accepted(&self) -> MutexGuard<'_, HashMap<Option<String>, Instant>> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
