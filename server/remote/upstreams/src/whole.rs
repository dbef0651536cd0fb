//! Lists of tools with all their fields. rmcp drops the fields that it does not know, and a lock file must have them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::TxJsonRpcMessage;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwrit_text::Secrets;

/// The list of tools that a connection expects, one at a time. Its transport hears the answer.
#[derive(Clone, Default)]
pub(crate) struct WholeList {
    awaited: Arc<Mutex<Option<Awaited>>>,
    secrets: Secrets,
}

#[derive(Default)]
struct Awaited {
    /// Its request, once that is sent.
    request: Option<RequestId>,
    /// The result in the first answer.
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
    tools: Vec<Value>,
}

/// Expects a list until it is dropped, however the request for it has ended.
pub(crate) struct Expected<'a>(&'a WholeList);

impl WholeList {
    /// Masks these secrets in the list.
    pub(crate) fn new(secrets: Secrets) -> Self {
        Self { awaited: Arc::default(), secrets }
    }

    /// Expects a list.
    pub(crate) fn expect(&self) -> Expected<'_> {
        *self.lock() = Some(Awaited::default());
        Expected(self)
    }

    /// Hears the answer to this message if it asks for a list that is expected.
    pub(crate) fn sent(&self, message: &TxJsonRpcMessage<RoleClient>) {
        let Some(request) = request(message) else { return };
        if let Some(awaited) = self.lock().as_mut().filter(|awaited| awaited.request.is_none()) {
            awaited.request = Some(request.clone());
        }
    }

    /// Keeps a message if it is the first answer to the request for the list.
    pub(crate) fn heard(&self, message: &[u8]) {
        let mut awaited = self.lock();
        let Some(awaited) = awaited.as_mut().filter(|awaited| awaited.result.is_none()) else {
            return;
        };
        let Some(request) = &awaited.request else { return };
        if let Ok(answer) = serde_json::from_slice::<Answer>(message)
            // Some servers answer `"5"` to the request `5`, which rmcp accepts.
            && answer.id.to_string() == request.to_string()
        {
            awaited.result = Some(answer.result);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Awaited>> {
        // No code that can panic runs under the lock.
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Expected<'_> {
    /// The tools in the answer.
    pub(crate) fn tools(self) -> Option<Vec<Map<String, Value>>> {
        let result = self.0.lock().take()?.result?;
        // What the upstream sends may be anything. rmcp reports what is no list of tools.
        let page: Page = serde_json::from_str(result.get()).ok()?;
        let masked = |tool| match self.0.secrets.mask_value(tool) {
            Value::Object(tool) => Some(tool),
            _ => None,
        };
        page.tools.into_iter().map(masked).collect()
    }
}

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
    }
}

/// The id of a request for a list of tools.
pub(crate) fn request(message: &TxJsonRpcMessage<RoleClient>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Request(request) => {
            matches!(request.request, ClientRequest::ListToolsRequest(_)).then_some(&request.id)
        }
        _ => None,
    }
}
