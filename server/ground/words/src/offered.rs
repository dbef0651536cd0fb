//! Resources and prompts that other software offers while a server runs.

/// A resource of a provider, or a template of resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedResource {
    /// Its URI, or a template of RFC 6570.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// The MIME type of its contents.
    pub mime_type: Option<String>,
}

/// A prompt of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedPrompt {
    /// Its name.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Its arguments, which are texts.
    pub arguments: Vec<OfferedArgument>,
}

/// An argument of a prompt of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedArgument {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
}
