//! A list of tools as it is sent to a client, and its cost.

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

    /// What a client hands its model of these tools.
    pub(crate) fn to_model_json(&self) -> Value {
        self.descriptors.iter().map(ToolDescriptor::to_model_json).collect()
    }

    /// Returns what the tools cost a model, in o200k tokens, counted once, on a blocking thread. `None` if the
    /// program was built without the feature `tokens`.
    pub(crate) async fn tokens(&self) -> Option<u64> {
        if cfg!(not(feature = "tokens")) {
            return None;
        }
        let count = async || {
            let text = self.to_model_json().to_string();
            let counted = tokio::task::spawn_blocking(move || tokens::count(&text)).await;
            // A panic has already been logged.
            counted.ok().flatten().map(|tokens| tokens as u64)
        };
        *self.tokens.get_or_init(count).await
    }
}

/// The cost of the full listing in o200k tokens, counted once for each version of the policy.
#[derive(Debug, Default)]
pub(crate) struct FullCost(Mutex<Option<(u64, Option<u64>)>>);

impl FullCost {
    pub(crate) async fn tokens_of(&self, policy: &Policy) -> Option<u64> {
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
