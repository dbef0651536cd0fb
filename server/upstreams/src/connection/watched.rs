//! A transport that says when it was last heard, and when it has ended. It passes progress on in order, so that none comes
//! after the answer of its call.

use std::borrow::Cow;

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, JsonRpcNotification, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

use super::handler::Handler;
use super::session::Heard;

/// The transport of a session.
pub(super) struct Watched<T> {
    inner: T,
    handler: Handler,
    ended: CancellationToken,
    heard: Heard,
}

impl<T> Watched<T> {
    pub(super) fn new(inner: T, handler: Handler, ended: CancellationToken, heard: Heard) -> Self {
        Self { inner, handler, ended, heard }
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
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = self.inner.receive().await;
            match message {
                Some(JsonRpcMessage::Notification(JsonRpcNotification {
                    notification: ServerNotification::ProgressNotification(progress),
                    ..
                })) => {
                    self.heard.now();
                    self.handler.progressed(progress.params);
                }
                Some(message) => {
                    self.heard.now();
                    return Some(message);
                }
                None => {
                    self.ended.cancel();
                    return None;
                }
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
