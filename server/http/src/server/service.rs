//! What a request passes before it is answered, in order. Functions that call each other
//! rather than layers around a router: a router copies all layers for every request.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::http::header::ORIGIN;
use axum::response::{IntoResponse as _, Response};
use tower::{Layer as _, ServiceExt as _, service_fn};

use super::access::Gate;
use super::connections::RequestHandler;
use super::cors;
use super::mcp::{self, HttpState};
use super::origin::Sources;
use super::places::Place;

/// The way in. Cheap to clone.
#[derive(Clone)]
pub(super) struct RequestService(Arc<Stations>);

struct Stations {
    sources: Sources,
    gate: Arc<Gate>,
    /// None where no MCP is served.
    state: Option<Arc<HttpState>>,
    /// Every path besides MCP.
    routes: Router,
}

impl RequestService {
    pub(super) fn new(
        sources: Sources,
        gate: Arc<Gate>,
        state: Option<Arc<HttpState>>,
        routes: Router,
    ) -> Self {
        Self(Arc::new(Stations { sources, gate, state, routes }))
    }

    /// Where it was sent, and from which page.
    pub(super) async fn pass(self, request: Request, place: Place) -> Result<Response, Infallible> {
        if let Err(refusal) = self.0.sources.check(&request) {
            return Ok(refusal.into_response());
        }
        // Only pages ask before they send, and need to be told what they may do.
        let is_of_page =
            request.method() == Method::OPTIONS || request.headers().contains_key(ORIGIN);
        if !is_of_page {
            return self.known(request, place).await;
        }
        let known = service_fn(move |request| self.clone().known(request, place.clone()));
        Box::pin(cors::layer().layer(known).oneshot(request)).await
    }

    /// Identifies the sender, and passes the request on.
    async fn known(self, request: Request, place: Place) -> Result<Response, Infallible> {
        let request = match self.0.gate.check(request, &place).await {
            Ok(request) => request,
            Err(refusal) => return Ok(refusal.into_response()),
        };
        if let Some(state) = &self.0.state
            && mcp::is_here(request.uri().path())
        {
            return Ok(mcp::handle(state, request, &place).await.into_response());
        }
        Box::pin(self.0.routes.clone().oneshot(request)).await
    }
}

impl RequestHandler for RequestService {
    async fn answer(self, request: Request, place: Place) -> Result<Response, Infallible> {
        self.pass(request, place).await
    }
}
