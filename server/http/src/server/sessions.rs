//! Sessions, for clients of the revisions that begin with `initialize`: in one, the server can send
//! requests and notifications of its own. A session belongs to the principal and to the endpoint that
//! opened it; for everybody else there is none of that id. Requests of 2026-07-28 have none.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager as _};

use super::choice::EndpointKey;
use super::refusal::Refusal;
use toolwrit_core::principal::Principal;
use toolwrit_mcp::protocol::STATELESS;

/// The header that names a session.
pub(super) const ID: &str = "mcp-session-id";
/// The header that names the revision of the protocol.
pub(super) const VERSION: &str = "mcp-protocol-version";
/// A session ends when it has had no request for this long, and has no open stream.
const IDLE_TIME: Duration = Duration::from_mins(30);
/// One principal may hold one in so many of all sessions, when there are several principals.
const SHARE: usize = 4;
/// Seconds after which one that found no room may ask again.
const LATER: HeaderValue = HeaderValue::from_static("10");

/// The sessions that are open, in bounded number.
pub struct Sessions {
    /// At once, in all.
    most: usize,
    idle_time: Duration,
    open: Mutex<Vec<Arc<HttpSession>>>,
    manager: Arc<LocalSessionManager>,
}

struct HttpSession {
    /// Not there while the session is being opened.
    id: OnceLock<SessionId>,
    owner: Owner,
    /// When the latest visit ended.
    used: Mutex<Instant>,
}

/// Whose session it is, and with which endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) principal: Principal,
    pub(super) choice: EndpointKey,
}

/// A request in a session, until its answer is sent and its handler has ended. Cheap to clone.
#[derive(Clone)]
pub(super) struct Visit(Arc<Stay>);

struct Stay(Arc<HttpSession>);

impl Drop for Stay {
    fn drop(&mut self) {
        *lock(&self.0.used) = Instant::now();
    }
}

impl HttpSession {
    fn visit(self: &Arc<Self>) -> Visit {
        Visit(Arc::new(Stay(self.clone())))
    }

    fn is_visited(self: &Arc<Self>) -> bool {
        // Beside the list, only visits hold it.
        Arc::strong_count(self) > 1
    }

    fn used(&self) -> Instant {
        *lock(&self.used)
    }
}

impl Visit {
    /// The session has been opened under this id.
    pub(super) fn opened(&self, id: &HeaderValue) {
        if let Ok(id) = id.to_str() {
            // A session is opened once.
            let _ = self.0.0.id.set(id.into());
        }
    }
}

impl Sessions {
    /// Room for so many sessions; with 0, every request stands for itself.
    pub fn new(most: u16) -> Self {
        let mut manager = LocalSessionManager::default();
        // The SDK takes a client that only listens for an idle one.
        manager.session_config.keep_alive = None;
        Self {
            most: most.into(),
            idle_time: IDLE_TIME,
            open: Mutex::default(),
            manager: Arc::new(manager),
        }
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        self.manager.clone()
    }

    /// Whether a request with these headers may belong to a session, or begin one.
    pub(super) fn concern(&self, headers: &HeaderMap) -> bool {
        // Revisions are dates, and sort as text.
        let version = headers.get(VERSION).and_then(|version| version.to_str().ok());
        self.most > 0 && version.is_none_or(|version| version < STATELESS.as_str())
    }

    /// Enters the session of this id.
    ///
    /// # Errors
    /// 404 when this owner has none.
    pub(super) fn enter(&self, id: &HeaderValue, owner: &Owner) -> Result<Visit, Refusal> {
        let open = lock(&self.open);
        let found = open.iter().find(|session| {
            let same = session.id.get().is_some_and(|own| own.as_bytes() == id.as_bytes());
            same && session.owner == *owner
        });
        found.map(HttpSession::visit).ok_or_else(|| {
            Refusal::new(StatusCode::NOT_FOUND, "there is no such session")
                .hinting("It may have ended. Begin anew, with `initialize` and no session id.")
        })
    }

