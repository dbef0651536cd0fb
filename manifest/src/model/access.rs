//! Focus modes, roles and contexts: sets of operations with a purpose.

use super::{CategoryId, Effect, OperationId, Pattern, RoleId};

/// A focus mode: which operations a task needs. Deny beats allow.
#[derive(Debug, Clone, PartialEq)]
pub struct FocusMode {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// One sentence.
    pub summary: Option<String>,
    /// What is let through.
    pub allow: Vec<Selector>,
    /// What is held back all the same.
    pub deny: Vec<Selector>,
}

/// A role: what a principal may do at all. Deny beats allow.
#[derive(Debug, Clone, PartialEq)]
pub struct Role {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// One sentence.
    pub summary: Option<String>,
    /// A role whose rules are added to this one's. Never part of a cycle.
    pub extends: Option<RoleId>,
    /// What is let through.
    pub allow: Vec<Selector>,
    /// What is held back all the same.
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
    /// `vault.read`.
    Operation(OperationId),
    /// `{ effect: .., tag: .., category: .. }`: all the conditions given hold; at least one is given.
    Where {
        /// The operation's effect.
        effect: Option<Effect>,
        /// One of the operation's tags.
        tag: Option<String>,
        /// The operation's category.
        category: Option<CategoryId>,
    },
}

/// What a message is about, and which operations are then relevant.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// Words that give the subject away.
    pub keywords: Vec<String>,
    /// Expressions that give the subject away.
    pub patterns: Vec<Pattern>,
    /// The relevant operations.
    pub include: Vec<Selector>,
}
