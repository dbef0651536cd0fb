//! What is sent to the client.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gen_lsp_types::{MessageType, ShowMessageParams};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::oneshot;

/// The client, as the server's threads reach it.
pub(crate) struct Client {
    send: Box<dyn Fn(Message) + Send + Sync>,
    /// Whether it shows questions to its user.
    pub(crate) asks: bool,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// The client is gone.
    is_over: bool,
    last: i32,
    answers: HashMap<RequestId, oneshot::Sender<Option<Value>>>,
}

impl Client {
    pub(crate) fn new(asks: bool, send: impl Fn(Message) + Send + Sync + 'static) -> Self {
        Self { send: Box::new(send), asks, waiting: Mutex::default() }
    }

    fn lock_waiting(&self) -> MutexGuard<'_, Waiting> {
        // No code that can panic runs under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn notify(&self, method: &str, params: impl Serialize) {
        (self.send)(Notification::new(method.to_owned(), params).into());
    }

    pub(crate) fn show_message(&self, kind: MessageType, message: String) {
        self.notify("window/showMessage", ShowMessageParams { kind, message });
    }

    pub(crate) fn answer(&self, id: RequestId, result: impl Serialize) {
        (self.send)(Response::new_ok(id, result).into());
    }

    pub(crate) fn refuse(&self, id: RequestId, code: ErrorCode, message: String) {
        (self.send)(Response::new_err(id, code as i32, message).into());
    }

    /// Asks the client. `None` if it cannot answer, or ends.
    pub(crate) async fn ask(&self, method: &str, params: impl Serialize) -> Option<Value> {
        let (sender, receiver) = oneshot::channel();
        let id = {
            let mut waiting = self.lock_waiting();
            if waiting.is_over {
                return None;
            }
            waiting.last += 1;
            let id = RequestId::from(waiting.last);
            waiting.answers.insert(id.clone(), sender);
            id
        };
        (self.send)(Request::new(id, method.to_owned(), params).into());
        receiver.await.ok().flatten()
    }

    /// Gives the answer of the client to whoever waits for it.
    pub(crate) fn handle_response(&self, response: Response) {
        let waiting = self.lock_waiting().answers.remove(&response.id);
        if let Some(waiting) = waiting {
            // Nobody may wait any more.
            let _ = waiting.send(response.response_result.ok());
        }
    }

    /// Ends all waiting for answers, because the client is gone.
    pub(crate) fn close(&self) {
        *self.lock_waiting() = Waiting { is_over: true, ..Waiting::default() };
    }
}
