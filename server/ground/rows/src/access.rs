//! Focus modes, roles and contexts, with the operations that they cover as bit sets.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FocusMode {
    /// The manifest's name.
    pub name: String,
    /// One sentence.
    pub summary: Option<String>,
    /// For each entry of [`Tables::joining`](crate::Tables::joining), the effects of the dynamic operations that it allows: one bit
    /// each, in the order of [`Effect`](toolwrit_words::Effect).
    pub joining: Vec<u8>,
    /// The effects of the operations that it allows in categories that the operator adds, in the same way.
    pub added: u8,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Role {
    /// The manifest's name.
    pub name: String,
    /// One sentence.
    pub summary: Option<String>,
    /// Instructions for a model in this role.
    pub persona: Option<String>,
    /// The operations that the role allows, under any focus mode.
    pub operations: Vec<u64>,
    /// For each entry of [`Tables::joining`](crate::Tables::joining), the effects of the dynamic operations that it allows: one bit
    /// each, in the order of [`Effect`](toolwrit_words::Effect).
    pub joining: Vec<u8>,
    /// The effects of the operations that it allows in categories that the operator adds, in the same way.
    pub added: u8,
}

/// A context that a message may belong to, and the operations relevant to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeclaredContext {
    /// The manifest's name.
    pub name: String,
    /// Words and phrases that indicate the context where a message asks about them.
    pub subjects: Vec<Sign>,
    /// Words and phrases that indicate the context.
    pub keywords: Vec<Sign>,
    /// Regular expressions that indicate the context.
    pub patterns: Vec<Sign>,
    /// The confidence from which a message belongs to it; above 0, at most 1.
    pub threshold: f64,
    /// The relevant operations.
    pub operations: Vec<u64>,
    /// For each entry of [`Tables::joining`](crate::Tables::joining), the effects of the dynamic operations that are relevant: one bit
    /// each, in the order of [`Effect`](toolwrit_words::Effect).
    pub joining: Vec<u8>,
}

/// A word, a phrase or an expression that indicates a context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sign {
    pub text: String,
    /// Its weight; finite and above 0.
    pub weight: f64,
}
