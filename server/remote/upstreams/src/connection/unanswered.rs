//! The requests of a connection that have no answer yet. An error without an id belongs to the only one.

use rmcp::RoleClient;
use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};

use super::answer::{answered, is_id_of};

/// The requests that have no answer yet.
#[derive(Debug, Default)]
pub(super) struct Unanswered {
    requests: Vec<RequestId>,
    /// Whether a message was sent that is no request, and to which an error without an id may belong.
    has_others: bool,
}

impl Unanswered {
    /// Remembers a message that is sent.
    pub(super) fn sent(&mut self, message: &TxJsonRpcMessage<RoleClient>) {
        match message {
            // Its answer is the end of the subscription.
            JsonRpcMessage::Request(request)
                if matches!(request.request, ClientRequest::SubscriptionsListenRequest(_)) => {}
            JsonRpcMessage::Request(request) => {
                if matches!(request.request, ClientRequest::InitializeRequest(_)) {
                    // What was asked before is given up.
                    self.requests.clear();
                }
                self.requests.push(request.id.clone());
            }
            other => {
                self.has_others = true;
                if let JsonRpcMessage::Notification(notification) = other
                    && let ClientNotification::CancelledNotification(cancelled) =
                        &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.forget(id);
                }
            }
        }
    }

    /// Returns a message that was received. An error without an id is one of the only request.
    pub(super) fn addressed(
        &mut self,
        message: RxJsonRpcMessage<RoleClient>,
    ) -> RxJsonRpcMessage<RoleClient> {
        match (message, self.only()) {
            (JsonRpcMessage::Error(error), Some(only)) if error.id.is_none() => {
                self.received(JsonRpcMessage::error(error.error, Some(only)))
            }
            (message, _) => self.received(message),
        }
    }

    fn received(&mut self, message: RxJsonRpcMessage<RoleClient>) -> RxJsonRpcMessage<RoleClient> {
        if let Some(id) = answered(&message) {
            self.forget(id);
            // What was sent before is answered, too.
            self.has_others &= !self.requests.is_empty();
        }
        message
    }

    fn forget(&mut self, request: &RequestId) {
        self.requests.retain(|known| !is_id_of(request, known));
    }

    fn only(&self) -> Option<RequestId> {
        match &self.requests[..] {
            [only] if !self.has_others => Some(only.clone()),
            _ => None,
        }
    }
}
