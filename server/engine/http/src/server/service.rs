//! The checks that a request passes before it is answered, in order. They are functions instead of layers
//! around a router, because a router clones all layers for each request.

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
use super::origin::AllowedSources;
#[cfg(feature = "docs")]
use super::refusal_page::BrowserRequest;
use super::slots::ConnectionSlot;

/// The entry point of all requests. Cheap to clone.
#[derive(Clone)]
pub(super) struct RequestService(Arc<Layers>);

struct Layers {
    sources: AllowedSources,
    gate: Arc<Gate>,
    /// `None` if MCP is not served.
    state: Option<Arc<HttpState>>,
    /// All paths except MCP.
    routes: Router,
}

impl RequestService {
    pub(super) fn new(
        sources: AllowedSources,
        gate: Arc<Gate>,
        state: Option<Arc<HttpState>>,
        routes: Router,
    ) -> Self {
        Self(Arc::new(Layers { sources, gate, state, routes }))
    }

    /// Checks host and origin, adds CORS headers if a page asks, and answers the request.
    pub(super) async fn handle(
        self,
        request: Request,
        slot: ConnectionSlot,
    ) -> Result<Response, Infallible> {
        if let Err(refusal) = self.0.sources.check(&request) {
            return Ok(refusal.into_response());
        }
        // Only browsers send preflight requests and origins, and need CORS headers.
        let is_of_page =
            request.method() == Method::OPTIONS || request.headers().contains_key(ORIGIN);
        if !is_of_page {
            return self.answer_sender(request, slot).await;
        }
        let answer_sender =
            service_fn(move |request| self.clone().answer_sender(request, slot.clone()));
        Box::pin(cors::layer().layer(answer_sender).oneshot(request)).await
    }

    /// Identifies the sender, and routes the request. Browsers get a refusal as a page.
    #[cfg(feature = "docs")]
    async fn answer_sender(
        self,
        request: Request,
        slot: ConnectionSlot,
    ) -> Result<Response, Infallible> {
        let signs_in = cfg!(feature = "browser") && self.0.state.is_some();
        let browser = BrowserRequest::from_request(&request, signs_in);
        let response = self.identify_and_route(request, slot).await?;
        Ok(match browser {
            Some(browser) => browser.render_refusal(response),
            None => response,
        })
    }

    /// Identifies the sender, and routes the request.
    #[cfg(not(feature = "docs"))]
    async fn answer_sender(
        self,
        request: Request,
        slot: ConnectionSlot,
    ) -> Result<Response, Infallible> {
        self.identify_and_route(request, slot).await
    }

    async fn identify_and_route(
        self,
        request: Request,
        slot: ConnectionSlot,
    ) -> Result<Response, Infallible> {
        #[cfg_attr(not(feature = "browser"), expect(unused_mut, reason = "no route reads a body"))]
        let mut request = match self.0.gate.check(request, &slot).await {
            Ok(request) => request,
            Err(refusal) => return Ok(refusal.into_response()),
        };
        if let Some(state) = &self.0.state
            && mcp::is_here(request.uri().path())
        {
            return Ok(mcp::handle(state, request, &slot).await.into_response());
        }
        #[cfg(feature = "browser")]
        request.extensions_mut().insert(slot);
        Box::pin(self.0.routes.clone().oneshot(request)).await
    }
}

impl RequestHandler for RequestService {
    async fn answer(self, request: Request, slot: ConnectionSlot) -> Result<Response, Infallible> {
        self.handle(request, slot).await
    }
}
