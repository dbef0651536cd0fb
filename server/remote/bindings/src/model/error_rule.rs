use serde::Deserialize;

use super::{Code, List, Literal, Path, Text};

/// What the failures of an API mean.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default)]
pub struct ErrorRules {
    /// Where an answer says in words what happened.
    pub message: Option<Path>,
    /// Where an answer has an object whose names are fields of the request, and whose values say what is wrong
    /// with them.
    pub fields: Option<Path>,
    /// Answers that mean something else than their status. The first rule that fits decides.
    pub rules: List<ErrorRule>,
}

impl ErrorRules {
    /// The status alone decides.
    pub const NONE: Self = Self { message: None, fields: None, rules: List::Borrowed(&[]) };
}

impl Default for ErrorRules {
    /// [`Self::NONE`].
    fn default() -> Self {
        Self::NONE
    }
}

/// An answer that means something else than its status, whatever that is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ErrorRule {
    /// By what the answer is recognized. All marks must fit.
    pub when: List<Mark>,
    /// What it means.
    pub code: Code,
    /// The JSON pointer of the argument that causes it.
    pub at: Option<Text>,
}

/// A property of an answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// The value at a path of the body.
    Body(Path, Literal),
    Header(Text, Text),
    Status(u16),
}
