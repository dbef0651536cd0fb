//! What tool listings cost clients: those that were sent, against a full flat listing for the same
//! caller each time.

use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolwrit_core::listing_costs::{AccountCosts, Total};
use toolwrit_core::principal::Principal;
use toolwrit_core::storage::{Lost, State};

/// The account of one server. Cheap to clone.
#[derive(Clone)]
pub struct Savings(Arc<AccountTotal>);

struct AccountTotal {
    state: State,
    /// What was counted since the last save: a total for each principal.
    unsaved: Mutex<AccountCosts>,
    /// Held while totals move from here to the state.
    saving: tokio::sync::Mutex<()>,
}

impl Savings {
    pub(crate) fn new(state: State) -> Self {
        let unsaved = Mutex::new(AccountCosts::since_now());
        Self(Arc::new(AccountTotal { state, unsaved, saving: tokio::sync::Mutex::default() }))
    }

    /// Adds what listings cost this principal.
    pub fn add(&self, principal: &Principal, cost: Total) {
        self.0.unsaved().add([(principal.as_str().to_owned(), cost)]);
    }

    /// Everything up to now.
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

    /// Starts anew.
    pub async fn reset(&self) {
        let _saving = self.0.saving.lock().await;
        *self.0.unsaved() = AccountCosts::since_now();
        // Where nothing can be kept there is nothing to delete.
        let _ = self.0.state.forget_listed().await;
    }

    /// Saves what has been counted.
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
            // What was not counted in tokens would spoil the sums of what was.
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
