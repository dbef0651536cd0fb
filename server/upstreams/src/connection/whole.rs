//! Lists of tools with all their fields. rmcp drops the fields that it does not know, and a lock file must have them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::TxJsonRpcMessage;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The list of tools that a connection waits for. It waits for one at a time.
#[derive(Clone, Default)]
pub(crate) struct WholeList(Arc<Mutex<Option<Awaited>>>);

struct Awaited {
    request: RequestId,
    tools: Option<Vec<Map<String, Value>>>,
}

/// An answer to `tools/list`.
#[derive(Deserialize)]
struct Answer {
    id: RequestId,
    result: Page,
}

#[derive(Deserialize)]
struct Page {
    tools: Vec<Map<String, Value>>,
}

impl WholeList {
    /// Waits for the list if this message asks for one.
    pub(super) fn sent(&self, message: &TxJsonRpcMessage<RoleClient>) {
        if let Some(request) = request(message) {
            *self.lock() = Some(Awaited { request: request.clone(), tools: None });
        }
    }

    /// Keeps the list if this message is the first answer to the request for it.
    pub(super) fn heard(&self, message: &[u8]) {
        let mut awaited = self.lock();
        let Some(awaited) = awaited.as_mut().filter(|own| own.tools.is_none()) else { return };
        if let Ok(answer) = serde_json::from_slice::<Answer>(message)
            && answer.id == awaited.request
        {
            awaited.tools = Some(answer.result.tools);
        }
    }

    /// Takes the tools in the answer to a request.
    pub(crate) fn take(&self, request: &RequestId) -> Option<Vec<Map<String, Value>>> {
        self.lock().take_if(|own| own.request == *request)?.tools
    }

    fn lock(&self) -> MutexGuard<'_, Option<Awaited>> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The id of a request for a list of tools.
pub(super) fn request(message: &TxJsonRpcMessage<RoleClient>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Request(own) => {
            matches!(own.request, ClientRequest::ListToolsRequest(_)).then_some(&own.id)
        }
        _ => None,
    }
}
