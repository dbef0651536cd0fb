//! A call that waits while its client is asked.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use super::{Abilities, Question, Replies};
use crate::fault::{Code, Fault, Result};

/// How long a person may think. A call must end some day.
const PATIENCE: Duration = Duration::from_mins(10);

/// The client, as it is asked.
pub trait Peer: Send + Sync {
    /// Sends a question and waits for any reply.
    fn put<'a>(
        &'a self,
        key: &'a str,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Result<Value>> + Send + 'a>>;
}

/// A client that is asked while the call waits.
pub struct Live {
    pub(super) abilities: Abilities,
    peer: Box<dyn Peer>,
    /// A question is asked once in a call, however often the handler wants to know.
    replies: Mutex<Replies>,
    /// The call was let through to its handler before, which asked in rounds.
    pub(super) follows_rounds: bool,
    waiting: watch::Sender<WaitingTime>,
}

/// How long a call has waited for answers, which is no time of its handler's.
#[derive(Debug, Clone, Copy, Default)]
pub struct WaitingTime {
    /// Questions that are open now.
    pub(crate) open: u32,
    /// The time that earlier ones took.
    pub(crate) total: Duration,
}

impl Live {
    /// A dialogue with this peer.
    pub fn new(abilities: Abilities, peer: Box<dyn Peer>) -> Self {
        let (waiting, _) = watch::channel(WaitingTime::default());
        Self { abilities, peer, replies: Mutex::default(), follows_rounds: false, waiting }
    }

    /// Goes on after rounds, with what was answered in them.
    #[must_use]
    pub fn after(self, replies: Replies) -> Self {
        Self { replies: Mutex::new(replies), follows_rounds: true, ..self }
    }

    /// Follows how long the call waits.
    pub(crate) fn waiting(&self) -> watch::Receiver<WaitingTime> {
        self.waiting.subscribe()
    }

    pub(super) async fn reply(&self, key: &str, question: &Question) -> Result<Value> {
        if let Some(reply) = self.replies().get(key) {
            return Ok(reply.clone());
        }
        let reply = {
            let _pause = Pause::start(&self.waiting);
            tokio::time::timeout(PATIENCE, self.peer.put(key, question))
                .await
                .map_err(|_| nobody_answered())??
        };
        self.replies().insert(key.to_owned(), reply.clone());
        Ok(reply)
    }

    fn replies(&self) -> std::sync::MutexGuard<'_, Replies> {
        // No code that can panic runs under the lock.
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").field("abilities", &self.abilities).finish_non_exhaustive()
    }
}

/// One open question; also ends when the call is cancelled.
struct Pause<'a> {
    waiting: &'a watch::Sender<WaitingTime>,
    since: Instant,
}

impl<'a> Pause<'a> {
    fn start(waiting: &'a watch::Sender<WaitingTime>) -> Self {
        waiting.send_modify(|waiting| waiting.open += 1);
        Self { waiting, since: Instant::now() }
    }
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.waiting.send_modify(|waiting| {
            waiting.open -= 1;
            waiting.total += self.since.elapsed();
        });
    }
}

fn nobody_answered() -> Fault {
    let message = format!("Nobody answered within {} minutes.", PATIENCE.as_secs() / 60);
    Fault::new(Code::Timeout, message).retryable(true).hinting("Nothing was done since. Try again.")
}
