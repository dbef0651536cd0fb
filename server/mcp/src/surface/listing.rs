//! Tools as they are sent to a client, and what they cost it.

use serde_json::Value;
use tokio::sync::{Mutex, OnceCell};

use super::descriptor::ToolDescriptor;
use super::flat;
use crate::tokens;
use toolwrit_core::policy::Policy;

/// A list of tools.
#[derive(Debug)]
pub struct Listing {
    descriptors: Vec<ToolDescriptor>,
    tokens: OnceCell<Option<u64>>,
}

impl Listing {
    pub(crate) fn new(descriptors: Vec<ToolDescriptor>) -> Self {
        Self { descriptors, tokens: OnceCell::new() }
    }

    /// Every operation that the policy shows, each as a tool.
    pub(crate) fn full(policy: &Policy) -> Self {
        Self::new(flat::tools(policy).into_iter().filter_map(|tool| tool.descriptor).collect())
    }

    /// The tools, in their order.
    pub fn descriptors(&self) -> &[ToolDescriptor] {
        &self.descriptors
    }

    /// The array of tools in `tools/list`.
    pub fn to_json(&self) -> Value {
        self.descriptors.iter().map(ToolDescriptor::to_json).collect()
    }

    /// What the array costs in o200k tokens, counted once, on a thread that may block; none where the
    /// program was built without the vocabulary.
    pub(crate) async fn tokens(&self) -> Option<u64> {
        if cfg!(not(feature = "tokens")) {
            return None;
        }
        let count = async || {
            let text = self.to_json().to_string();
            let counted = tokio::task::spawn_blocking(move || tokens::count(&text)).await;
            // A panic in it is in the log already.
            counted.ok().flatten().map(|tokens| tokens as u64)
        };
        *self.tokens.get_or_init(count).await
    }
}

/// What the full listing costs in o200k tokens, counted once for each version of the policy.
#[derive(Debug, Default)]
pub(crate) struct FullCost(Mutex<Option<(u64, Option<u64>)>>);

impl FullCost {
    pub(crate) async fn of(&self, policy: &Policy) -> Option<u64> {
        let version = policy.version();
        let mut kept = self.0.lock().await;
        match *kept {
            Some((of, tokens)) if of == version => tokens,
            _ => {
                let tokens = Listing::full(policy).tokens().await;
                *kept = Some((version, tokens));
                tokens
            }
        }
    }
}
