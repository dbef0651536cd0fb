//! How providers want tools described: pure functions from a [`Tool`] to the JSON of each.

mod anthropic;
mod gemini;
mod mcp;
mod openai;
mod openapi;
mod schema;

use std::str::FromStr;

use serde_json::Value;
use toolwrit_text::{nearest, shorten};

use crate::tools::Tool;

/// How tools are described to a program or to the API of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolFormat {
    /// The result of `tools/list` of MCP.
    Mcp,
    /// `tools` of `OpenAI`'s chat completions.
    OpenAi,
    /// `tools` of `OpenAI`'s Responses API.
    OpenAiResponses,
    /// `tools` of Anthropic's Messages API.
    Anthropic,
    /// `tools` of the Gemini API.
    Gemini,
    /// `tools` of Ollama.
    Ollama,
    /// `tools` of Azure's chat completions.
    Azure,
    /// `tools` of `OpenRouter`.
    OpenRouter,
    /// `tools` of `DeepSeek`.
    DeepSeek,
    /// `tools` of xAI's Grok.
    Grok,
    /// `tools` of Mistral.
    Mistral,
    /// A document of `OpenAPI` 3.1, with a path for each tool.
    OpenApi,
}

/// Tools that a format cannot describe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CannotDescribe(String);

impl ToolFormat {
    /// All formats, in the order in which they are documented.
    pub const ALL: [Self; 12] = [
        Self::Mcp,
        Self::OpenAi,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::Azure,
        Self::OpenRouter,
        Self::DeepSeek,
        Self::Grok,
        Self::Mistral,
        Self::OpenApi,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::OpenAi => "openai",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::Azure => "azure",
            Self::OpenRouter => "openrouter",
            Self::DeepSeek => "deepseek",
            Self::Grok => "grok",
            Self::Mistral => "mistral",
            Self::OpenApi => "openapi",
        }
    }

    /// The most tools of a request; `None` if the provider documents no limit.
    #[must_use]
    pub fn most_tools(self) -> Option<usize> {
        match self {
            Self::OpenAi | Self::OpenAiResponses | Self::Azure | Self::DeepSeek | Self::Grok => {
                Some(128)
            }
            Self::Gemini => Some(512),
            _ => None,
        }
    }

    /// The most characters of a name.
    fn longest_name(self) -> usize {
        if matches!(self, Self::Anthropic | Self::Mcp | Self::OpenApi) { 128 } else { 64 }
    }

    /// The most characters of a description; `None` if the provider documents no limit.
    fn longest_description(self) -> Option<usize> {
        matches!(self, Self::OpenAi | Self::OpenAiResponses | Self::Azure).then_some(1024)
    }

    /// Describes tools.
    ///
    /// # Errors
    /// Fails if two tools have the same name, if a name is none for the provider, or if there are too many tools.
    pub fn describe(self, tools: &[Tool]) -> Result<Value, CannotDescribe> {
        self.check_names(tools)?;
        Ok(match self {
            Self::Mcp => mcp::describe_tools(tools),
            Self::OpenAi
            | Self::Ollama
            | Self::Azure
            | Self::OpenRouter
            | Self::DeepSeek
            | Self::Grok
            | Self::Mistral => openai::describe_functions(self, tools),
            Self::OpenAiResponses => openai::describe_for_responses(self, tools),
            Self::Anthropic => anthropic::describe_tools(self, tools),
            Self::Gemini => gemini::describe_tools(self, tools),
            Self::OpenApi => openapi::write_document(tools),
        })
    }

    /// The schema of parameters with what the provider understands.
    #[must_use]
    pub fn schema(self, parameters: &Value) -> Value {
        schema::reduce(self, parameters)
    }

    /// A description that the provider accepts.
    pub(crate) fn description(self, tool: &Tool) -> String {
        match self.longest_description() {
            Some(most) => shorten::within(&tool.description, most),
            None => tool.description.clone(),
        }
    }

    /// Whether the provider accepts the names of tools and their number.
    pub(crate) fn check_names(self, tools: &[Tool]) -> Result<(), CannotDescribe> {
        let format = self.name();
        if let Some(most) = self.most_tools().filter(|most| tools.len() > *most) {
            return Err(CannotDescribe(format!(
                "there are {} tools, and {format} accepts {most}. Select fewer of them.",
                tools.len()
            )));
        }
        for (position, tool) in tools.iter().enumerate() {
            let most = self.longest_name();
            let letters = tool
                .name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
            // Gemini wants a letter or `_` first; the others do not mind.
            let first = tool.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if tool.name.len() > most || !letters || !first {
                return Err(CannotDescribe(format!(
                    "{} has the name `{}`, and {format} accepts up to {most} letters, digits, `_` and `-`, and a letter first. \
                     Give the operation another name.",
                    tool.id, tool.name
                )));
            }
            if let Some(other) = tools[..position].iter().find(|other| other.name == tool.name) {
                return Err(CannotDescribe(format!(
                    "{} and {} both have the name `{}`. Give one of them another name.",
                    other.id, tool.id, tool.name
                )));
            }
        }
        Ok(())
    }
}

impl FromStr for ToolFormat {
    type Err = CannotDescribe;

    fn from_str(name: &str) -> Result<Self, CannotDescribe> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
            let meant = match nearest::nearest(name, names.iter().copied()) {
                Some(meant) => format!(" Did you mean `{meant}`?"),
                None => String::new(),
            };
            CannotDescribe(format!(
                "`{name}` is not a format.{meant} The formats are {}.",
                names.join(", ")
            ))
        })
    }
}
