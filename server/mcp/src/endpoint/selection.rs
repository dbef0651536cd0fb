//! Selects tools by message, category or query, for programs that choose what a model's context holds.

use super::{Endpoint, SearchQuery};
use std::sync::Arc;

use crate::discovery::NO_CONTEXT;
use crate::surface::{Listing, ToolDescriptor};
use toolwrit_core::authority::Operation;
use toolwrit_core::fault::Result;
use toolwrit_retrieval::contexts::{DetectedContext, Previous};

/// The reason if no tool matches the criteria.
const NOTHING_MATCHES: &str = "nothing_matches";

/// The criteria of a selection. Without any, every tool is selected.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Criteria {
    /// A user's message: selects the operations of the contexts detected in it.
    pub(crate) context: Option<String>,
    /// The contexts of earlier messages, with their confidences.
    #[serde(default)]
    pub(crate) previous: Previous,
    /// The name of a category.
    pub(crate) category: Option<String>,
    /// What the operations should do. The best match comes first.
    pub(crate) query: Option<String>,
    /// The user on whose behalf the program asks, for the audit record.
    pub user_id: Option<String>,
}

/// The selected tools.
pub struct Selection {
    /// The tools.
    pub listing: Arc<Listing>,
    /// How many tools there are without criteria.
    pub original: usize,
    /// The contexts detected in the message; `None` without a message.
    pub contexts: Option<Vec<DetectedContext>>,
    /// Why no tool was selected; `None` if any was.
    pub reason: Option<&'static str>,
}

impl Criteria {
    /// Whether there are any criteria.
    pub fn filter(&self) -> bool {
        self.message().is_some() || self.category.is_some() || self.query.is_some()
    }

    /// Returns the message to detect contexts in; empty if only contexts of earlier messages are given.
    fn message(&self) -> Option<&str> {
        let remembers = self.previous != Previous::default();
        self.context.as_deref().or(remembers.then_some(""))
    }
}

impl Selection {
    /// Returns the names of the contexts; `None` without a message.
    pub fn names(&self) -> Option<Vec<&str>> {
        let contexts = self.contexts.as_ref()?;
        Some(contexts.iter().map(|context| context.name.as_str()).collect())
    }
}

impl Endpoint {
    /// Selects the tools that match all criteria. Meant for the flat surface: every operation is a tool.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a category that the caller cannot see, or text that is too long.
    pub fn select(&self, criteria: &Criteria) -> Result<Selection> {
        let all = self.listing();
        if !criteria.filter() {
            let original = all.descriptors().len();
            let reason = (original == 0).then_some(NOTHING_MATCHES);
            return Ok(Selection { listing: all, original, contexts: None, reason });
        }
        let all = all.descriptors();
        let found = self.find(SearchQuery {
            query: criteria.query.as_deref(),
            category: criteria.category.as_deref(),
        })?;
        let detection = criteria.message();
        let detection = detection.map(|message| self.detect(message, &criteria.previous));
        let detection = detection.transpose()?;
        let relevant = |operation: &Operation<'_>| {
            detection.as_ref().is_none_or(|detection| {
                detection.operations.iter().any(|relevant| relevant.id == operation.id)
            })
        };
        let found = found.matches.iter().map(|found| found.operation);
        let fits = found.filter(|operation| relevant(operation));
        let descriptor =
            |operation: &Operation<'_>| all.iter().find(|c| c.name == operation.wire_name);
        let descriptors: Vec<ToolDescriptor> =
            fits.filter_map(|o| descriptor(o).cloned()).collect();
        let contexts = detection.map(|detection| detection.contexts);
        let reason = match &contexts {
            _ if !descriptors.is_empty() => None,
            Some(contexts) if contexts.is_empty() => Some(NO_CONTEXT),
            _ => Some(NOTHING_MATCHES),
        };
        Ok(Selection {
            listing: Arc::new(Listing::new(descriptors)),
            original: all.len(),
            contexts,
            reason,
        })
    }
}
