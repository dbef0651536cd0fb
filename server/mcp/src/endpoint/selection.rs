//! Some of the tools, for programs that ask before they fill a model's context: those that a message
//! needs, of a category, or that fit a query.

use super::{Endpoint, SearchQuery};
use std::sync::Arc;

use crate::discovery::NO_CONTEXT;
use crate::surface::{Listing, ToolDescriptor};
use toolwrit_core::authority::Operation;
use toolwrit_core::fault::Result;
use toolwrit_retrieval::contexts::{DetectedContext, Previous};

/// Why nothing is selected where there are criteria, but no tool fits them.
const NOTHING_MATCHES: &str = "nothing_matches";

/// What to select by; nothing selects everything.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Criteria {
    /// A user's message: operations of the contexts that it speaks of.
    pub(crate) context: Option<String>,
    /// What earlier messages were about.
    #[serde(default)]
    pub(crate) previous: Previous,
    /// A category's name.
    pub(crate) category: Option<String>,
    /// What the operation should do: best first.
    pub(crate) query: Option<String>,
    /// The user on whose behalf the program asks, for the record.
    pub user_id: Option<String>,
}

/// The tools that fit.
pub struct Selection {
    /// The tools.
    pub listing: Arc<Listing>,
    /// How many there are without criteria.
    pub original: usize,
    /// The contexts that the message speaks of, when there was one.
    pub contexts: Option<Vec<DetectedContext>>,
    /// Why nothing was selected.
    pub reason: Option<&'static str>,
}

impl Criteria {
    /// Whether anything may be left out.
    pub fn filter(&self) -> bool {
        self.message().is_some() || self.category.is_some() || self.query.is_some()
    }

    /// The message to look for contexts in; what was said before counts also when nothing is said now.
    fn message(&self) -> Option<&str> {
        let remembers = self.previous != Previous::default();
        self.context.as_deref().or(remembers.then_some(""))
    }
}

impl Selection {
    /// The names of the contexts, when there was a message.
    pub fn names(&self) -> Option<Vec<&str>> {
        let contexts = self.contexts.as_ref()?;
        Some(contexts.iter().map(|context| context.name.as_str()).collect())
    }
}

impl Endpoint {
    /// The tools that fit all criteria. Meant for the flat surface, where every operation is a tool.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a category that the caller cannot see, and for text that is too long.
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
