//! Sessions, for clients of revisions that begin with `initialize`. In a session, the server can send
//! requests and notifications. A session belongs to the principal and the endpoint that opened it; others
//! get 404 for its id. Requests of revision 2026-07-28 have no session.

use std::collections::HashSet;
use std::convert::Infallible;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use futures::{StreamExt as _, stream};
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager as _};

use super::refusal::Refusal;
use super::session_owner::SessionOwner;
use super::shared_sessions::SharedSessions;
use toolwrit_core::audit::storage::State;
use toolwrit_core::caller::principal::Principal;
use toolwrit_mcp::protocol::STATELESS;
use toolwrit_words::headers::MCP_REVISION;

/// A session ends after this time without a request and without an open stream.
const IDLE_TIME: Duration = Duration::from_mins(30);
/// One principal may hold one in this many of all sessions, if there are several principals.
const SHARE: usize = 4;
/// Seconds until a refused client should try again.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("10");

/// The open sessions, in bounded number.
pub struct Sessions {
    /// Maximum number of sessions.
    most: usize,
    idle_time: Duration,
    open: Mutex<Vec<Arc<HttpSession>>>,
    manager: Arc<LocalSessionManager>,
    /// Those of other replicas; `None` without replicas.
    shared: Option<SharedSessions>,
}

struct HttpSession {
    /// Unset while the session is being opened.
    id: OnceLock<SessionId>,
    owner: SessionOwner,
    /// When the latest request ended.
    used: Mutex<Instant>,
    /// The ids of requests without an answer. rmcp finds the stream of an answer by the id.
    unanswered: Mutex<HashSet<RequestId>>,
}

/// A request in a session, until its answer is sent and its handler has ended. Cheap to clone.
#[derive(Clone)]
pub(super) struct SessionUse(Arc<UseInner>);

struct UseInner {
    session: Arc<HttpSession>,
    /// The id of the request, until it is answered.
    request: Mutex<Option<RequestId>>,
}

impl UseInner {
    fn release_id(&self) {
        if let Some(id) = lock(&self.request).take() {
            lock(&self.session.unanswered).remove(&id);
        }
    }
}

impl Drop for UseInner {
    fn drop(&mut self) {
        self.release_id();
        *lock(&self.session.used) = Instant::now();
    }
}

impl HttpSession {
    fn begin_use(self: &Arc<Self>) -> SessionUse {
        SessionUse(Arc::new(UseInner { session: self.clone(), request: Mutex::default() }))
    }

    fn is_in_use(self: &Arc<Self>) -> bool {
        // Besides the list, only uses hold a reference.
        Arc::strong_count(self) > 1
    }

    fn used(&self) -> Instant {
        *lock(&self.used)
    }
}

impl SessionUse {
    /// Sets the id under which rmcp opened the session.
    pub(super) fn opened(&self, id: &HeaderValue) {
        if let Ok(id) = id.to_str() {
            // A session is opened only once, so the id is not set yet.
            let _ = self.0.session.id.set(id.into());
        }
    }

    /// Reserves the id of the request until it is answered. False if another request has the id.
    pub(super) fn reserve(&self, id: RequestId) -> bool {
        let is_free = lock(&self.0.session.unanswered).insert(id.clone());
        if is_free {
            *lock(&self.0.request) = Some(id);
        }
        is_free
    }

    /// Wraps the stream with the answer, to keep the session in use until it is sent or dropped. The id of the request is
    /// free at the end of the stream, even if the handler still runs.
    pub(super) fn answers(self, body: Body) -> Body {
        let released = stream::poll_fn(move |_| {
            self.0.release_id();
            Poll::Ready(None)
        });
        Body::from_stream(body.into_data_stream().chain(released))
    }
}

impl Sessions {
    /// Allows this many sessions; with 0, requests are answered without sessions.
    pub fn new(most: u16) -> Self {
        let mut manager = LocalSessionManager::default();
        // rmcp's timeout would end sessions of clients that only listen.
        manager.session_config.keep_alive = None;
        Self {
            most: most.into(),
            idle_time: IDLE_TIME,
            open: Mutex::default(),
            manager: Arc::new(manager),
            shared: None,
        }
    }

    /// Shares the sessions with the replicas that share this state.
    #[must_use]
    pub(super) fn shared_in(self, state: &State) -> Self {
        Self { shared: SharedSessions::of(state), ..self }
    }

    pub(super) fn shared(&self) -> Option<&SharedSessions> {
        self.shared.as_ref()
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        self.manager.clone()
    }

