//! Answers that are streams: they end when the credential that requested them is no longer valid. Those that stay
//! open are bounded, for each account and in total.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use futures::StreamExt as _;
use futures::stream;

use super::body::hold_until_sent;
use super::refusal::Refusal;
use toolwrit_core::caller::principal::Principal;

/// All streams together may use one in this many connections, and those of one account one in this many
/// of these. The other connections are for ordinary requests.
const PARTS: usize = 2;
/// How often a stream's credential is checked while nothing is sent.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// Seconds until a refused client should try again.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("10");

/// The open streams.
pub(super) struct Streams {
    most: usize,
    open: Mutex<HashMap<Principal, usize>>,
}

/// Counts a stream until it ends.
pub(super) struct OpenStream {
    streams: Arc<Streams>,
    principal: Principal,
}

impl Streams {
    /// For a server with this many connections.
    pub(super) fn new(connections: usize) -> Arc<Self> {
        Arc::new(Self { most: connections / PARTS, open: Mutex::default() })
    }

    /// Opens a stream for this account.
    ///
    /// # Errors
    /// 429 if the account has as many as it may, 503 if all streams are in use.
    pub(super) fn open(self: &Arc<Self>, principal: &Principal) -> Result<OpenStream, Refusal> {
        let refused = |status, message| {
            Refusal::new(status, message)
                .hinting("Listen to several resources in one request, or end another first.")
                .with(RETRY_AFTER, RETRY_SECONDS)
        };
        let mut open = self.counts();
        let streams_of_principal = open.get(principal).copied().unwrap_or_default();
        if streams_of_principal >= self.most / PARTS {
            return Err(refused(StatusCode::TOO_MANY_REQUESTS, "all your streams are in use"));
        }
        if open.values().sum::<usize>() >= self.most {
            return Err(refused(StatusCode::SERVICE_UNAVAILABLE, "all streams are in use"));
        }
        open.insert(principal.clone(), streams_of_principal + 1);
        Ok(OpenStream { streams: self.clone(), principal: principal.clone() })
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<Principal, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = self.streams.counts();
        if let Some(count) = open.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.principal);
            }
        }
    }
}

impl OpenStream {
    /// Wraps the body of the answer, to count the stream until it ends. It ends when `draining` completes.
    pub(super) fn body(
        self,
        body: Body,
        draining: impl Future<Output = ()> + Send + 'static,
    ) -> Body {
        hold_until_sent(Body::from_stream(body.into_data_stream().take_until(draining)), self)
    }
}

/// Wraps the stream of an answer. Checks `is_valid` before each part, and from time to time. The stream ends when
/// the credential that requested it is no longer valid.
pub(super) fn while_valid<G: Future<Output = bool> + Send + 'static>(
    body: Body,
    is_valid: impl Fn() -> G + Send + 'static,
) -> Body {
    let parts =
        stream::unfold((body.into_data_stream(), is_valid), async |(mut parts, is_valid)| {
            loop {
                let part = tokio::time::timeout(CHECK_INTERVAL, parts.next()).await;
                if !is_valid().await {
                    return None;
                }
                if let Ok(part) = part {
                    return Some((part?, (parts, is_valid)));
                }
            }
        });
    Body::from_stream(parts)
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;

    use super::Streams;
    use toolwrit_core::caller::principal::Principal;

    #[test]
    fn streams_are_bounded_per_account_and_in_total() {
        let streams = Streams::new(8);
        let open = |name: &str| streams.open(&Principal::new(name));
        let refused = |name: &str| open(name).err().map(|refusal| refusal.into_response().status());
        let streams_of_a = [open("a").ok(), open("a").ok()];
        assert_eq!(refused("a").map(|status| status.as_u16()), Some(429));
        let _others = [open("b").ok(), open("c").ok()];
        assert_eq!(refused("d").map(|status| status.as_u16()), Some(503));
        drop(streams_of_a);
        assert_eq!(refused("a"), None);
    }
}
