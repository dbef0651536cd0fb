//! Selects tools by context, category or query, for programs that choose what a model's context holds.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::search::NOTHING_MATCHES;
use super::{Endpoint, SearchQuery};
use crate::discovery::{Detection, NO_CONTEXT, contexts_of, reduction_percent};
use crate::surface::{Listing, ToolDescriptor};
use toolwrit_core::authority::{Effect, Operation};
use toolwrit_core::fault::Result;
use toolwrit_retrieval::contexts::{DetectedContext, Previous};
use toolwrit_retrieval::{VerbClass, Verbs};

/// The criteria of a selection. Without any, no tool is selected.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Criteria {
    /// Names of contexts, separated by commas; or a user's message, in which contexts are detected. Selects
    /// the operations of the contexts.
    pub(crate) context: Option<String>,
    /// The contexts of earlier messages, with their confidences.
    #[serde(default)]
    pub(crate) previous: Previous,
    /// The name of a category.
    pub(crate) category: Option<String>,
    /// What the operations should do. The best match comes first.
    pub(crate) query: Option<String>,
    /// The user on whose behalf the program asks, for the audit record and the costs of listings.
    pub user_id: Option<String>,
}

/// The selected tools.
pub struct Selection<'a> {
    /// The tools.
    pub listing: Arc<Listing>,
    /// The operations of each tool: one, or those of a merged tool.
    operations: Vec<Vec<&'a Operation>>,
    endpoint: &'a Endpoint,
    /// How many tools there are to select from; 0 without criteria, or without a context in a message.
    pub original: usize,
    /// The contexts named or detected; `None` without any and without a message.
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

impl Selection<'_> {
    /// Whether tools were selected by criteria; not if a message has no context.
    pub fn is_filtered(&self) -> bool {
        self.reason != Some(NO_CONTEXT)
    }

    /// How many percent fewer tools there are than to select from, rounded.
    pub fn reduction_percent(&self) -> usize {
        reduction_percent(self.original, self.listing.descriptors().len())
    }

    /// The tools as JSON: as in `tools/list`, each with the names of its contexts and categories.
    pub fn tools(&self) -> Value {
        let tables = self.endpoint.tables();
        let tool = |(descriptor, operations): (&ToolDescriptor, &Vec<&Operation>)| {
            let mut tool = descriptor.to_json();
            let contexts = operations.iter().flat_map(|operation| contexts_of(tables, operation));
            let mut known = HashSet::new();
            tool["contexts"] = contexts.filter(|context| known.insert(*context)).collect();
            let mut categories: Vec<&str> = Vec::new();
            for operation in operations {
                for name in [tables.category_of(operation).name.as_str(), deed(operation)] {
                    if !categories.contains(&name) {
                        categories.push(name);
                    }
                }
            }
            tool["categories"] = categories.into();
            tool
        };
        self.listing.descriptors().iter().zip(&self.operations).map(tool).collect()
    }
}

/// What an operation does, in a word for people.
fn deed(operation: &Operation) -> &'static str {
    match (operation.effect, Verbs::shipped().class_of(&operation.name)) {
        (Effect::Read, _) => "retrieval",
        (Effect::Destroy, _) => "deletion",
        (Effect::Write, Some(VerbClass::Create)) => "creation",
        (Effect::Write, _) => "modification",
    }
}

impl Endpoint {
    /// Selects the tools that match all criteria. Meant for the flat surface: every operation is a tool.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a category that the caller cannot see, or text that is too long.
    pub fn select(&self, criteria: &Criteria) -> Result<Selection<'_>> {
        if !criteria.filter() {
            return Ok(Selection {
                listing: Arc::new(Listing::new(Vec::new())),
                operations: Vec::new(),
                endpoint: self,
                original: 0,
                contexts: None,
                reason: Some(NO_CONTEXT),
            });
        }
        let found = self.find(SearchQuery {
            query: criteria.query.as_deref(),
            category: criteria.category.as_deref(),
        })?;
        let detection = criteria.message().map(|message| self.applied(message, &criteria.previous));
        let detection = detection.transpose()?;
        let relevant = |operation: &Operation| {
            detection.as_ref().is_none_or(|detection| {
                detection.operations.iter().any(|relevant| relevant.id == operation.id)
            })
        };
        let found = found.found.iter().map(|found| found.operation);
        let all = self.listing();
        let (descriptors, operations): (Vec<ToolDescriptor>, Vec<_>) = self
            .by_tool(found.filter(|operation| relevant(operation)))
            .into_iter()
            .filter_map(|operations| Some((self.tool_of(&operations, &all)?, operations)))
            .unzip();
        let contexts = detection.map(|detection| detection.contexts);
        let reason = match &contexts {
            _ if !descriptors.is_empty() => None,
            Some(contexts) if contexts.is_empty() => Some(NO_CONTEXT),
            _ => Some(NOTHING_MATCHES),
        };
        let original = if reason == Some(NO_CONTEXT) { 0 } else { all.descriptors().len() };
        Ok(Selection {
            listing: Arc::new(Listing::new(descriptors)),
            operations,
            endpoint: self,
            original,
            contexts,
            reason,
        })
    }

    /// Returns the operations of each tool: each alone, and those of a merged tool together.
    fn by_tool<'a>(
        &'a self,
        operations: impl Iterator<Item = &'a Operation>,
    ) -> Vec<Vec<&'a Operation>> {
        let merged = |operation: &Operation| {
            self.tables().merged_tool_of(operation).map(|(tool, _)| &tool.name)
        };
        let mut tools: Vec<Vec<&Operation>> = Vec::new();
        for operation in operations {
            let name = merged(operation);
            let same = |tool: &&mut Vec<&Operation>| name.is_some() && merged(tool[0]) == name;
            match tools.iter_mut().find(same) {
                Some(tool) => tool.push(operation),
                None => tools.push(vec![operation]),
            }
        }
        tools
    }

    /// Returns the tool of an operation as listed, or a merged tool for these operations.
    fn tool_of(&self, operations: &[&Operation], all: &Listing) -> Option<ToolDescriptor> {
        let first = operations.first()?;
        match self.tables().merged_tool_of(first) {
            Some((tool, _)) => self.surface.merged(self.tables(), tool, operations),
            None => all.descriptors().iter().find(|tool| tool.name == first.wire_name).cloned(),
        }
    }

    /// Returns the contexts that a text names, or else those detected in it as a message.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` if the text is too long.
    fn applied(&self, text: &str, previous: &Previous) -> Result<Detection<'_>> {
        let named = self.named_contexts(text)?;
        if named.contexts.is_empty() { self.detect(text, previous) } else { Ok(named) }
    }
}
