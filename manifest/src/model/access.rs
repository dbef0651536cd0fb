//! Focus modes, roles and contexts: sets of operations with a purpose.

use super::{CategoryId, Effect, OperationId, Pattern, RoleId};

/// A focus mode: which operations a task needs. Deny overrides allow.
#[derive(Debug, Clone, PartialEq)]
pub struct FocusMode {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// One sentence.
    pub summary: Option<String>,
    /// What it allows.
    pub allow: Vec<Selector>,
    /// What it denies, even if it is allowed above.
    pub deny: Vec<Selector>,
}

/// A role: what a principal may do at all. Deny overrides allow.
#[derive(Debug, Clone, PartialEq)]
pub struct Role {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// One sentence.
    pub summary: Option<String>,
    /// A role whose rules are added to this one's. Never part of a cycle.
    pub extends: Option<RoleId>,
    /// What it allows.
    pub allow: Vec<Selector>,
    /// What it denies, even if it is allowed above.
    pub deny: Vec<Selector>,
    /// Instructions for a model in this role.
    pub persona: Option<String>,
}

/// A set of operations.
#[derive(Debug, Clone, PartialEq)]
pub enum Selector {
    /// `"*"`.
    All,
    /// `vault` or `vault.*`.
    Category(CategoryId),
    /// `plugin.dataview.*`: the operations of a category whose names begin with these segments.
    Group(CategoryId, String),
    /// `vault.read`.
    Operation(OperationId),
    /// `{ effect: .., tag: .., category: .. }`: every given condition must hold; at least one is
    /// given.
    Where {
        /// The operation's effect.
        effect: Option<Effect>,
        /// One of the operation's tags.
        tag: Option<String>,
        /// The operation's category.
        category: Option<CategoryId>,
    },
}

/// A subject of messages, and the operations that are then relevant.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredContext {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// Words and phrases that indicate the subject where a message asks about them.
    pub subjects: Vec<Weighted<String>>,
    /// Words and phrases that indicate the subject.
    pub keywords: Vec<Weighted<String>>,
    /// Expressions that indicate the subject.
    pub patterns: Vec<Weighted<Pattern>>,
    /// The lowest [confidence](Self::confidence) at which a message is about it; greater than 0, at
    /// most 1.
    pub threshold: f64,
    /// The relevant operations.
    pub include: Vec<Selector>,
}

/// A keyword or pattern, and its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighted<T> {
    /// The keyword or the pattern.
    pub sign: T,
    /// Finite and greater than 0.
    pub weight: f64,
}

impl DeclaredContext {
    /// The default threshold, which a single keyword of weight 1 reaches.
    pub const THRESHOLD: f64 = 0.5;

    /// The confidence for a total weight: `w / (1 + w)`, rounded to hundredths. 1 gives 0.5, 2
    /// gives 0.67, 3 gives 0.75.
    pub fn confidence(weight: f64) -> f64 {
        // Written like this, an infinite sum gives 1.
        (100.0 * (1.0 - 1.0 / (1.0 + weight))).round() / 100.0
    }

    /// The total weight of all its subjects, keywords and patterns.
    pub fn total_weight(&self) -> f64 {
        let words = self.subjects.iter().chain(&self.keywords);
        let keywords = words.map(|keyword| keyword.weight);
        keywords.chain(self.patterns.iter().map(|pattern| pattern.weight)).sum()
    }
}
