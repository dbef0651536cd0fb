//! Answers that stay open until the client has heard enough: in bounded number, for each account and in
//! all, and no longer than the credential is good that asked for them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use futures::StreamExt as _;
use futures::stream;

use super::refusal::Refusal;
use toolwrit_core::principal::Principal;

/// Of so many connections, all streams together may be one such part, and those of one account half of
/// that: the others are for requests that are answered.
const PARTS: usize = 2;
/// How often the credential of a stream is looked at where nothing is sent.
const LOOK: Duration = Duration::from_secs(2);
/// Seconds after which one that found no room may ask again.
const LATER: HeaderValue = HeaderValue::from_static("10");

/// The streams that are open.
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
    /// For a server with room for so many connections.
    pub(super) fn new(connections: usize) -> Arc<Self> {
        Arc::new(Self { most: connections / PARTS, open: Mutex::default() })
    }

    /// Lets this account open one more.
    ///
    /// # Errors
    /// 429 when the account has as many as it may, 503 when there are as many as there may be.
    pub(super) fn open(self: &Arc<Self>, principal: &Principal) -> Result<OpenStream, Refusal> {
        let refused = |status, message| {
            Refusal::new(status, message)
                .hinting("Listen to several resources in one request, or end another first.")
                .with(RETRY_AFTER, LATER)
        };
        let mut open = self.counts();
        let own = open.get(principal).copied().unwrap_or_default();
        if own >= self.most / PARTS {
            return Err(refused(StatusCode::TOO_MANY_REQUESTS, "all your streams are in use"));
        }
        if open.values().sum::<usize>() >= self.most {
            return Err(refused(StatusCode::SERVICE_UNAVAILABLE, "all streams are in use"));
        }
        open.insert(principal.clone(), own + 1);
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
    /// The body of such an answer. Before each part of it, and now and then, `is_good` tells whether the
    /// credential still is; it ends, too, when `over` completes.
    pub(super) fn body<G: Future<Output = bool> + Send + 'static>(
        self,
        body: Body,
        is_good: impl Fn() -> G + Send + 'static,
        over: impl Future<Output = ()> + Send + 'static,
    ) -> Body {
        let parts = stream::unfold(
            (body.into_data_stream(), is_good, self),
            async |(mut parts, is_good, open)| loop {
                let part = tokio::time::timeout(LOOK, parts.next()).await;
                if !is_good().await {
                    return None;
                }
                if let Ok(part) = part {
                    return Some((part?, (parts, is_good, open)));
                }
            },
        );
        Body::from_stream(parts.take_until(over))
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;

    use super::Streams;
    use toolwrit_core::principal::Principal;

    #[test]
    fn one_account_leaves_room_for_others_and_all_leave_room_for_requests() {
        let streams = Streams::new(8);
        let open = |name: &str| streams.open(&Principal::named(name));
        let refused = |name: &str| open(name).err().map(|refusal| refusal.into_response().status());
        let own = [open("a").ok(), open("a").ok()];
        assert_eq!(refused("a").map(|status| status.as_u16()), Some(429));
        let _others = [open("b").ok(), open("c").ok()];
        assert_eq!(refused("d").map(|status| status.as_u16()), Some(503));
        drop(own);
        assert_eq!(refused("a"), None);
    }
}
