//! Whether an upstream has received a request. If it has not, the request may be sent again.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{Extensions, GetExtensions as _, JsonRpcMessage};
use rmcp::service::TxJsonRpcMessage;
use tokio::sync::watch;

/// How long it may take to know after the connection has ended.
const PATIENCE: Duration = Duration::from_secs(1);

/// Goes with a request to its transport. It is not on the wire.
#[derive(Debug, Clone)]
pub(super) struct Receipt(Arc<watch::Sender<bool>>);

/// Knows whether a request was delivered.
#[derive(Debug)]
pub(crate) struct Delivery(watch::Receiver<bool>);

impl Delivery {
    /// Adds a receipt to a request.
    pub(super) fn track(extensions: &mut Extensions) -> Self {
        let (sender, receiver) = watch::channel(false);
        extensions.insert(Receipt(Arc::new(sender)));
        Self(receiver)
    }

    /// A request whose transport does not tell, so that it may have been delivered.
    pub(super) fn unknown() -> Self {
        Self(watch::channel(true).1)
    }

    /// Whether the request may have been delivered, after the connection has ended.
    pub(crate) async fn is_possible(&mut self) -> bool {
        let delivered = self.0.wait_for(|delivered| *delivered);
        // Without a sender the request was dropped before it was delivered.
        tokio::time::timeout(PATIENCE, delivered).await.map_or(true, |delivered| delivered.is_ok())
    }
}

/// Returns the receipt of a request.
pub(super) fn receipt(message: &TxJsonRpcMessage<RoleClient>) -> Option<Receipt> {
    let JsonRpcMessage::Request(request) = message else { return None };
    request.request.extensions().get::<Receipt>().cloned()
}

impl Receipt {
    /// The whole request is on its way.
    pub(super) fn sign(&self) {
        self.0.send_replace(true);
    }
}
