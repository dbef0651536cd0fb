//! The language models of the configuration.

use std::sync::Arc;

use toolwrit::chat::converse::Conversations;
use toolwrit::{BoxFuture, Probe, Provider, Reason, Result, Unavailable};

/// The models. Whether one answers is not asked: `doctor` does.
pub(crate) struct Models {
    missing: Option<(&'static str, &'static str)>,
}

impl Models {
    /// The models of these conversations.
    pub(crate) fn new(conversations: Option<&Arc<Conversations>>) -> Self {
        let settings = conversations.map(|conversations| conversations.settings());
        let missing = match settings {
            Some(settings) if settings.chat.enabled == Some(false) => Some((
                "Conversations are switched off.",
                "Remove `enabled = false` from [chat] in the configuration.",
            )),
            Some(settings) if !settings.models.is_empty() => None,
            _ => Some((
                "No model is configured.",
                "Add a table such as [models.writer] to the configuration, with `dialect` and `model`.",
            )),
        };
        Self { missing }
    }
}

impl Provider for Models {
    fn name(&self) -> &'static str {
        "models"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        let probe = match self.missing {
            None => Probe::Available { version: None },
            Some((message, remedy)) => {
                Probe::Unavailable(Unavailable::new(Reason::NeedsConfiguration, message, remedy))
            }
        };
        Box::pin(async { Ok(probe) })
    }
}
