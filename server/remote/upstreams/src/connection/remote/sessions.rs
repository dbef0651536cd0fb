//! Sessions that the server no longer knows, for example because it was started again. rmcp begins another one.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reqwest::StatusCode;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};

use crate::connection::renewals::{Renewals, Repeatable};
use crate::own_errors::FORGOTTEN;

/// What is known of the sessions of a connection.
#[derive(Clone)]
pub(super) struct Sessions {
    state: Arc<Mutex<State>>,
    renewals: Renewals,
}

#[derive(Default)]
struct State {
    /// The session of the last message.
    current: Option<Arc<str>>,
    /// A session that the server does not know, and that is still the current one.
    forgotten: Option<Arc<str>>,
    /// The requests that are sent once more, in another session.
    repeated: HashSet<RequestId>,
    /// Each open stream of a session has a clone.
    streams: Arc<()>,
}

impl Sessions {
    pub(super) fn new(renewals: Renewals) -> Self {
        Self { state: Arc::default(), renewals }
    }

    /// Counts a stream as open until this is dropped.
    pub(super) fn stream(&self) -> Arc<()> {
        self.lock().streams.clone()
    }

    /// Whether a stream is open, on which answers may come.
    pub(super) fn has_stream(&self) -> bool {
        Arc::strong_count(&self.lock().streams) > 1
    }

    /// Whether a message can be sent in a session: the server has not said that it does not know it.
    pub(super) fn admit(&self, session: &Arc<str>) -> bool {
        let mut state = self.lock();
        if state.forgotten.as_ref() == Some(session) {
            return false;
        }
        let before = state.current.replace(session.clone());
        drop(state);
        if before.is_some_and(|before| before != *session) {
            self.renewals.renewed();
        }
        true
    }

    /// Returns the answer with which a request ends that the server has refused because of its session, with this status and
    /// this answer. `None` if it is sent once more in another session. MCP has the status 404 for sessions that have ended. With
    /// another one, only a request that may be carried out twice is sent again.
    pub(super) fn refused(
        &self,
        message: &ClientJsonRpcMessage,
        session: Option<&Arc<str>>,
        status: StatusCode,
        answer: ServerJsonRpcMessage,
    ) -> Option<ServerJsonRpcMessage> {
        let JsonRpcMessage::Request(request) = message else { return Some(answer) };
        let mut state = self.lock();
        if state.repeated.remove(&request.id) {
            return Some(answer);
        }
        let may_repeat = match &request.request {
            ClientRequest::CallToolRequest(call) => call.extensions.get::<Repeatable>().is_some(),
            _ => true,
        };
        if status == StatusCode::NOT_FOUND || may_repeat {
            state.repeated.insert(request.id.clone());
            return None;
        }
        state.forgotten = session.cloned();
        let said = match answer {
            JsonRpcMessage::Error(error) => error.error.message,
            _ => status.to_string().into(),
        };
        let id = Some(request.id.clone());
        Some(JsonRpcMessage::error(ErrorData::new(FORGOTTEN, said, None), id))
    }

    /// A request has an answer.
    pub(super) fn answered(&self, message: &ClientJsonRpcMessage) {
        if let JsonRpcMessage::Request(request) = message {
            self.lock().repeated.remove(&request.id);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
