//! Counts what tool listings cost clients, compared with a full flat listing for the same caller.

use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolwrit_core::listing_costs::{AccountCosts, Total};
use toolwrit_core::principal::Principal;
use toolwrit_core::storage::{Lost, State};

/// The listing costs of one server. Cheap to clone.
#[derive(Clone)]
pub struct Savings(Arc<AccountTotal>);

struct AccountTotal {
    state: State,
    /// The costs since the last save: a total for each principal.
    unsaved: Mutex<AccountCosts>,
    /// Held while totals are moved to the state.
    saving: tokio::sync::Mutex<()>,
}

impl Savings {
    pub(crate) fn new(state: State) -> Self {
        let unsaved = Mutex::new(AccountCosts::since_now());
        Self(Arc::new(AccountTotal { state, unsaved, saving: tokio::sync::Mutex::default() }))
    }

    /// Adds the cost of a listing for this principal.
    pub fn add(&self, principal: &Principal, cost: Total) {
        self.0.unsaved().add([(principal.as_str().to_owned(), cost)]);
    }

    /// Returns all costs so far, saved or not.
    pub async fn accounts(&self) -> AccountCosts {
        let _saving = self.0.saving.lock().await;
        self.0.save().await;
        let saved = self.0.state.listed().await;
        let unsaved = self.0.unsaved().clone();
        match saved {
            Ok(saved) => unsaved.with(saved),
            Err(Lost) => unsaved,
        }
    }

    /// Deletes all costs and counts from zero.
    pub async fn reset(&self) {
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
            if unsaved.totals.values().any(|total| total.sent.is_none()) {
                return;
            }
            AccountCosts { since: unsaved.since, totals: take(&mut unsaved.totals) }
        };
        if !counted.totals.is_empty() && self.state.add_listed(counted.clone()).await.is_err() {
            self.unsaved().add(counted.totals);
        }
    }
}
