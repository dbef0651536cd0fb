//! Asks the user of the client before a block changes something.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use gen_lsp_types::{MessageActionItem, MessageType, ShowMessageRequestParams};
use serde_json::Value;
use toolwrit_chat::conversation::{Consent, Decision, Question};
use toolwrit_chat::converse::question_text;

use crate::client::Client;

const APPROVE: &str = "Call it";
const DECLINE: &str = "Decline";

/// Asks in a message of the client. Without an answer, the call waits for one.
pub(crate) struct Asking {
    pub(crate) client: Arc<Client>,
}

impl Consent for Asking {
    fn ask(&self, question: Question) -> BoxFuture<'_, Decision> {
        async move {
            let action = |title: &str| MessageActionItem {
                title: title.to_owned(),
                ..MessageActionItem::default()
            };
            let params = ShowMessageRequestParams {
                kind: MessageType::Warning,
                message: question_text(&question),
                actions: Some(vec![action(APPROVE), action(DECLINE)]),
            };
            if !self.client.asks {
                return Decision::Later;
            }
            let answer = self.client.ask("window/showMessageRequest", &params).await;
            match answer.as_ref().map(|answer| &answer["title"]).and_then(Value::as_str) {
                Some(APPROVE) => Decision::Approve,
                Some(DECLINE) => Decision::Decline,
                _ => Decision::Later,
            }
        }
        .boxed()
    }
}
