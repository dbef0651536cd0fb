//! What the equal replicas of a server share: the limits of callers, confirmation tokens, keys, notices and what a client may
//! ask another replica for. One process shares with nobody, and [`Local`] has its part in memory.

mod figures;
mod keys;
mod local;
mod notices;
mod replicas;
mod slots;

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::broadcast;

use crate::caller::principal::Principal;
use crate::caller::session_calls::SessionCalls;
use crate::dialogue::confirmed::Confirmed;
pub use crate::dialogue::{Binding, ConfirmationToken};
pub use figures::ReplicaFigures;
pub use keys::{Purpose, SealKey, SealKeys};
pub use local::Local;
pub use notices::{Heard, Notice};
pub use replicas::Replicas;
pub use slots::SharedSlot;
pub(crate) use slots::SharedSlots;

/// The error of a store. It has logged the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageFailed;

/// The future of an operation on a store.
pub type Stored<'a, T> = BoxFuture<'a, Result<T, StorageFailed>>;

/// Whether a call is within a limit. An error has the time until the next call is.
pub type Limited = Result<(), Duration>;

/// How many requests an API gets in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestRate {
    /// How many requests.
    pub requests: NonZeroU32,
    /// In which time, longer than zero.
    pub per: Duration,
}

/// What is kept for any replica to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kept {
    /// What a client said when it opened a session, by the id of the session.
    Session,
    /// To whom a session belongs, by its id.
    SessionOwner,
    /// What a client wants to be told in a session, by its id.
    SessionWishes,
    /// The access token of a signed-in page, by its cookie. Both are secrets.
    Page,
    /// The cookies of pages, by their access token. Both are secrets.
    PagesOfToken,
    /// What the operator has decided about another server, by its name.
    Upstream,
    /// The state of a task, by its id.
    Task,
    /// That the replica of a task runs it, by the id of the task.
    TaskRuns,
    /// What clients have sent to a task, which its replica collects.
    TaskInput,
}

impl Kept {
    /// Whether the id and the texts are secrets, which nobody may learn from what is kept. Such an id cannot be guessed, so that
    /// the texts can be sealed with it.
    pub fn is_secret(self) -> bool {
        matches!(self, Kept::Page | Kept::PagesOfToken)
    }
}

/// What replicas share. [`Local`] is that of one process.
pub trait Shared: fmt::Debug + Send + Sync {
    /// Returns the name of this replica; `None` if it is the only one.
    fn replica(&self) -> Option<&str>;

    /// Returns why this replica must get no requests yet, or any longer; `None` if it may.
    fn unready(&self) -> Option<String>;

    /// Returns what an operator watches of this replica; `None` if it is the only one.
    fn figures(&self) -> Option<ReplicaFigures>;

    /// Takes a call from a principal's rate, which allows bursts of as many calls as it has per second.
    fn take<'a>(
        &'a self,
        principal: &'a Principal,
        per_second: NonZeroU32,
    ) -> BoxFuture<'a, Limited>;

    /// Counts a call of a principal in its hour, which began with its first call.
    fn count<'a>(&'a self, principal: &'a Principal, per_hour: u64) -> BoxFuture<'a, Limited>;

    /// Counts a call of a session that may make this number of them, and returns how many it has made, with this one.
    fn count_in_session<'a>(&'a self, session: &'a SessionCalls, most: u64) -> BoxFuture<'a, u64>;

    /// Takes a request from the rate of an API, which allows bursts of as many requests as it has in its time. `None` if each
    /// replica keeps to its part of the rate.
    fn take_request<'a>(
        &'a self,
        api: &'a str,
        rate: RequestRate,
    ) -> BoxFuture<'a, Option<Limited>>;

    /// Makes a confirmation token valid for one call, for [`ConfirmationToken::LIFETIME`].
    fn issue<'a>(
        &'a self,
        token: &'a ConfirmationToken,
        call: Binding,
        confirmed: Confirmed,
    ) -> Stored<'a, ()>;

    /// Invalidates a token, and returns what it confirms; `None` if it is not valid for this call. A token that is sent with
    /// another call stays valid for its own.
    fn redeem<'a>(&'a self, token: &'a str, call: Binding) -> Stored<'a, Option<Confirmed>>;

    /// Returns the keys that seal what clients hold; `None` if there are none, and nothing can be sealed.
    fn keys(&self, purpose: Purpose) -> Option<SealKeys>;

    /// Tells the other replicas, also if the future is dropped. When it completes, they have been told, or will learn that
    /// they have missed something.
    fn publish(&self, notice: Notice) -> BoxFuture<'static, ()>;

    /// Returns the notices of other replicas from now on; `None` without others.
    fn watch(&self) -> Option<broadcast::Receiver<Heard>>;

    /// Whether notices of others arrive now. If not, what others change must be read anew.
    fn hears(&self) -> bool;

    /// Returns how many replicas serve now, with this one.
    fn replicas(&self) -> u32;

    /// Takes a lease of this name for as long as this process lives, or until it is released. Returns the replica that holds
    /// it, if that is another.
    fn lease<'a>(&'a self, name: &'a str) -> Stored<'a, Option<String>>;

    /// Releases a lease. Without an answer of the store, the lease ends later.
    fn release<'a>(&'a self, name: &'a str) -> BoxFuture<'a, ()>;

    /// Keeps a text under an id for any replica, in place of an earlier one.
    fn keep<'a>(
        &'a self,
        kind: Kept,
        id: &'a str,
        text: String,
        lifetime: Duration,
    ) -> Stored<'a, ()>;

    /// Returns what is kept under an id.
    fn kept<'a>(&'a self, kind: Kept, id: &'a str) -> Stored<'a, Option<String>>;

    /// Adds a text to those that are kept under an id.
    fn add<'a>(
        &'a self,
        kind: Kept,
        id: &'a str,
        text: String,
        lifetime: Duration,
    ) -> Stored<'a, ()>;

    /// Removes what is kept under an id, and returns it in the order in which it was added.
    fn collect<'a>(&'a self, kind: Kept, id: &'a str) -> Stored<'a, Vec<String>>;
}
