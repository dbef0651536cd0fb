//! A transport that says when it was last heard, and when it has ended. It masks secrets in all messages, and passes progress
//! on in order, so that none comes after the answer of its call. An upstream that starts slowly may answer `server/discover`
//! only after `initialize` was sent instead; that answer is not passed on, because the protocol would end with it.
//! An error without an id ends the only request that has no answer yet.

use std::borrow::Cow;

use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, JsonRpcMessage, JsonRpcNotification, RequestId, ServerNotification,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

use super::answer::{answered, failed};
use super::handler::Handler;
use super::session::Heard;
use super::unanswered::Unanswered;
use crate::written::{to_json, to_json_text};

/// The transport of a session.
pub(super) struct Watched<T> {
    inner: T,
    handler: Handler,
    ended: CancellationToken,
    heard: Heard,
    /// The id of `initialize`, once it is sent. Answers to earlier requests come too late.
    first: Option<i64>,
    unanswered: Unanswered,
}

impl<T> Watched<T> {
    pub(super) fn new(inner: T, handler: Handler, ended: CancellationToken, heard: Heard) -> Self {
        Self { inner, handler, ended, heard, first: None, unanswered: Unanswered::default() }
    }

    fn is_late(&self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        let id = answered(message);
        matches!((id, self.first), (Some(RequestId::Number(id)), Some(first)) if *id < first)
    }

    /// Returns a message without the secrets with which the upstream is reached; `None` if nothing is left of it.
    fn masked(
        &self,
        message: RxJsonRpcMessage<RoleClient>,
    ) -> Option<RxJsonRpcMessage<RoleClient>> {
        let secrets = &self.handler.secrets;
        if secrets.is_empty() {
            return Some(message);
        }
        if !secrets.are_in(to_json_text(&message).as_bytes()) {
            return Some(message);
        }
        let masked = serde_json::from_value(secrets.mask_value(to_json(&message))).ok();
        // A secret may have the name of a field.
        masked.or_else(|| {
            Some(failed(answered(&message)?.clone(), "its answer has a secret of this server"))
        })
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item
            && let (ClientRequest::InitializeRequest(_), RequestId::Number(id)) =
                (&request.request, &request.id)
        {
            self.first = Some(*id);
        }
        self.unanswered.sent(&item);
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.ended.cancel();
                return None;
            };
            self.heard.now();
            let message = self.unanswered.addressed(message);
            match self.masked(message) {
                Some(JsonRpcMessage::Notification(JsonRpcNotification {
                    notification: ServerNotification::ProgressNotification(progress),
                    ..
                })) => self.handler.progressed(progress.params),
                Some(message) if !self.is_late(&message) => return Some(message),
                _ => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

impl<T> Drop for Watched<T> {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io;
    use std::sync::Arc;

    use rmcp::model::{ErrorData, InitializeRequest, PingRequest};

    use super::*;
    use crate::model::{Command, Definition, Endpoint};

    /// Receives these messages.
    struct Scripted(VecDeque<RxJsonRpcMessage<RoleClient>>);

    impl Transport<RoleClient> for Scripted {
        type Error = io::Error;

        fn send(
            &mut self,
            _: TxJsonRpcMessage<RoleClient>,
        ) -> impl Future<Output = io::Result<()>> + Send + 'static {
            std::future::ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
            self.0.pop_front()
        }

        async fn close(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn an_answer_to_what_was_asked_before_initialize_comes_too_late() {
        let error = |id| {
            let error = ErrorData::internal_error("no", None);
            JsonRpcMessage::error(error, Some(RequestId::Number(id)))
        };
        let inner = Scripted([error(0), error(0), error(1), error(2)].into());
        let program = Endpoint::Command(Command::new("program", [""; 0]));
        let handler = Handler::new(
            &Definition::new("one", program),
            Arc::default(),
            crate::speech::Speech::default(),
        );
        let mut watched = Watched::new(inner, handler, CancellationToken::new(), Heard::default());
        let ping = ClientRequest::PingRequest(PingRequest::default());
        watched.send(JsonRpcMessage::request(ping, RequestId::Number(0))).await.unwrap();
        let id = |message: Option<RxJsonRpcMessage<RoleClient>>| match message {
            Some(JsonRpcMessage::Error(error)) => error.id,
            _ => None,
        };
        assert_eq!(id(watched.receive().await), Some(RequestId::Number(0)));
        let initialize = ClientRequest::InitializeRequest(InitializeRequest::default());
        watched.send(JsonRpcMessage::request(initialize, RequestId::Number(1))).await.unwrap();
        assert_eq!(id(watched.receive().await), Some(RequestId::Number(1)));
        assert_eq!(id(watched.receive().await), Some(RequestId::Number(2)));
        assert_eq!(id(watched.receive().await), None);
    }
}
