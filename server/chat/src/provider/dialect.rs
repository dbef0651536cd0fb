//! The APIs of providers.

use std::str::FromStr;

use crate::tool_formats::ToolFormat;

/// The API that a provider of models offers. Its tools are described in its [`ToolFormat`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Chat completions of `OpenAI`, and every server that is compatible with them.
    OpenAi,
    /// The Responses API of `OpenAI`.
    OpenAiResponses,
    /// The Messages API of Anthropic.
    Anthropic,
    /// The Gemini API.
    Gemini,
    /// Ollama.
    Ollama,
    /// Chat completions of Azure.
    Azure,
    /// Chat completions of `OpenRouter`.
    OpenRouter,
    /// Chat completions of `DeepSeek`.
    DeepSeek,
    /// Chat completions of xAI.
    Grok,
    /// Chat completions of Mistral.
    Mistral,
}

impl FromStr for Dialect {
    type Err = NoDialect;

    fn from_str(name: &str) -> Result<Self, NoDialect> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            NoDialect(format!("`{name}` is not a dialect. The dialects are {names}."))
        })
    }
}

impl Dialect {
    /// All dialects, in the order in which they are documented.
    pub const ALL: [Self; 10] = [
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
    ];

    /// The name in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.tool_format().name()
    }

    pub(super) fn tool_format(self) -> ToolFormat {
        match self {
            Self::OpenAi => ToolFormat::OpenAi,
            Self::OpenAiResponses => ToolFormat::OpenAiResponses,
            Self::Anthropic => ToolFormat::Anthropic,
            Self::Gemini => ToolFormat::Gemini,
            Self::Ollama => ToolFormat::Ollama,
            Self::Azure => ToolFormat::Azure,
            Self::OpenRouter => ToolFormat::OpenRouter,
            Self::DeepSeek => ToolFormat::DeepSeek,
            Self::Grok => ToolFormat::Grok,
            Self::Mistral => ToolFormat::Mistral,
        }
    }

    /// The address of the provider; `None` if each customer has another one.
    pub(super) fn usual_base(self) -> Option<&'static str> {
        Some(match self {
            Self::OpenAi | Self::OpenAiResponses => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Self::Ollama => "http://localhost:11434/",
            Self::Azure => return None,
            Self::OpenRouter => "https://openrouter.ai/api/v1/",
            Self::DeepSeek => "https://api.deepseek.com/v1/",
            Self::Grok => "https://api.x.ai/v1/",
            Self::Mistral => "https://api.mistral.ai/v1/",
        })
    }

    /// Whether requests ask for the count of tokens. Mistral refuses requests that do.
    pub(super) fn counts_tokens(self) -> bool {
        self != Self::Mistral
    }

    /// Whether the limit of tokens includes thoughts, and is named so. Newer models of `OpenAI` accept no other.
    pub(super) fn limits_completion_tokens(self, model: &str) -> bool {
        let is_newer = |prefix: &&str| model.starts_with(prefix);
        matches!(self, Self::OpenAi | Self::Azure)
            && ["gpt-5", "gpt-6", "o1", "o3", "o4"].iter().any(is_newer)
    }
}

/// A name that is not that of a dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoDialect(String);
