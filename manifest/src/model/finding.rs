//! What a search needs beside the texts of operations.

use toolwrit_words::VerbClass;

/// A verb, or a phrase that is used like one, and what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verb {
    /// What it asks for.
    pub class: VerbClass,
    /// Words; `*` stands for up to three.
    pub phrase: String,
}

/// What people ask for that no operation does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// What is not offered, and what to do instead.
    pub note: String,
    /// How people ask for it.
    pub asks: Vec<String>,
}
