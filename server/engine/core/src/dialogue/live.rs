//! A call that waits for the client's answers.

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

/// How long the server waits for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);

/// The client that receives the questions.
pub trait Peer: Send + Sync {
    /// Sends a question and waits for any reply.
    fn put<'a>(
        &'a self,
        key: &'a str,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Result<Value>> + Send + 'a>>;
}

/// A client that answers questions while the call waits.
pub struct LiveClient {
    pub(super) abilities: Abilities,
    peer: Box<dyn Peer>,
    /// The answers so far: the same question is sent only once per call, however often the handler asks it.
    replies: Mutex<Replies>,
    /// Whether the call has reached its handler before, which then asked in rounds.
    pub(super) follows_rounds: bool,
    waiting: watch::Sender<WaitingTime>,
}

/// How long a call has waited for answers. The deadline does not include this time.
#[derive(Debug, Clone, Copy, Default)]
pub struct WaitingTime {
    /// How many questions are open now.
    pub(crate) open: u32,
    /// How long earlier questions took.
    pub(crate) total: Duration,
}

impl LiveClient {
    /// Creates a dialogue with this peer.
    pub fn new(abilities: Abilities, peer: Box<dyn Peer>) -> Self {
        let (waiting, _) = watch::channel(WaitingTime::default());
        Self { abilities, peer, replies: Mutex::default(), follows_rounds: false, waiting }
    }

    /// Continues a dialogue that began in rounds, with the answers from those rounds.
    #[must_use]
    pub fn after(self, replies: Replies) -> Self {
        Self { replies: Mutex::new(replies), follows_rounds: true, ..self }
    }

    /// Returns a receiver of the time that the call has waited.
    pub(crate) fn waiting(&self) -> watch::Receiver<WaitingTime> {
        self.waiting.subscribe()
    }

    pub(super) async fn reply(&self, key: &str, question: &Question) -> Result<Value> {
        if let Some(reply) = self.replies().get(key) {
            return Ok(reply.clone());
        }
        let reply = self.put(key, question).await?;
        self.replies().insert(key.to_owned(), reply.clone());
        Ok(reply)
    }

    /// Sends a question, also one with a key that was used before.
    pub(super) async fn put(&self, key: &str, question: &Question) -> Result<Value> {
        let _pause = Pause::start(&self.waiting);
        tokio::time::timeout(ANSWER_TIMEOUT, self.peer.put(key, question))
            .await
            .map_err(|_| no_answer())?
    }

    fn replies(&self) -> std::sync::MutexGuard<'_, Replies> {
        // No code that can panic runs under the lock.
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for LiveClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").field("abilities", &self.abilities).finish_non_exhaustive()
    }
}

/// One open question. Dropped with its answer, or when the call is cancelled.
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

fn no_answer() -> Fault {
    let message =
        format!("The client did not answer within {} minutes.", ANSWER_TIMEOUT.as_secs() / 60);
    Fault::new(Code::Timeout, message)
        .retryable(true)
        .hinting("Nothing was done after the question. Try again.")
}