    /// Whether a request with these headers may belong to a session, or open one.
    pub(super) fn concern(&self, headers: &HeaderMap) -> bool {
        // Revisions are dates, and compare as text.
        let version = headers.get(MCP_REVISION).and_then(|version| version.to_str().ok());
        self.most > 0 && version.is_none_or(|version| version < STATELESS.as_str())
    }

    /// Begins a use of the session of this id. One of another replica is opened here, too.
    ///
    /// # Errors
    /// 404 if this owner has no such session.
    pub(super) async fn enter(
        &self,
        id: &HeaderValue,
        owner: &SessionOwner,
    ) -> Result<SessionUse, Refusal> {
        if let Some(found) = self.find(id, owner) {
            return Ok(found);
        }
        let (Some(shared), Ok(text)) = (&self.shared, id.to_str()) else {
            return Err(no_such_session());
        };
        if !shared.is_known(text, owner).await {
            return Err(no_such_session());
        }
        let session_use = self.open(owner.clone()).await?;
        // Of two first requests at once, the second uses what the first has opened.
        if let Some(found) = self.find(id, owner) {
            return Ok(found);
        }
        session_use.opened(id);
        Ok(session_use)
    }

    /// Begins a use of a session that is open here.
    fn find(&self, id: &HeaderValue, owner: &SessionOwner) -> Option<SessionUse> {
        let open = lock(&self.open);
        let found = open.iter().find(|session| {
            let same =
                session.id.get().is_some_and(|session_id| session_id.as_bytes() == id.as_bytes());
            same && session.owner == *owner
        });
        found.map(HttpSession::begin_use)
    }

    /// Opens a session. At the limit, ends the session that has been idle longest.
    ///
    /// # Errors
    /// 429 if all sessions of this principal are in use, 503 if all sessions are in use.
    pub(super) async fn open(&self, owner: SessionOwner) -> Result<SessionUse, Refusal> {
        let (session_use, ended) = self.admit(owner)?;
        if let Some(session) = ended {
            self.end(&session).await;
        }
        Ok(session_use)
    }

    fn admit(
        &self,
        owner: SessionOwner,
    ) -> Result<(SessionUse, Option<Arc<HttpSession>>), Refusal> {
        let mut open = lock(&self.open);
        // Remove sessions that failed to open.
        open.retain(|session| session.id.get().is_some() || session.is_in_use());
        let principal = &owner.principal;
        let is_own = |session: &HttpSession| session.owner.principal == *principal;
        let sessions_of_principal = open.iter().filter(|session| is_own(session)).count();
        let refused = |status, message| {
            Refusal::new(status, message)
                .hinting("End a session with DELETE, or wait until one is idle.")
                .with(RETRY_AFTER, RETRY_SECONDS)
        };
        let ended = if sessions_of_principal >= self.most_of(principal) {
            Some(take_idlest(&mut open, is_own).ok_or_else(|| {
                refused(StatusCode::TOO_MANY_REQUESTS, "all your sessions are in use")
            })?)
        } else if open.len() >= self.most {
            Some(take_idlest(&mut open, |_| true).ok_or_else(|| {
                refused(StatusCode::SERVICE_UNAVAILABLE, "all sessions are in use")
            })?)
        } else {
            None
        };
        let session = Arc::new(HttpSession {
            id: OnceLock::new(),
            owner,
            used: Mutex::new(Instant::now()),
            unanswered: Mutex::default(),
        });
        let session_use = session.begin_use();
        open.push(session);
        Ok((session_use, ended))
    }

    /// The maximum number of sessions of one principal. Without credentials, all clients are one principal.
    fn most_of(&self, principal: &Principal) -> usize {
        if *principal == Principal::default() { self.most } else { (self.most / SHARE).max(1) }
    }

    /// Ends the session of a use.
    pub(super) async fn close(&self, session_use: &SessionUse) {
        let session = &session_use.0.session;
        lock(&self.open).retain(|open| !Arc::ptr_eq(open, session));
        self.end(session).await;
        if let (Some(shared), Some(id)) = (&self.shared, session.id.get()) {
            shared.ended(id).await;
        }
    }

    /// Ends the sessions that clients end at other replicas, forever.
    async fn follow(&self) -> Infallible {
        let Some(mut heard) = self.shared.as_ref().and_then(SharedSessions::watch) else {
            return pending().await;
        };
        while let Some(ended) = SharedSessions::next_ended(&mut heard).await {
            let is_ended =
                |session: &mut Arc<HttpSession>| session.id.get().is_some_and(|id| **id == *ended);
            let ended: Vec<_> = lock(&self.open).extract_if(.., is_ended).collect();
            for session in &ended {
                self.end(session).await;
            }
        }
        pending().await
    }

    /// Ends sessions that are idle, or that clients have ended at other replicas, forever.
    pub(super) async fn expire(&self) -> ! {
        tokio::select! {
            never = self.expire_idle() => never,
            never = self.follow() => match never {},
        }
    }

