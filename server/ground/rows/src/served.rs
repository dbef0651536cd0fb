//! MCP resources, prompts and cookbooks: what clients get beyond the fields of their operations.

use serde::{Deserialize, Serialize};

/// A resource or a resource template: what clients get beyond the fields of its operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// The manifest's name.
    pub name: String,
    /// A URI, or an RFC 6570 level-1 template of it. Those of providers may be of higher levels.
    pub uri: String,
    /// The name for people.
    pub title: Option<String>,
    /// What it is; `None` for the summary of its operation.
    pub description: Option<String>,
    /// The MIME type of its contents, unless its handler sets another.
    pub mime_type: Option<String>,
    /// Whether clients may subscribe to updates.
    pub subscribe: bool,
    /// Position of the operation that reads it.
    pub operation: u16,
}

impl Resource {
    /// Whether the URI has variables.
    pub fn is_template(&self) -> bool {
        self.uri.contains('{')
    }
}

/// A prompt: what clients get beyond the fields of its operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// The manifest's name.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// What it is for; `None` for the summary of its operation.
    pub description: Option<String>,
    /// Its arguments; `None` for those of its operation.
    pub arguments: Option<Vec<PromptArgument>>,
    /// Its text with `{{argument}}` placeholders; `None` if a handler or a cookbook has its messages.
    pub template: Option<String>,
    /// Position of the operation that produces its messages.
    pub operation: u16,
}

/// An argument of a prompt, which is a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptArgument {
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
}

/// A guide to a common task. It is also a prompt of the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cookbook {
    /// The manifest's name.
    pub name: String,
    /// One sentence.
    pub summary: String,
    /// Its text, in Markdown.
    pub text: String,
    /// Positions of the operations that it uses.
    pub operations: Vec<u16>,
    /// Position of the operation that renders it as a prompt. Who may use that one may read the cookbook.
    pub prompt: u16,
}
