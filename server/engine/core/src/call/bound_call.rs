//! Calls of operations that the manifest binds to the API of a provider.

use std::fmt::Debug;
use std::time::Instant;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use toolwrit_text::numbers::WrittenNumbers;

use crate::call::reports::{HandlerReport, Progress, send};
use crate::dialogue::Relay;
use crate::fault::Result;
use crate::shared::{Replicas, SealKeys};

/// A call of an operation that is bound to the API of a provider.
#[derive(Debug)]
pub struct BoundCall<'a> {
    /// The id of the operation.
    pub operation: &'a str,
    /// The arguments, which fit the parameters, with defaults filled in.
    pub arguments: Map<String, Value>,
    /// The numbers of the arguments as they were written.
    pub numbers: &'a WrittenNumbers,
    /// The page of a list, if the operation has pages.
    pub page: Option<BoundPage>,
    /// The replicas that make such calls, with this one; `None` without others.
    pub replicas: Option<&'a Replicas>,
    /// Whether to show the request instead of sending it.
    pub dry_run: bool,
    /// The account of the caller; `None` for the user who started the server.
    pub account: Option<&'a str>,
    /// When the call times out.
    pub deadline: Instant,
    /// Cancelled when the caller no longer waits.
    pub cancellation: CancellationToken,
    /// Where progress is reported; `None` if the caller did not ask for it.
    pub progress: Option<BoundProgress>,
    /// Passes questions on to the client. It reaches nobody if a handler makes this call for another operation.
    pub relay: Relay,
}

/// Reports the progress of a call to its caller.
#[derive(Debug, Clone)]
pub struct BoundProgress(pub(crate) Sender<HandlerReport>);

impl BoundProgress {
    /// Reports progress. If a thousand reports are queued for a client that reads slowly, further ones are dropped.
    pub fn report(&self, done: f64, total: Option<f64>, message: Option<String>) {
        send(&self.0, HandlerReport::Progress(Progress { done, total, message }));
    }
}

/// The page of a list.
#[derive(Debug)]
pub struct BoundPage {
    /// How many items it has at most.
    pub limit: u32,
    /// The cursor that the page before had for it; `None` for the first page.
    pub cursor: Option<String>,
    /// The keys with which replicas seal cursors; `None` if the provider's own key does.
    pub keys: Option<SealKeys>,
}

/// What carries out such calls.
pub(crate) trait BoundCalls: Debug + Send + Sync {
    /// Carries out a call of an operation of the provider of this name.
    fn call<'a>(&'a self, provider: &'a str, call: BoundCall<'a>) -> BoxFuture<'a, Result<Value>>;
}
