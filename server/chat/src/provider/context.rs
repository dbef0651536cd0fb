//! Whether a conversation fits into the context of its model. Some servers leave out the beginning of what is longer, with the
//! descriptions of the tools, and say nothing.

use serde_json::Value;

use super::dialect::Dialect;
use super::failure::Failure;
use super::model::{Message, ModelError};
use super::remote::RemoteModel;

/// Bytes of a request for each token: in few texts a token has more than the first, and in few it has less than the second.
const MOST_BYTES: usize = 6;
const LEAST_BYTES: usize = 3;
/// Tokens of an answer for which there is room.
const ANSWER: u32 = 2048;
/// The tokens for which Ollama makes room if nothing is said.
const USUAL_OF_OLLAMA: u32 = 4096;

impl RemoteModel {
    /// The tokens for which the provider is told to make room; `None` if it decides.
    ///
    /// # Errors
    /// If the conversation certainly does not fit.
    pub(super) async fn find_context(
        &self,
        messages: &[Message],
        tools: &Value,
    ) -> Result<Option<u32>, ModelError> {
        let bytes = messages.iter().map(size).sum::<usize>() + tools.to_string().len();
        let tokens = |of_token: usize| u32::try_from(bytes / of_token).unwrap_or(u32::MAX);
        let (least, most) = (tokens(MOST_BYTES), tokens(LEAST_BYTES));
        let needed = most.saturating_add(self.options.max_tokens.unwrap_or(ANSWER));
        let is_asked = self.options.dialect == Dialect::Ollama && needed > USUAL_OF_OLLAMA;
        let context = match self.options.context {
            None if is_asked => self.asked_context().await,
            context => context,
        };
        match context {
            Some(context) if least > context => {
                Err(self.to_model_error(&Failure::TooLong { tokens: least, context }))
            }
            _ if self.options.context.is_some() || !is_asked => Ok(context),
            // Steps, because the server loads the model again for each other number.
            context => Ok(Some(
                needed
                    .checked_next_power_of_two()
                    .unwrap_or(u32::MAX)
                    .min(context.unwrap_or(u32::MAX)),
            )),
        }
    }

    /// The context of the model, as its server describes it.
    async fn asked_context(&self) -> Option<u32> {
        let ask = async || {
            let described = self.described_context(&self.options.model).await.ok().flatten();
            described.and_then(|context| u32::try_from(context).ok())
        };
        *self.context.get_or_init(ask).await
    }
}

/// The bytes of a message, without images.
fn size(message: &Message) -> usize {
    match message {
        Message::User { text, .. } => text.len(),
        Message::Assistant { text, calls, .. } => {
            let calls = calls.iter().map(|call| call.name.len() + call.arguments.to_string().len());
            text.len() + calls.sum::<usize>()
        }
        Message::Results(results) => results.iter().map(|result| result.text.len()).sum(),
    }
}
