//! Lists of tools with all their fields. rmcp drops the fields that it does not know, and a lock file must have them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::TxJsonRpcMessage;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The list of tools that a connection waits for, one at a time. Its transport hears the answer before rmcp does.
#[derive(Clone, Default)]
pub(crate) struct WholeList(Arc<Mutex<Option<Awaited>>>);

struct Awaited {
    request: RequestId,
    result: Option<Box<RawValue>>,
}

/// An answer to a request.
#[derive(Deserialize)]
struct Answer {
    id: RequestId,
    result: Box<RawValue>,
}

#[derive(Deserialize)]
struct Page {
    tools: Vec<Map<String, Value>>,
}

/// Forgets the list when it is dropped, however its request has ended.
pub(crate) struct Waiting<'a>(&'a WholeList);

impl WholeList {
    /// Waits for a list.
    pub(crate) fn wait(&self) -> Waiting<'_> {
        Waiting(self)
    }

    /// Hears the answer to this message if it asks for a list. A message that is sent again has the same answer.
    pub(crate) fn sent(&self, message: &TxJsonRpcMessage<RoleClient>) {
        let Some(request) = request(message) else { return };
        let mut awaited = self.lock();
        if awaited.as_ref().is_none_or(|own| own.request != *request) {
            *awaited = Some(Awaited { request: request.clone(), result: None });
        }
    }

    /// Keeps a message if it is the first answer to the request for the list.
    pub(crate) fn heard(&self, message: &[u8]) {
        let mut awaited = self.lock();
        let Some(awaited) = awaited.as_mut().filter(|own| own.result.is_none()) else { return };
        if let Ok(answer) = serde_json::from_slice::<Answer>(message)
            // Some servers answer `"5"` to the request `5`, which rmcp accepts.
            && answer.id.to_string() == awaited.request.to_string()
        {
            awaited.result = Some(answer.result);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Awaited>> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting<'_> {
    /// The tools in the answer, which rmcp has accepted.
    pub(crate) fn tools(&self) -> Option<Vec<Map<String, Value>>> {
        let result = self.0.lock().take()?.result?;
        let page: Page = serde_json::from_str(result.get()).ok()?;
        Some(page.tools)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
    }
}

/// The id of a request for a list of tools.
pub(crate) fn request(message: &TxJsonRpcMessage<RoleClient>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Request(own) => {
            matches!(own.request, ClientRequest::ListToolsRequest(_)).then_some(&own.id)
        }
        _ => None,
    }
}
