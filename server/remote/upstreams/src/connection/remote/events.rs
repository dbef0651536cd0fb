//! The transport of the first version of MCP, 2024-11-05: the server sends its messages as events of one stream, the first
//! of which says where messages to it are posted.

use std::collections::HashMap;
use std::time::Duration;

use futures::StreamExt as _;
use reqwest::Url;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::SseEvents;
use super::client::Client;
use super::error::HttpError;
use crate::connection::answer::read;

/// How long the first event may take. A server of a later version may open a stream, and send no such event.
const PATIENCE: Duration = Duration::from_secs(5);

/// A stream of events, and where messages are posted.
pub(in crate::connection) struct Events {
    client: Client,
    endpoint: Url,
    stream: SseEvents,
}

impl Events {
    /// Opens the stream; `None` if the server offers none with such an event.
    ///
    /// # Errors
    /// If messages would leave the server.
    pub(in crate::connection) async fn open(client: Client) -> Result<Option<Self>, String> {
        let begun = tokio::time::timeout(PATIENCE, begin(&client)).await;
        let Ok(Some((stream, endpoint))) = begun else { return Ok(None) };
        let endpoint = client.url().join(endpoint.trim()).ok();
        // The headers with credentials go to the server of the operator only.
        let endpoint = endpoint.filter(|found| found.origin() == client.url().origin());
        match endpoint {
            Some(endpoint) => Ok(Some(Self { client, endpoint, stream })),
            None => Err("It wants messages at an address of another server.".to_owned()),
        }
    }
}

/// Returns the stream after its first event, and the data of that.
async fn begin(client: &Client) -> Option<(SseEvents, String)> {
    let opened = client.stream(client.url().as_str(), None, None, HashMap::default());
    let mut stream = opened.await.ok()?;
    while let Some(Ok(event)) = stream.next().await {
        if event.event.as_deref() == Some("endpoint") {
            return Some((stream, event.data?));
        }
    }
    None
}

impl Transport<RoleClient> for Events {
    type Error = HttpError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), HttpError>> + Send + 'static {
        let (client, endpoint) = (self.client.clone(), self.endpoint.clone());
        client.whole().sent(&message);
        async move { client.post(&endpoint, &message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let event = self.stream.next().await?.ok()?;
            let is_message = event.event.as_deref().is_none_or(|kind| kind == "message");
            let Some(data) = event.data.filter(|_| is_message) else { continue };
            // An event that is no message is ignored, as a line is.
            if let Some(message) = read(data.as_bytes()) {
                self.client.whole().heard(data.as_bytes());
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), HttpError> {
        self.stream = futures::stream::empty().boxed();
        Ok(())
    }
}