    /// Takes a place for a new session. When there is none, the session that was idle longest ends.
    ///
    /// # Errors
    /// 429 when all sessions of this principal are in use, 503 when all there may be are.
    pub(super) async fn open(&self, owner: Owner) -> Result<Visit, Refusal> {
        let (visit, ended) = self.place(owner)?;
        if let Some(session) = ended {
            self.end(&session).await;
        }
        Ok(visit)
    }

    fn place(&self, owner: Owner) -> Result<(Visit, Option<Arc<HttpSession>>), Refusal> {
        let mut open = lock(&self.open);
        // What could not be opened.
        open.retain(|session| session.id.get().is_some() || session.is_visited());
        let principal = &owner.principal;
        let is_own = |session: &HttpSession| session.owner.principal == *principal;
        let own = open.iter().filter(|session| is_own(session)).count();
        let refused = |status, message| {
            Refusal::new(status, message)
                .hinting("End a session with DELETE, or wait until one is idle.")
                .with(RETRY_AFTER, LATER)
        };
        let ended = if own >= self.most_of(principal) {
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
        let session =
            Arc::new(HttpSession { id: OnceLock::new(), owner, used: Mutex::new(Instant::now()) });
        let visit = session.visit();
        open.push(session);
        Ok((visit, ended))
    }

    /// Without credentials, all clients are one principal.
    fn most_of(&self, principal: &Principal) -> usize {
        if *principal == Principal::default() { self.most } else { (self.most / SHARE).max(1) }
    }

    /// Ends the session of a visit.
    pub(super) async fn close(&self, visit: &Visit) {
        let session = &visit.0.0;
        lock(&self.open).retain(|open| !Arc::ptr_eq(open, session));
        self.end(session).await;
    }

    /// Ends idle sessions, for ever.
    pub(super) async fn expire(&self) -> ! {
        loop {
            tokio::time::sleep(self.idle_time / 10).await;
            let idle = |session: &mut Arc<HttpSession>| {
                !session.is_visited() && session.used().elapsed() >= self.idle_time
            };
            let idle: Vec<Arc<HttpSession>> = lock(&self.open).extract_if(.., idle).collect();
            for session in &idle {
                self.end(session).await;
            }
        }
    }

    async fn end(&self, session: &HttpSession) {
        let Some(id) = session.id.get() else { return };
        if let Err(error) = self.manager.close_session(id).await {
            tracing::debug!(%error, "a session did not end well");
        }
    }
}

/// Removes the session that has been idle for longest, of those that match.
fn take_idlest(
    open: &mut Vec<Arc<HttpSession>>,
    of: impl Fn(&HttpSession) -> bool,
) -> Option<Arc<HttpSession>> {
    let idle = open.iter().enumerate().filter(|(_, session)| !session.is_visited() && of(session));
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
    use super::{Owner, Sessions, Visit};
    use toolwrit_core::principal::Principal;

    fn owner(name: &str) -> Owner {
        Owner { principal: Principal::named(name), choice: EndpointKey::default() }
    }

    /// Opens a session, which is idle when the visit is dropped.
    async fn open(sessions: &Sessions, name: &str, id: &'static str) -> Result<Visit, u16> {
        let visit = sessions.open(owner(name)).await;
        let visit = visit.map_err(|refusal| refusal.into_response().status().as_u16())?;
        visit.opened(&HeaderValue::from_static(id));
        Ok(visit)
    }

    fn is_open(sessions: &Sessions, name: &str, id: &'static str) -> bool {
        sessions.enter(&HeaderValue::from_static(id), &owner(name)).is_ok()
    }

    #[tokio::test]
    async fn the_session_that_was_left_first_makes_room() {
        let sessions = Sessions::new(8);
        for id in ["a1", "a2"] {
            open(&sessions, "a", id).await.unwrap();
        }
        assert!(is_open(&sessions, "a", "a1"), "and so it is used later than the other");
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
    async fn without_credentials_there_is_one_principal_for_all() {
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
