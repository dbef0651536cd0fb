//! What an upstream sends by itself: progress of calls, and news of its tools. Questions to the user and to models
//! are declined, because we offer neither.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ClientConfig, Implementation, ProgressNotificationParam, ProgressToken};
use rmcp::service::NotificationContext;
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::Notify;

use crate::progress::{Progress, ProgressSink};
use crate::visible::shortened;

/// Length limit of a progress message, in characters.
const MAX_MESSAGE: usize = 500;

/// Receives what an upstream sends by itself.
#[derive(Clone, Default)]
pub(crate) struct Handler {
    listeners: Arc<Mutex<HashMap<ProgressToken, Listener>>>,
    /// Held while a call is sent and its listener is added, so that no progress comes between.
    pub(crate) sending: Arc<tokio::sync::Mutex<()>>,
    pub(crate) tools_changed: Arc<Notify>,
}

/// Who wants to know the progress of a call.
struct Listener {
    sink: ProgressSink,
    last: f64,
}

/// Removes a listener when it is dropped.
pub(crate) struct Listening {
    handler: Handler,
    token: ProgressToken,
}

impl Handler {
    pub(crate) fn listen(&self, token: ProgressToken, sink: ProgressSink) -> Listening {
        let listener = Listener { sink, last: f64::NEG_INFINITY };
        self.lock().insert(token.clone(), listener);
        Listening { handler: self.clone(), token }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ProgressToken, Listener>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sink of a progress that is further than the one before. Notifications may overtake each other.
    fn sink(&self, token: &ProgressToken, progress: f64) -> Option<ProgressSink> {
        let mut listeners = self.lock();
        let listener = listeners.get_mut(token)?;
        if progress <= listener.last || progress.is_nan() {
            return None;
        }
        listener.last = progress;
        Some(listener.sink.clone())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.handler.lock().remove(&self.token);
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.client_info = Implementation::new("toolwrit", env!("CARGO_PKG_VERSION"));
        config
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        drop(self.sending.lock().await);
        if let Some(sink) = self.sink(&params.progress_token, params.progress) {
            sink(Progress {
                progress: params.progress,
                total: params.total,
                message: params.message.map(|message| shortened(&message, MAX_MESSAGE)),
            });
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }
}
