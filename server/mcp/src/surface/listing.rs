//! Tools as they are sent to a client, and what they cost it.

use std::sync::OnceLock;

use serde_json::Value;

use super::card::Card;
use super::flat;
use crate::tokens;
use toolwrit_core::policy::Policy;

/// A list of tools.
#[derive(Debug)]
pub struct Listing {
    cards: Vec<Card>,
    tokens: OnceLock<Option<usize>>,
}

impl Listing {
    pub(crate) fn new(cards: Vec<Card>) -> Self {
        Self { cards, tokens: OnceLock::new() }
    }

    /// Every operation that the policy shows, each as a tool.
    pub(crate) fn full(policy: &Policy) -> Self {
        Self::new(flat::tools(policy).into_iter().filter_map(|tool| tool.card).collect())
    }

    /// The tools, in their order.
    pub fn cards(&self) -> &[Card] {
        &self.cards
    }

    /// The array of tools in `tools/list`.
    pub fn to_json(&self) -> Value {
        self.cards.iter().map(Card::to_json).collect()
    }

    /// What the array costs in o200k tokens, counted at the first question, which takes a moment;
    /// none where the program was built without the vocabulary.
    pub(crate) fn tokens(&self) -> Option<usize> {
        *self.tokens.get_or_init(|| tokens::count(&self.to_json().to_string()))
    }
}
