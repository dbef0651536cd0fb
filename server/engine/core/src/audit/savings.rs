//! Counts what tool listings cost clients, compared with a full flat listing for the same caller.

use std::collections::BTreeSet;
use std::mem::take;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::audit::listing_costs::{AccountCosts, Total};
use crate::audit::storage::{State, StorageFailed};
use crate::caller::principal::Principal;

/// The most names under which costs are counted, because callers choose the names of users.
const MOST_NAMES: usize = 1000;
/// The longest name of a user, in characters.
const LONGEST_NAME: usize = 200;
/// How long costs may remain unsaved while the server runs. One save then covers many listings.
const SAVED_WITHIN: Duration = Duration::from_secs(1);

/// The listing costs of one server. Cheap to clone.
#[derive(Clone)]
pub struct Savings(Arc<AccountTotal>);

struct AccountTotal {
    state: State,
    /// The costs since the last save: a total for each name.
    unsaved: Mutex<AccountCosts>,
    /// Held while totals are moved to the state.
    saving: tokio::sync::Mutex<()>,
    /// Whether a save is due.
    is_due: AtomicBool,
    /// The names with saved or unsaved costs; `None` until the state was read.
    names: tokio::sync::Mutex<Option<BTreeSet<String>>>,
}

impl Default for Savings {
    fn default() -> Self {
        Self::new(State::default())
    }
}

impl Savings {
    /// Creates the costs of a server that stores them in this state.
    pub(crate) fn new(state: State) -> Self {
        Self(Arc::new(AccountTotal {
            state,
            unsaved: Mutex::new(AccountCosts::since_now()),
            saving: tokio::sync::Mutex::default(),
            is_due: AtomicBool::new(false),
            names: tokio::sync::Mutex::default(),
        }))
    }

    /// Adds the cost of a listing for this principal. Must be called inside the runtime.
    pub fn add(&self, principal: &Principal, cost: Total) {
        self.add_named(principal.as_str().to_owned(), cost);
    }

    /// Adds the cost of a listing for this principal. If it is a caller without an account, the cost counts
    /// for the user that it names. Beyond the limit of names, it counts for the principal.
    pub async fn add_for(&self, principal: &Principal, user: Option<&str>, cost: Total) {
        let has_account = *principal != Principal::default();
        match user.filter(|user| !has_account && !user.is_empty()) {
            Some(user) => {
                let user: String = user.chars().take(LONGEST_NAME).collect();
                let counted = self.counts(&user).await;
                self.add_named(if counted { user } else { principal.as_str().to_owned() }, cost);
            }
            None => self.add(principal, cost),
        }
    }

    /// Whether costs are counted under this name: it is among the first.
    async fn counts(&self, name: &str) -> bool {
        let mut names = self.0.names.lock().await;
        if names.is_none() {
            *names = Some(self.accounts().await.totals.into_keys().collect());
        }
        let Some(names) = &mut *names else { return false };
        names.contains(name) || names.len() < MOST_NAMES && names.insert(name.to_owned())
    }

    fn add_named(&self, name: String, cost: Total) {
        self.0.unsaved().add([(name, cost)]);
        if !self.0.is_due.swap(true, Ordering::Relaxed) {
            let savings = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(SAVED_WITHIN).await;
                savings.0.is_due.store(false, Ordering::Relaxed);
                savings.save().await;
            });
        }
    }

    /// Returns all costs so far, saved or not.
    pub async fn accounts(&self) -> AccountCosts {
        let _saving = self.0.saving.lock().await;
        self.0.save().await;
        let saved = self.0.state.listed().await;
        let unsaved = self.0.unsaved().clone();
        match saved {
            Ok(saved) => unsaved.with(saved),
            Err(StorageFailed) => unsaved,
        }
    }

    /// Deletes all costs and counts from zero.
    pub async fn reset(&self) {
        *self.0.names.lock().await = None;
        let _saving = self.0.saving.lock().await;
        *self.0.unsaved() = AccountCosts::since_now();
        // A state that cannot be written has nothing to delete.
        let _ = self.0.state.forget_listed().await;
    }

    /// Moves the counted costs to the state.
    pub async fn save(&self) {
        let _saving = self.0.saving.lock().await;
        self.0.save().await;
    }
}

impl AccountTotal {
    fn unsaved(&self) -> MutexGuard<'_, AccountCosts> {
        // No code that can panic runs under the lock.
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn save(&self) {
        let counted = {
            let mut unsaved = self.unsaved();
            // Costs without a token count would make the saved sums wrong.
            if unsaved.totals.is_empty()
                || unsaved.totals.values().any(|total| total.sent.is_none())
            {
                return;
            }
            // What is counted from now on began now, also if another process resets the saved costs.
            let since = unsaved.since;
            unsaved.since = AccountCosts::since_now().since;
            AccountCosts { since, totals: take(&mut unsaved.totals) }
        };
        let since = counted.since;
        if self.state.add_listed(counted.clone()).await.is_err() {
            let mut unsaved = self.unsaved();
            unsaved.since = since;
            unsaved.add(counted.totals);
        }
    }
}
