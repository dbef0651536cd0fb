//! What the engine requires of the storage of its state: the audit, the answers to calls with an idempotency
//! key, and what tool listings cost.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::claim::{Claim, Claimed, ClaimedAnswer};
use crate::counters::Backlog;
use crate::listing_costs::AccountCosts;
use crate::record::Record;

/// The storage did not do what it was asked to; why is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;

/// What an operation on the storage comes to.
pub type Stored<'a, T> = BoxFuture<'a, Result<T, Lost>>;

/// Keeps what outlives the process.
pub trait Storage: fmt::Debug + Send + Sync {
    /// Puts a call on record. Never waits.
    fn record(&self, record: Record);

    /// How far the audit is behind.
    fn backlog(&self) -> &Backlog;

    /// Binds a key to a call, durably before this completes.
    fn claim(&self, claim: Arc<Claim>) -> Stored<'_, Claimed>;

    /// Keeps the answer to a call with a key, durably before this completes; without one, frees the key.
    fn settle(&self, claim: Arc<Claim>, answer: Option<ClaimedAnswer>) -> Stored<'_, ()>;

    /// Adds to what tool listings cost.
    fn add_listed(&self, accounts: AccountCosts) -> Stored<'_, ()>;

    /// What tool listings cost, as far as it was added.
    fn listed(&self) -> Stored<'_, AccountCosts>;

    /// Forgets what tool listings cost.
    fn forget_listed(&self) -> Stored<'_, ()>;
}

/// The storage of a process, if it has one. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct State(Option<Arc<dyn Storage>>);

impl State {
    /// State that is kept in this storage.
    pub fn kept_in(storage: Arc<dyn Storage>) -> Self {
        Self(Some(storage))
    }

    /// Keeps nothing, for commands that run nothing.
    pub fn none() -> Self {
        Self::default()
    }

    /// Puts a call on record. Never waits.
    pub(crate) fn record(&self, record: Record) {
        if let Some(storage) = &self.0 {
            storage.record(record);
        }
    }

    /// How far the audit is behind; none where there is no audit.
    pub fn backlog(&self) -> Option<&Backlog> {
        self.0.as_ref().map(|storage| storage.backlog())
    }

    /// Binds a key to a call, durably before this completes.
    ///
    /// # Errors
    /// When there is no storage, or it cannot be used.
    pub(crate) async fn claim(&self, claim: Arc<Claim>) -> Result<Claimed, Lost> {
        self.storage()?.claim(claim).await
    }

    /// Keeps the answer to a call with a key, durably before this completes; without one, frees the key.
    ///
    /// # Errors
    /// When there is no storage, or it cannot be used.
    pub(crate) async fn settle(
        &self,
        claim: Arc<Claim>,
        answer: Option<ClaimedAnswer>,
    ) -> Result<(), Lost> {
        self.storage()?.settle(claim, answer).await
    }

    /// Adds to what tool listings cost.
    ///
    /// # Errors
    /// When there is no storage, or it cannot be used.
    pub async fn add_listed(&self, accounts: AccountCosts) -> Result<(), Lost> {
        self.storage()?.add_listed(accounts).await
    }

    /// What tool listings cost, as far as it was added.
    ///
    /// # Errors
    /// When there is no storage, or it cannot be used.
    pub async fn listed(&self) -> Result<AccountCosts, Lost> {
        self.storage()?.listed().await
    }

    /// Forgets what tool listings cost.
    ///
    /// # Errors
    /// When there is no storage, or it cannot be used.
    pub async fn forget_listed(&self) -> Result<(), Lost> {
        self.storage()?.forget_listed().await
    }

    fn storage(&self) -> Result<&dyn Storage, Lost> {
        self.0.as_deref().ok_or(Lost)
    }
}