    async fn expire_idle(&self) -> ! {
        loop {
            tokio::time::sleep(self.idle_time / 10).await;
            let idle = |session: &mut Arc<HttpSession>| {
                !session.is_in_use() && session.used().elapsed() >= self.idle_time
            };
            let idle: Vec<Arc<HttpSession>> = lock(&self.open).extract_if(.., idle).collect();
            for session in &idle {
                self.end(session).await;
            }
        }
    }

    async fn end(&self, session: &HttpSession) {
        let Some(id) = session.id.get() else { return };
        if let Some(shared) = &self.shared {
            shared.forget(id).await;
        }
        if let Err(error) = self.manager.close_session(id).await {
            tracing::debug!(%error, "cannot close a session cleanly");
        }
    }
}

/// The refusal of a session id that names no session of the caller.
pub(super) fn no_such_session() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "there is no such session")
        .hinting("It may have ended. Send `initialize` without a session id to open a new one.")
}

/// Removes and returns the matching session that has been idle longest.
fn take_idlest(
    open: &mut Vec<Arc<HttpSession>>,
    of: impl Fn(&HttpSession) -> bool,
) -> Option<Arc<HttpSession>> {
    let idle = open.iter().enumerate().filter(|(_, session)| !session.is_in_use() && of(session));
    let (at, _) = idle.min_by_key(|(_, session)| session.used())?;
    Some(open.remove(at))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::http::HeaderValue;
    use axum::response::IntoResponse as _;

    use super::super::choice::EndpointKey;
    use super::super::session_owner::SessionOwner;
    use super::{SessionUse, Sessions};
    use toolwrit_core::caller::principal::Principal;

    fn owner(name: &str) -> SessionOwner {
        SessionOwner { principal: Principal::new(name), choice: EndpointKey::default() }
    }

    /// Opens a session, which becomes idle when the use is dropped.
    async fn open(sessions: &Sessions, name: &str, id: &'static str) -> Result<SessionUse, u16> {
        let session_use = sessions.open(owner(name)).await;
        let session_use =
            session_use.map_err(|refusal| refusal.into_response().status().as_u16())?;
        session_use.opened(&HeaderValue::from_static(id));
        Ok(session_use)
    }

    fn is_open(sessions: &Sessions, name: &str, id: &'static str) -> bool {
        sessions.find(&HeaderValue::from_static(id), &owner(name)).is_some()
    }

    #[tokio::test]
    async fn the_longest_idle_session_ends_at_the_limit() {
        let sessions = Sessions::new(8);
        for id in ["a1", "a2"] {
            open(&sessions, "a", id).await.unwrap();
        }
        assert!(is_open(&sessions, "a", "a1"), "`a1` must be open; this use makes `a2` the idlest");
        open(&sessions, "a", "a3").await.unwrap();
        let open_ids = ["a1", "a2", "a3"].map(|id| is_open(&sessions, "a", id));
        assert_eq!(open_ids, [true, false, true]);
        assert!(!is_open(&sessions, "b", "a1"));
    }

    #[tokio::test]
    async fn sessions_in_use_are_not_ended() {
        let sessions = Sessions::new(4);
        let mut held = Vec::new();
        for (name, id) in [("a", "a1"), ("b", "b1"), ("c", "c1")] {
            held.push(open(&sessions, name, id).await.unwrap());
        }
        assert_eq!(open(&sessions, "a", "a2").await.err(), Some(429));
        held.push(open(&sessions, "d", "d1").await.unwrap());
        assert_eq!(open(&sessions, "e", "e1").await.err(), Some(503));
        held.remove(1);
        open(&sessions, "e", "e1").await.unwrap();
        assert!(is_open(&sessions, "a", "a1") && !is_open(&sessions, "b", "b1"));
    }

    #[tokio::test]
    async fn clients_without_credentials_share_all_sessions() {
        let sessions = Sessions::new(4);
        for id in ["1", "2", "3", "4"] {
            open(&sessions, "local", id).await.unwrap();
        }
        assert!(is_open(&sessions, "local", "1"));
    }

    #[tokio::test]
    async fn idle_sessions_end() {
        let mut sessions = Sessions::new(8);
        sessions.idle_time = Duration::from_millis(20);
        open(&sessions, "a", "a1").await.unwrap();
        let _held = open(&sessions, "a", "a2").await.unwrap();
        let ended = async {
            while super::lock(&sessions.open).len() > 1 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            never = sessions.expire() => never,
            () = ended => {}
        }
        assert!(!is_open(&sessions, "a", "a1") && is_open(&sessions, "a", "a2"));
    }
}
