//! MCP resources, prompts and cookbooks. Each is also an operation, a read in the category `resources` or
//! `prompts`. These types have what an operation lacks.

use super::{CookbookId, OperationId};

/// An MCP resource, or a resource template when the URI has `{variables}`.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// `[a-z][a-z0-9_-]*`, the handler's name.
    pub name: String,
    /// A URI or an RFC 6570 level-1 template.
    pub uri: String,
    /// For people.
    pub title: Option<String>,
    /// One sentence.
    pub summary: String,
    /// The MIME type of its content.
    pub mime_type: Option<String>,
    /// The variables of the URI, in order. All are required.
    pub variables: Vec<Argument>,
    /// Clients may subscribe to its changes.
    pub subscribe: bool,
    /// Free labels for selectors.
    pub tags: Vec<String>,
}

/// An MCP prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// One sentence.
    pub summary: String,
    /// Named strings that the caller fills in.
    pub arguments: Vec<Argument>,
    /// Its text; `None` if a handler writes it.
    pub text: Option<PromptText>,
    /// Free labels for selectors.
    pub tags: Vec<String>,
}

impl Prompt {
    /// Its template, if it has one.
    pub fn template(&self) -> Option<&str> {
        match &self.text {
            Some(PromptText::Template(text)) => Some(text),
            Some(PromptText::Cookbook(_)) | None => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptText {
    /// Text with `{{argument}}` placeholders.
    Template(String),
    /// The text of a cookbook, as it is.
    Cookbook(CookbookId),
}

/// A guide to a common task. It is also a prompt of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cookbook {
    /// `[a-z][a-z0-9_-]*`.
    pub name: String,
    /// One sentence.
    pub summary: String,
    /// The file of the text, relative to the root file.
    pub file: String,
    /// The text, in Markdown.
    pub text: String,
    /// The operations that it uses.
    pub operations: Vec<OperationId>,
}

/// An argument of a prompt, or a variable of a resource's URI.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Letters, digits and `_`.
    pub name: String,
    /// For people and models.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
    /// The allowed values; any value if empty.
    pub values: Vec<String>,
    /// A handler suggests values while a person types.
    pub complete: bool,
}
