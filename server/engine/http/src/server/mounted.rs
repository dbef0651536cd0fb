//! The server as a router in another application, which owns the connections. Each request takes a slot,
//! so that requests and held bytes are bounded as in a server of its own.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use tokio_util::task::AbortOnDropHandle;

use super::refusal::Refusal;
use super::service::RequestService;
use super::sessions::Sessions;
use super::slots::{ConnectionSlot, ConnectionSlots};
use super::{HttpLimits, body};

pub(super) struct Mounted {
    service: RequestService,
    slots: Arc<ConnectionSlots>,
    sessions: Arc<Sessions>,
    /// Ends idle sessions; started by the first request.
    expiry: OnceLock<AbortOnDropHandle<()>>,
}

impl Mounted {
    pub(super) fn new(
        service: RequestService,
        limits: HttpLimits,
        sessions: Arc<Sessions>,
    ) -> Self {
        let slots = ConnectionSlots::new(limits.connections, limits.held_bytes);
        Self { service, slots, sessions, expiry: OnceLock::new() }
    }

    pub(super) fn router(self) -> Router {
        Router::new().fallback(answer).with_state(Arc::new(self))
    }
}

async fn answer(State(mounted): State<Arc<Mounted>>, request: Request) -> Response {
    mounted.expiry.get_or_init(|| {
        let sessions = mounted.sessions.clone();
        AbortOnDropHandle::new(tokio::spawn(async move { sessions.expire().await }))
    });
    // Only the application knows the peer, so all requests share one address.
    let Ok(taken) = mounted.slots.take(IpAddr::V4(Ipv4Addr::UNSPECIFIED)) else {
        return busy().into_response();
    };
    let slot = taken.slot().clone();
    let work = slot.begin(!request.body().is_end_stream());
    let answered = mounted.service.clone().handle(request, slot.clone());
    tokio::select! {
        biased;
        Ok(response) = answered => {
            if let Some(bytes) = response.body().size_hint().exact() {
                work.answers(usize::try_from(bytes).unwrap_or(usize::MAX));
            }
            response.map(|body| body::hold_until_sent(body, (work, taken)))
        }
        () = must_leave(&slot) => busy().into_response(),
    }
}

/// Completes when the request must give up its slot.
async fn must_leave(slot: &ConnectionSlot) {
    loop {
        slot.asked().await;
        if slot.leaves() {
            return;
        }
    }
}

fn busy() -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests are in flight")
        .hinting("Nothing was done. Send the request again.")
        .with(RETRY_AFTER, HeaderValue::from_static("1"))
}
