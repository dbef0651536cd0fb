//! What is called, and what comes back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolwrit_text::numbers::WrittenNumbers;

use crate::failure::{Failure, Result};
use crate::model::{Code, Effect};
use crate::sealed_cursor::CursorKey;

/// A call of an operation.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// The arguments. They fit the declared parameters, with defaults filled in.
    pub arguments: &'a Map<String, Value>,
    /// The numbers of the arguments as they were written.
    pub numbers: &'a WrittenNumbers,
    /// Whose credentials to use; `None` for those that belong to no account.
    pub account: Option<&'a str>,
    /// The page of a list; `None` if the operation has no pages.
    pub page: Option<PageRequest<'a>>,
    /// Whether to describe the request or the command instead of carrying it out. Earlier steps are carried out, because they only read.
    pub dry_run: bool,
    /// When the call must have ended.
    pub deadline: Instant,
    /// Cancelled when the caller no longer waits.
    pub cancellation: CancellationToken,
}

impl Call<'_> {
    /// Waits for an answer, until the deadline or until the caller no longer waits. `sent` says whether a change may have
    /// begun.
    pub(crate) async fn ended_in_time(
        &self,
        provider: &str,
        (effect, sent): (Effect, &AtomicBool),
        answer: impl Future<Output = Result<Answer>>,
    ) -> Result<Answer> {
        let ended = tokio::select! {
            biased;
            () = self.cancellation.cancelled() => {
                Failure::new(Code::Cancelled, "The call was cancelled.")
            }
            () = tokio::time::sleep_until(self.deadline.into()) => Failure::timed_out(provider),
            answer = answer => return answer,
        };
        if effect != Effect::Read && sent.load(Ordering::Relaxed) {
            Err(ended.sent().temporary().not_repeated())
        } else {
            Err(ended)
        }
    }
}

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest<'a> {
    /// How many items it has at most.
    pub limit: u32,
    /// [`Answer::next`] of the page before; `None` for the first page.
    pub cursor: Option<&'a str>,
    /// The keys of equal servers: the first seals, and all open. Without any, the key of the connection does both.
    pub keys: &'a [CursorKey],
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The result, as its table says; null if the operation has none. For a dry run `{ "request": .. }` or
    /// `{ "command": [..] }`.
    pub value: Value,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<String>,
    /// How many items there are on all pages, if the API says so.
    pub total: Option<u64>,
}
