//! Resources and prompts that a provider offers while a server runs. One dynamic operation reads all of its resources, and
//! another one returns the messages of all of its prompts.

use toolwrit_words::{OfferedPrompt, OfferedResource};

use super::Served;

/// How clients see a dynamic operation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Offered {
    /// As a tool, or behind a tool of a surface.
    #[default]
    Tool,
    /// It reads these resources. Its argument is `uri`, and its result a list of contents of MCP.
    Resources {
        /// Those that are listed now.
        listed: Vec<OfferedResource>,
        /// Whether their provider announces when one changes.
        subscribe: bool,
    },
    /// It returns the messages of these prompts. Its arguments are `name` and `arguments`.
    Prompts(Vec<OfferedPrompt>),
    /// It suggests values for the arguments of both, as a list of texts. Its arguments are `prompt` or `resource`, `argument`,
    /// `value` and `arguments`.
    Completions,
}

impl Offered {
    /// Returns the kind of the row at this position. The position in it is that of no resource or prompt, because the
    /// operation has many.
    pub(super) fn served(&self, position: u16) -> Served {
        match self {
            Self::Tool => Served::Tool,
            Self::Completions => Served::Completion { of: position, argument: String::new() },
            Self::Resources { .. } => Served::Resource(u16::MAX),
            Self::Prompts(_) => Served::Prompt(u16::MAX),
        }
    }

    /// Returns the URIs or names by which clients ask for them.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let (resources, prompts): (&[_], &[_]) = match self {
            Self::Tool | Self::Completions => (&[], &[]),
            Self::Resources { listed, .. } => (listed, &[]),
            Self::Prompts(prompts) => (&[], prompts),
        };
        let uris = resources.iter().map(|resource: &OfferedResource| resource.uri.as_str());
        uris.chain(prompts.iter().map(|prompt: &OfferedPrompt| prompt.name.as_str()))
    }
}
