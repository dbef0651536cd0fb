//! The interface of the storage for the engine's state: the audit, the answers to calls with an idempotency
//! key, and the costs of tool listings.

use std::fmt;
use std::sync::Arc;

use futures::future::ready;

use crate::audit::claim::{Claim, Claimed, ClaimedAnswer};
use crate::audit::counters::Backlog;
use crate::audit::listing_costs::AccountCosts;
use crate::audit::record::Record;
use crate::audit::row::{AuditFilter, AuditRow};
use crate::shared::{Local, Shared};
pub use crate::shared::{StorageFailed, Stored};

/// Stores what outlives the process.
pub trait Storage: fmt::Debug + Send + Sync {
    /// Adds a call to the audit. Never waits.
    fn record(&self, record: Record);

    /// Waits until the calls that were added so far are kept, if that is required; at most five seconds.
    fn written(&self) -> Stored<'_, ()> {
        Box::pin(ready(Ok(())))
    }

    /// Returns the calls of the audit that match the filter, oldest first.
    fn calls(&self, filter: AuditFilter) -> Stored<'_, Vec<AuditRow>>;

    /// Returns the counters of the audit's queue.
    fn backlog(&self) -> &Backlog;

    /// Binds a key to a call, durably before this completes.
    fn claim(&self, claim: Arc<Claim>) -> Stored<'_, Claimed>;

    /// Whether a call that has claimed its key may begin now. Not if others may have taken over the key meanwhile.
    fn holds(&self, _: &Claim) -> bool {
        true
    }

    /// Stores the answer to a call with a key, durably before this completes. `None` frees the key.
    fn complete(&self, claim: Arc<Claim>, answer: Option<ClaimedAnswer>) -> Stored<'_, ()>;

    /// Adds to the costs of tool listings.
    fn add_listed(&self, accounts: AccountCosts) -> Stored<'_, ()>;

    /// Returns the costs of tool listings added so far.
    fn listed(&self) -> Stored<'_, AccountCosts>;

    /// Deletes the costs of tool listings.
    fn forget_listed(&self) -> Stored<'_, ()>;
}

/// The storage of a process, if it has one, and what it shares with its replicas. Cheap to clone.
#[derive(Debug, Clone)]
pub struct State {
    /// The name of what the handlers change, if the operator gives it one.
    location: Option<Arc<str>>,
    storage: Option<Arc<dyn Storage>>,
    shared: Arc<dyn Shared>,
}

impl Default for State {
    fn default() -> Self {
        Self { location: None, storage: None, shared: Arc::new(Local::default()) }
    }
}

impl State {
    /// Returns the state that is kept in this storage.
    pub fn kept_in(storage: Arc<dyn Storage>) -> Self {
        Self { storage: Some(storage), ..Self::default() }
    }

    /// Returns the state that replicas have in common.
    pub fn shared_in<S: Storage + Shared + 'static>(store: Arc<S>) -> Self {
        Self { location: None, storage: Some(store.clone()), shared: store }
    }

    /// Returns a state that stores nothing, for commands that run no operation.
    pub fn none() -> Self {
        Self::default()
    }

    /// Names what the handlers change in place of what the application says, for replicas that reach it in different ways.
    #[must_use]
    pub fn located(self, location: Option<&str>) -> Self {
        Self { location: location.map(Into::into), ..self }
    }

    /// Returns the name that the operator gave to what the handlers change.
    pub fn location(&self) -> Option<&str> {
        self.location.as_deref()
    }

    /// Returns what this process shares with its replicas.
    pub fn shared(&self) -> &dyn Shared {
        &*self.shared
    }

    /// Returns a handle for what this process shares with its replicas.
    pub(crate) fn share(&self) -> Arc<dyn Shared> {
        self.shared.clone()
    }

    /// Returns why this process must get no requests yet, or any longer; `None` if it may.
    pub fn unready(&self) -> Option<String> {
        self.shared.unready()
    }

    /// Adds a call to the audit. Never waits.
    pub(crate) fn record(&self, record: Record) {
        if let Some(storage) = &self.storage {
            storage.record(record);
        }
    }

    /// Waits until the calls that were added so far are kept, if that is required.
    ///
    /// # Errors
    /// If that fails, or takes longer than five seconds.
    pub async fn written(&self) -> Result<(), StorageFailed> {
        match &self.storage {
            Some(storage) => storage.written().await,
            None => Ok(()),
        }
    }

    /// Returns the calls of the audit that match the filter, oldest first.
    ///
    /// # Errors
    /// If there is no storage, or the storage fails.
    pub async fn calls(&self, filter: AuditFilter) -> Result<Vec<AuditRow>, StorageFailed> {
        self.storage()?.calls(filter).await
    }

    /// Returns the counters of the audit's queue; `None` without a storage.
    pub fn backlog(&self) -> Option<&Backlog> {
        self.storage.as_ref().map(|storage| storage.backlog())
    }

    /// Binds a key to a call, durably before this completes.
    ///
    /// # Errors
    /// If there is no storage, or the storage fails.
    pub(crate) async fn claim(&self, claim: Arc<Claim>) -> Result<Claimed, StorageFailed> {
        self.storage()?.claim(claim).await
    }

    /// Whether a call that has claimed its key may begin now.
    pub(crate) fn holds(&self, claim: &Claim) -> bool {
        self.storage.as_ref().is_some_and(|storage| storage.holds(claim))
    }

    /// Stores the answer to a call with a key, durably before this completes. `None` frees the key.
    ///
    /// # Errors
    /// If there is no storage, or the storage fails.
    pub(crate) async fn complete(
        &self,
        claim: Arc<Claim>,
        answer: Option<ClaimedAnswer>,
    ) -> Result<(), StorageFailed> {
        self.storage()?.complete(claim, answer).await
    }

    /// Adds to the costs of tool listings.
    ///
    /// # Errors
    /// If there is no storage, or the storage fails.
    pub async fn add_listed(&self, accounts: AccountCosts) -> Result<(), StorageFailed> {
        self.storage()?.add_listed(accounts).await
    }

    /// Returns the costs of tool listings added so far.
    ///
    /// # Errors
    /// If there is no storage, or the storage fails.
    pub async fn listed(&self) -> Result<AccountCosts, StorageFailed> {
        self.storage()?.listed().await
    }

    /// Deletes the costs of tool listings.
    ///
    /// # Errors
    /// If there is no storage, or the storage fails.
    pub async fn forget_listed(&self) -> Result<(), StorageFailed> {
        self.storage()?.forget_listed().await
    }

    fn storage(&self) -> Result<&dyn Storage, StorageFailed> {
        self.storage.as_deref().ok_or(StorageFailed)
    }
}
