//! MCP resources and prompts.

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
    /// The MIME type of what it gives.
    pub mime_type: Option<String>,
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
    pub arguments: Vec<PromptArgument>,
    /// Text with `{{argument}}` places; a handler writes the prompt when absent.
    pub template: Option<String>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptArgument {
    /// `snake_case`.
    pub name: String,
    /// For people and models.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
}
